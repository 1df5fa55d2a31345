// A complete object branch -> ObjectSpecs: which names are declared, in which order, and what each
// key's value must be.
//
// Declared names get the conjunction of all schemas that speak about them. All other keys are split
// into cells by the patterns they match (the atoms of the Boolean algebra of the patterns), so that
// each cell has one conjunction. Clauses ("some member violates ...", from complements) are met by
// a declared name or by a free key; each choice makes a spec of its own.
#include <algorithm>
#include <memory>
#include <unordered_map>
#include <utility>

#include "frontend/json_schema/finish_choices.h"
#include "frontend/json_schema/merge.h"
#include "frontend/json_schema/name_table.h"

namespace xgrammar::json_schema {

namespace {

// Distinct patterns whose combinations are tried; each cell that is not empty costs an automaton.
constexpr size_t kMaxCells = 256;

}  // namespace

/// Works on one branch; borrows everything.
class ObjectFinisher {
 public:
  ObjectFinisher(Merger* merger, const Merger::Run& run, const ObjectAtoms& atoms, bool strict)
      : merger_(*merger), run_(run), atoms_(atoms), strict_(strict) {}

  void Finish(std::vector<ObjectSpec>* out) {
    FindClosing();
    if (!CollectNames()) return;
    CollectPatterns();
    CollectEvaluators();
    if (!MakeMembers()) return;
    MakeCells();
    spec_.count = atoms_.count;
    spec_.names_given = !atoms_.name_literals.empty();
    spec_.has_keyword = atoms_.has_keyword;
    if (atoms_.choices.empty()) {
      Choose(spec_, 0, out);
    } else if (KeepChoices()) {
      Emit(spec_, out);
    }
  }

 private:
  struct Pattern {
    std::string_view text;
    CodePointDfaPtr keys;
  };
  // What evaluates keys for an unevaluated* keyword, by index of ObjectAtoms::groups.
  struct Evaluators {
    std::vector<size_t> groups;
    bool all = false;  ///< A keyword inside evaluates every key.
  };
  // A declared name. What the groups' `properties` say about it is a list in order of the groups.
  struct Declared {
    bool required = false;
    bool demanded = false;  ///< Only complements and dependencies ask for it.
    int32_t first_value = -1;
    int32_t last_value = -1;
  };
  struct DeclaredValue {
    size_t group = 0;
    JsonId schema = kNoJson;
    int32_t next = -1;
  };
  // A set of undeclared keys and, by index of patterns_, which patterns they match.
  struct Cell {
    CodePointDfaPtr keys;  ///< Null: all keys.
    std::vector<bool> matched;
  };

  // Strict mode closes an object that declares names and says nothing about others
  // (json-schema.md 1.4).
  void FindClosing() {
    bool declares = false;
    bool open = !atoms_.unevaluated.empty();
    for (const ScopedSchema& group : atoms_.groups) {
      if (group.kind == LiteralKind::kPlainSchema) continue;
      declares = declares || group.schema->declares_properties;
      open = open || group.schema->additional_properties != kNoJson;
    }
    closed_ = strict_ && declares && !open;
  }

  size_t AddPattern(std::string_view text, CodePointDfaPtr keys) {
    for (size_t i = 0; i < patterns_.size(); ++i) {
      if (keys ? patterns_[i].keys == keys : patterns_[i].text == text) return i;
    }
    patterns_.push_back({text, std::move(keys)});
    return patterns_.size() - 1;
  }

  void CollectPatterns() {
    for (const ScopedSchema& group : atoms_.groups) {
      std::vector<size_t> indices;
      for (const NamedSchema& pattern : group.schema->pattern_properties) {
        indices.push_back(AddPattern(
            pattern.name,
            merger_.strings().Pattern(pattern.name, group.schema->id, "patternProperties")));
      }
      group_patterns_.push_back(std::move(indices));
    }
    for (const MemberClause& clause : clauses_)
      clause_patterns_.push_back(AddPattern({}, KeysOf(clause)));
    // The keys of a choice make cells only where there are free keys at all.
    const bool has_free_keys = !atoms_.choices.empty() && MayHaveFreeKeys();
    for (const auto& choice : atoms_.choices) {
      for (const MemberWay& way : *choice) {
        const bool is_plain = way.clause.keys == MemberClause::Keys::kAdditional && !has_free_keys;
        if (way.kind != MemberWay::Kind::kSome || is_plain) continue;
        const CodePointDfaPtr keys = KeysOf(way.clause);
        const size_t pattern = has_free_keys ? AddPattern({}, keys) : 0;
        way_keys_[&way] = {keys, has_free_keys ? static_cast<int32_t>(pattern) : -1};
      }
    }
    if (atoms_.name_literals.empty()) return;
    const bool is_alone = declared_.empty() && atoms_.forbidden.empty() && patterns_.empty();
    if (is_alone) name_format_ = NameFormat(atoms_.name_literals);
    if (name_format_.empty()) names_ = NameLanguage(atoms_.name_literals);
  }

  // The format whose texts are the strings that satisfy literals, if that has no automaton of its
  // own; else empty.
  std::string_view NameFormat(const std::vector<Literal>& literals) {
    const LocationId location = merger_.Intern(literals);
    if (location == kAnyLocation) return {};
    const Expansion& expansion = merger_.Expand(location);
    if (!expansion.values.empty() || expansion.strings.size() != 1) return {};
    const StringConstraint& constraint = expansion.strings[0];
    if (!constraint.IsOneFormat() || !merger_.strings().IsSubset(constraint)) return {};
    return merger_.reader().document().text(constraint.atoms[0].text);
  }

  // The decoded keys that a clause speaks about.
  CodePointDfaPtr KeysOf(const MemberClause& clause) {
    StringLanguage& strings = merger_.strings();
    switch (clause.keys) {
      case MemberClause::Keys::kPattern:
        return strings.Pattern(clause.pattern, clause.schema->id, "patternProperties");
      case MemberClause::Keys::kName:
        return std::make_shared<const CodePointDfa>(FromStrings({clause.pattern}));
      case MemberClause::Keys::kInvalidName: {
        const CodePointDfaPtr names =
            NameLanguage({{clause.schema->property_names, LiteralKind::kPlainSchema}}, true);
        return names ? strings.ComplementOf(names)
                     : std::make_shared<const CodePointDfa>(Nothing());
      }
      case MemberClause::Keys::kAdditional:
        return KeysOutside({clause.schema});
      case MemberClause::Keys::kUnevaluated: {
        std::vector<const Schema*> schemas;
        for (const ScopedSchema& group : atoms_.groups) {
          if (merger_.IsInScope(run_, group.scope, clause.scope)) schemas.push_back(group.schema);
        }
        return KeysOutside(schemas);
      }
    }
    return nullptr;
  }

  // The keys that `properties` and `patternProperties` of some schemas do not speak about.
  CodePointDfaPtr KeysOutside(const std::vector<const Schema*>& schemas) {
    StringLanguage& strings = merger_.strings();
    std::vector<std::string_view> names;
    for (const Schema* schema : schemas) {
      for (const NamedSchema& property : schema->properties) names.push_back(property.name);
    }
    CodePointDfaPtr keys =
        strings.ComplementOf(std::make_shared<const CodePointDfa>(FromStrings(names)));
    for (const Schema* schema : schemas) {
      for (const NamedSchema& pattern : schema->pattern_properties) {
        keys = strings.Difference(keys,
                                  strings.Pattern(pattern.name, schema->id, "patternProperties"));
      }
    }
    return keys;
  }

  // Whether something inside a scope evaluates every key.
  bool EvaluatesAll(int32_t scope) {
    const auto is_inside = [&](const ScopedSchema& other) {
      return merger_.IsInScope(run_, other.scope, scope);
    };
    return std::any_of(atoms_.unevaluated.begin(), atoms_.unevaluated.end(), is_inside) ||
           std::any_of(atoms_.groups.begin(), atoms_.groups.end(), [&](const ScopedSchema& group) {
             return group.schema->additional_properties != kNoJson && is_inside(group);
           });
  }

  // For each unevaluated* keyword, the groups whose annotations it sees: those inside its scope. A
  // walk up from each group finds all of them, and ends where IsInScope does.
  void CollectEvaluators() {
    if (atoms_.unevaluated.empty()) return;
    std::unordered_multimap<int32_t, size_t> keywords;
    for (size_t k = 0; k < atoms_.unevaluated.size(); ++k)
      keywords.emplace(atoms_.unevaluated[k].scope, k);
    evaluators_.resize(atoms_.unevaluated.size());
    const auto walk = [&](int32_t scope, const auto& add) {
      while (scope >= 0) {
        const auto [first, last] = keywords.equal_range(scope);
        for (auto it = first; it != last; ++it) add(&evaluators_[it->second]);
        const Merger::Scope& here = run_.scopes[static_cast<size_t>(scope)];
        if (here.literal.kind == LiteralKind::kNotSchema) break;
        scope = here.parent;
      }
    };
    for (size_t g = 0; g < atoms_.groups.size(); ++g)
      walk(atoms_.groups[g].scope, [&](Evaluators* seen) { seen->groups.push_back(g); });
    for (const ScopedSchema& inner : atoms_.unevaluated) {
      walk(inner.scope, [&](Evaluators* seen) {
        const ScopedSchema& keyword =
            atoms_.unevaluated[static_cast<size_t>(seen - &evaluators_[0])];
        seen->all = seen->all || inner.scope != keyword.scope;
      });
    }
  }

  static CodePointDfa Nothing() { return CodePointDfa(std::vector<CodePointDfa::State>(1)); }

  // The strings that satisfy literals, as decoded text; null if all do. `all`: none may be left
  // out, because the complement is taken.
  CodePointDfaPtr NameLanguage(const std::vector<Literal>& literals, bool all = false) {
    Conjunction conjunction = literals;
    const LocationId location = merger_.Intern(std::move(conjunction));
    if (location == kAnyLocation) return nullptr;
    const Expansion& expansion = merger_.Expand(location);
    StringLanguage& strings = merger_.strings();
    const JsonDocument& document = merger_.reader().document();
    std::vector<std::string_view> values;
    for (const JsonId value : expansion.values) {
      if (document.IsString(value)) values.push_back(document.text(value));
    }
    CodePointDfaPtr result =
        std::make_shared<const CodePointDfa>(values.empty() ? Nothing() : FromStrings(values));
    const int64_t max_states = merger_.reader().limits().max_dfa_states;
    for (const StringConstraint& constraint : expansion.strings) {
      const CodePointDfaPtr branch = all ? strings.Cover(constraint, literals.front().id)
                                         : strings.Constraint(constraint, literals.front().id);
      if (!branch) return nullptr;
      result = std::make_shared<const CodePointDfa>(Unite(*result, *branch, max_states));
    }
    return result;
  }

  // Declared names: `properties` of all groups by first appearance, then names that complements
  // speak about, then names that are only required. False if a clause cannot be met.
  bool CollectNames() {
    for (const std::string_view name : atoms_.forbidden) forbidden_.Add(name);
    for (size_t g = 0; g < atoms_.groups.size(); ++g) {
      for (const NamedSchema& property : atoms_.groups[g].schema->properties)
        AddValue(Declare(property.name), g, property.schema);
    }
    for (const auto& [name, literal] : atoms_.member_literals) Declare(name);
    for (const auto& choice : atoms_.choices) {
      for (const MemberWay& way : *choice) {
        if (way.kind != MemberWay::Kind::kSome) Declare(way.name);
      }
    }
    for (const std::string_view name : atoms_.required) {
      Declared* declared = Declare(name);
      if (declared) declared->required = true;
    }
    for (const std::string_view name : atoms_.demanded) {
      Declared* declared = FindDeclared(name);
      if (declared) declared->demanded = true;
    }
    clauses_ = atoms_.clauses;
    for (const MemberClause& clause : clauses_) {
      if (clause.keys == MemberClause::Keys::kUnevaluated && EvaluatesAll(clause.scope))
        return false;
    }
    for (const std::string_view name : atoms_.required_anywhere) {
      if (merger_.options_.any_order) Declare(name);  // Every place is in the order.
      Declared* declared = FindDeclared(name);
      if (declared) {
        // A dependency is no `required`, which would let the name in where strict mode closes.
        declared->demanded = declared->demanded || !declared->required;
        declared->required = true;
      } else {
        clauses_.push_back({MemberClause::Keys::kName, name, nullptr, false, {}});
      }
    }
    return true;
  }

  // Null for a forbidden name.
  Declared* Declare(std::string_view name) {
    if (forbidden_.Find(name) >= 0) return nullptr;
    const auto index = static_cast<size_t>(names_in_order_.Add(name));
    if (index == declared_.size()) declared_.emplace_back();
    return &declared_[index];
  }

  Declared* FindDeclared(std::string_view name) {
    const int32_t index = names_in_order_.Find(name);
    return index < 0 ? nullptr : &declared_[static_cast<size_t>(index)];
  }

  void AddValue(Declared* declared, size_t group, JsonId schema) {
    if (!declared) return;
    const auto index = static_cast<int32_t>(declared_values_.size());
    declared_values_.push_back({group, schema, -1});
    (declared->last_value < 0 ? declared->first_value
                              : declared_values_[static_cast<size_t>(declared->last_value)].next) =
        index;
    declared->last_value = index;
  }

  // Adds what the groups say about a key that is declared or, if null, any other; `matches(i)`
  // tells whether it matches pattern i. Returns whether any `properties` or `patternProperties`
  // covers the key.
  template <typename Matches>
  bool AppendValues(const Declared* declared, const Matches& matches, Conjunction* out) {
    bool covered = false;
    std::vector<bool> evaluated(atoms_.unevaluated.empty() ? 0 : atoms_.groups.size(), false);
    int32_t next_value = declared ? declared->first_value : -1;
    for (size_t g = 0; g < atoms_.groups.size(); ++g) {
      const ScopedSchema& group = atoms_.groups[g];
      bool matched = false;
      if (next_value >= 0 && declared_values_[static_cast<size_t>(next_value)].group == g) {
        const DeclaredValue& value = declared_values_[static_cast<size_t>(next_value)];
        matched = true;
        out->push_back({value.schema, group.kind});
        next_value = value.next;
      }
      for (size_t i = 0; i < group_patterns_[g].size(); ++i) {
        if (!matches(group_patterns_[g][i])) continue;
        matched = true;
        out->push_back({group.schema->pattern_properties[i].schema, group.kind});
      }
      covered = covered || matched;
      const bool is_additional = !matched && group.schema->additional_properties != kNoJson;
      if (is_additional) out->push_back({group.schema->additional_properties, group.kind});
      if (!evaluated.empty()) evaluated[g] = matched || is_additional;
    }
    for (size_t k = 0; k < atoms_.unevaluated.size() && !atoms_.ignores_unevaluated; ++k) {
      const ScopedSchema& keyword = atoms_.unevaluated[k];
      const auto& groups = evaluators_[k].groups;
      const bool done = evaluators_[k].all || std::any_of(groups.begin(), groups.end(),
                                                          [&](size_t g) { return evaluated[g]; });
      if (!done) out->push_back({keyword.schema->unevaluated_properties, keyword.kind});
    }
    return covered;
  }

  // False if a required name cannot be given.
  bool MakeMembers() {
    spec_.members.reserve(declared_.size());
    spec_.closed_names.reserve(declared_.size() + atoms_.forbidden.size());
    for (size_t i = 0; i < declared_.size(); ++i) {
      const std::string_view name = names_in_order_.names()[i];
      ObjectMember member;
      member.name = name;
      member.required = declared_[i].required;
      Conjunction values;
      const bool covered = AppendValues(
          &declared_[i], [&](size_t pattern) { return patterns_[pattern].keys->Accepts(name); },
          &values);
      for (const auto& [other, literal] : atoms_.member_literals) {
        if (other == name) values.push_back(literal);
      }
      member.value = merger_.Intern(std::move(values));
      const bool is_listed = covered || (member.required && !declared_[i].demanded);
      const bool possible = member.value != kNothingLocation && (!closed_ || is_listed) &&
                            (!names_ || names_->Accepts(name));
      if (possible) {
        spec_.members.push_back(member);
      } else if (member.required) {
        return false;
      }
      spec_.closed_names.push_back(name);
    }
    for (const std::string_view name : atoms_.forbidden) spec_.closed_names.push_back(name);
    return true;
  }

  void MakeCells() {
    std::vector<Cell> cells = {{names_, std::vector<bool>(patterns_.size(), false)}};
    StringLanguage& strings = merger_.strings();
    for (size_t i = 0; i < patterns_.size(); ++i) {
      std::vector<Cell> refined;
      for (const Cell& cell : cells) {
        merger_.CountWork();
        Cell inside = cell;
        inside.matched[i] = true;
        inside.keys =
            cell.keys ? strings.Intersection(cell.keys, patterns_[i].keys) : patterns_[i].keys;
        Cell outside = cell;
        outside.keys = cell.keys ? strings.Difference(cell.keys, patterns_[i].keys)
                                 : strings.ComplementOf(patterns_[i].keys);
        for (Cell* part : {&inside, &outside}) {
          if (!part->keys->IsEmpty()) refined.push_back(std::move(*part));
        }
      }
      cells = std::move(refined);
      if (cells.size() > kMaxCells) {
        ThrowFixedLimitError("the overlaps of 'patternProperties'",
                             static_cast<int64_t>(cells.size()), kMaxCells);
      }
    }
    CodePointDfaPtr undeclared;
    for (const Cell& cell : cells) {
      if (cell.keys && cell.keys->IsEmpty()) continue;
      Conjunction values;
      const bool covered = AppendValues(
          nullptr, [&](size_t pattern) { return cell.matched[pattern]; }, &values);
      if (closed_ && !covered) continue;
      FreeCell free;
      free.format = name_format_;
      free.origin = covered || names_ || !name_format_.empty() ? FreeCell::Origin::kNamed
                    : values.empty()                           ? FreeCell::Origin::kImplied
                                                               : FreeCell::Origin::kAdditional;
      free.value = merger_.Intern(std::move(values));
      if (free.value == kNothingLocation) continue;
      free.keys = cell.keys;
      if (free.keys && !spec_.closed_names.empty()) {
        if (!undeclared) undeclared = strings.AllBut(spec_.closed_names);
        free.keys = strings.Intersection(free.keys, undeclared);
        if (free.keys->IsEmpty()) continue;
      }
      spec_.cells.push_back(std::move(free));
      cell_matches_.push_back(cell.matched);
    }
  }

  // Meets clause after clause, by a declared member or by free keys, in all ways.
  void Choose(const ObjectSpec& spec, size_t clause_index, std::vector<ObjectSpec>* out) {
    if (clause_index == clauses_.size()) {
      Emit(spec, out);
      return;
    }
    constexpr size_t kSizeOfMember = 4;
    merger_.CountWork(kSizeOfMember * spec.members.size());
    const MemberClause& clause = clauses_[clause_index];
    const size_t pattern = clause_patterns_[clause_index];
    if (IsMet(spec, clause, pattern)) {
      Choose(spec, clause_index + 1, out);
      return;
    }
    for (size_t m = 0; m < spec.members.size(); ++m) {
      if (!patterns_[pattern].keys->Accepts(spec.members[m].name)) continue;
      ObjectSpec chosen = spec;
      chosen.members[m].required = true;
      if (clause.has_value)
        chosen.members[m].value = merger_.InternWith(spec.members[m].value, clause.value);
      if (chosen.members[m].value != kNothingLocation) Choose(chosen, clause_index + 1, out);
    }
    FreeClause free;
    if (clause.has_value) free.literal = clause.value;
    for (size_t c = 0; c < spec.cells.size(); ++c) {
      if (!cell_matches_[c][pattern]) continue;
      const LocationId value = clause.has_value
                                   ? merger_.InternWith(spec.cells[c].value, clause.value)
                                   : spec.cells[c].value;
      if (value != kNothingLocation) free.cell_values.emplace_back(static_cast<int32_t>(c), value);
    }
    if (free.cell_values.empty()) return;
    ObjectSpec chosen = spec;
    chosen.clauses.push_back(std::move(free));
    Choose(chosen, clause_index + 1, out);
  }

  // Whether a member that must be there meets a clause, so that no choice adds anything.
  bool IsMet(const ObjectSpec& spec, const MemberClause& clause, size_t pattern) {
    return std::any_of(spec.members.begin(), spec.members.end(), [&](const ObjectMember& member) {
      return member.required && patterns_[pattern].keys->Accepts(member.name) &&
             (!clause.has_value || merger_.InternWith(member.value, clause.value) == member.value);
    });
  }

  // Whether a key that is not declared may be there, as far as a quick look tells.
  bool MayHaveFreeKeys() const {
    return std::ranges::none_of(atoms_.groups, [&](const ScopedSchema& group) {
      const Schema& schema = *group.schema;
      return schema.pattern_properties.empty() && schema.additional_properties != kNoJson &&
             IsFalse(merger_.reader().Read(schema.additional_properties));
    });
  }

  // Turns all choices and clauses into choices of the spec. False if one cannot be met.
  bool KeepChoices() {
    std::vector<const MemberChoice*> open;
    for (const auto& choice : atoms_.choices) open.push_back(choice.get());
    std::vector<MemberChoice> single;
    single.reserve(clauses_.size());
    for (size_t i = 0; i < clauses_.size(); ++i) {
      single.push_back({{MemberWay::Kind::kSome, {}, {}, false, clauses_[i]}});
      const auto pattern = static_cast<int32_t>(clause_patterns_[i]);
      way_keys_[&single.back()[0]] = {patterns_[clause_patterns_[i]].keys, pattern};
      open.push_back(&single.back());
    }
    return ChoiceResolver(&merger_, &spec_, way_keys_, cell_matches_).Resolve(std::move(open));
  }

  void Emit(ObjectSpec spec, std::vector<ObjectSpec>* out) {
    int64_t num_required = 0;
    for (const ObjectMember& member : spec.members) num_required += member.required ? 1 : 0;
    for (const MemberClause& clause : clauses_)
      num_required += clause.keys == MemberClause::Keys::kName ? 1 : 0;
    spec.count.RaiseMin(num_required);
    if (spec.cells.empty()) spec.count.LowerMax(static_cast<int64_t>(spec.members.size()));
    if (spec.count.IsEmpty()) return;
    out->push_back(std::move(spec));
  }

  Merger& merger_;
  const Merger::Run& run_;
  const ObjectAtoms& atoms_;
  bool strict_ = false;
  bool closed_ = false;
  std::vector<Pattern> patterns_;
  std::vector<std::vector<size_t>> group_patterns_;
  std::vector<Evaluators> evaluators_;  ///< By index of ObjectAtoms::unevaluated.
  std::vector<MemberClause> clauses_;
  std::vector<size_t> clause_patterns_;
  ChoiceResolver::KeysByWay way_keys_;
  CodePointDfaPtr names_;         ///< What `propertyNames` allows; null: everything.
  std::string_view name_format_;  ///< If that is a format that has no automaton of its own.
  NameTable forbidden_;
  NameTable names_in_order_;
  std::vector<Declared> declared_;  ///< By number of the name.
  std::vector<DeclaredValue> declared_values_;
  std::vector<std::vector<bool>> cell_matches_;
  ObjectSpec spec_;
};

void Merger::FinishObject(Run* run, const ObjectAtoms& atoms) {
  ObjectFinisher(this, *run, atoms, options_.strict_mode).Finish(&run->result->objects);
}

}  // namespace xgrammar::json_schema
