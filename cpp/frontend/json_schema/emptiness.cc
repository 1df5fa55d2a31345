// Questions whose answers keep disjunctive normal forms small: is a location empty, do two schemas
// exclude one another?
//
// The answers are one-sided: "yes" is proved by a search of bounded depth through expanded
// locations (contradictory bounds, disjoint values, a required member without a value), "no" may
// mean "not known". Exactness never depends on them.
#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "frontend/json_schema/merge.h"

namespace xgrammar::json_schema {

namespace {

// Questions inside questions; beyond it the answer is "not known".
constexpr int kMaxQuestions = 6;

// Values of a property and pairs of properties that are compared one by one.
constexpr size_t kMaxComparedValues = 16;
constexpr size_t kMaxComparedMembers = 64;

// How many levels of members and items are searched.
constexpr int kSearchDepth = 3;

/// The only text that a pattern matches, if it is one between ^ and $.
std::optional<std::string> TextOfPattern(std::string_view pattern) {
  constexpr std::string_view kSyntax = "^$\\.*+?()[]{}|/";
  if (pattern.size() < 2 || pattern.front() != '^' || pattern.back() != '$') return std::nullopt;
  pattern = pattern.substr(1, pattern.size() - 2);
  std::string text;
  for (size_t i = 0; i < pattern.size(); ++i) {
    const bool is_syntax = kSyntax.find(pattern[i]) != std::string_view::npos;
    if (pattern[i] == '\\') {
      const bool is_escaped = ++i < pattern.size() && kSyntax.find(pattern[i]) != kSyntax.npos;
      if (!is_escaped) return std::nullopt;
    } else if (is_syntax && pattern[i] != '/') {
      return std::nullopt;
    }
    text.push_back(pattern[i]);
  }
  return text;
}

}  // namespace

// The number of the only string that the pattern of a schema matches, if there is such a one.
std::optional<int32_t> Merger::OnlyMatchOf(const Schema& schema) {
  if (schema.pattern == kNoJson) return std::nullopt;
  const std::optional<std::string> text = TextOfPattern(reader_.document().text(schema.pattern));
  if (!text) return std::nullopt;
  return evaluator_.KeyNumberOfText(*text);
}

// The properties of a schema that have a fixed set of values.
const std::vector<Merger::Discriminator>& Merger::DiscriminatorsOf(const Schema& schema) {
  const auto [place, is_new] = discriminators_.try_emplace(schema.id);
  if (!is_new) return place->second;
  for (const NamedSchema& property : schema.properties) {
    const Schema& expected = reader_.Read(reader_.SkipReferences(property.schema));
    const bool is_const = expected.const_value != kNoJson;
    const bool is_listing = is_const || expected.enum_values != kNoJson;
    std::optional<int32_t> match;
    if (!is_listing && expected.types == kStringBit) match = OnlyMatchOf(expected);
    if (!is_listing && !match) continue;
    Discriminator found;
    found.name = property.name;
    found.required = std::find(schema.required.begin(), schema.required.end(), property.name) !=
                     schema.required.end();
    const auto values = match      ? std::span<const JsonId>()
                        : is_const ? std::span(&expected.const_value, 1)
                                   : reader_.document().items(expected.enum_values);
    if (values.size() > kMaxComparedValues) continue;
    for (const JsonId value : values) found.values.push_back(evaluator_.KeyNumber(value));
    if (match) found.values.push_back(*match);
    place->second.push_back(std::move(found));
  }
  return place->second;
}

// Whether two schemas ask for one member with different values, which is how alternatives mostly
// exclude one another.
bool Merger::DifferInMember(const Literal& a, const Literal& b, const Names& required) {
  const auto is_positive = [](const Literal& literal) {
    return literal.kind == LiteralKind::kSchema || literal.kind == LiteralKind::kPlainSchema;
  };
  if (!is_positive(a) || !is_positive(b)) return false;
  const Schema& first = reader_.Read(reader_.SkipReferences(a.id));
  const Schema& second = reader_.Read(reader_.SkipReferences(b.id));
  if (first.is_boolean || second.is_boolean) return false;
  const std::vector<Discriminator>& ours = DiscriminatorsOf(first);
  const std::vector<Discriminator>& theirs = DiscriminatorsOf(second);
  if (ours.size() * theirs.size() > kMaxComparedMembers) return false;
  const auto is_in = [](const Names& list, std::string_view name) {
    return std::find(list.begin(), list.end(), name) != list.end();
  };
  for (const Discriminator& one : ours) {
    for (const Discriminator& other : theirs) {
      if (one.name != other.name) continue;
      const bool is_needed = one.required || other.required || is_in(required, one.name);
      if (!is_needed) continue;
      const bool share = std::ranges::any_of(one.values, [&](int32_t value) {
        return std::ranges::find(other.values, value) != other.values.end();
      });
      if (!share) return true;
    }
  }
  return false;
}

// A question that is being searched. The outermost one is given up where the search takes long: not
// to know costs less then.
class Merger::Question {
 public:
  explicit Question(Merger* merger) : merger_(*merger) {
    constexpr int64_t kMaxWork = 2000;
    if (merger_.nesting_++ == 0) merger_.question_end_ = merger_.work_count_ + kMaxWork;
  }
  ~Question() {
    if (--merger_.nesting_ == 0) merger_.question_end_ = kNoQuestionEnd;
  }
  Question(const Question&) = delete;
  Question& operator=(const Question&) = delete;

  /// What `search` answers; no if it is given up.
  template <typename Search>
  static bool Ask(Merger* merger, const Search& search) {
    if (merger->nesting_ >= kMaxQuestions) return false;
    try {
      const Question question(merger);
      return search();
    } catch (const QuestionGivenUp&) {
      if (merger->nesting_ > 0) throw;
      return false;
    }
  }

 private:
  Merger& merger_;
};

bool Merger::AreDisjoint(const Literal& a, const Literal& b, InstanceType type,
                         const Names& required) {
  if (type == InstanceType::kObject && DifferInMember(a, b, required)) return true;
  const Conjunction pair =
      a.id <= b.id ? Conjunction{a, b} : Conjunction{b, a};  // Each pair has one key.
  const auto search = [&](const Names& names) {
    return Question::Ask(this, [&] {
      const LocationId location = Intern(pair);
      if (location == kNothingLocation) return true;
      const Expansion* expansion = location == kAnyLocation ? nullptr : TryExpand(location);
      return expansion && AllowsNone(*expansion, type, kSearchDepth, names);
    });
  };
  Answers& answers = disjoint_[static_cast<size_t>(type)];
  const auto known = answers.find(pair);
  if (known != answers.end()) {
    if (known->second) return true;
  } else if (nesting_ < kMaxQuestions) {
    // Asked again while it is being answered (recursive schemas): not known.
    answers.emplace(pair, false);
    if (search({})) return answers[pair] = true;
  }
  return type == InstanceType::kObject && !required.empty() && search(required);
}

// The names that objects of the branch have: those of what has been applied, and of the conjuncts
// that still have to be, as far as a quick look finds them. Mostly the part that alternatives have
// in common is written behind them.
Merger::Names Merger::RequiredBy(const Run& run, const Work& work) {
  constexpr size_t kMaxLooked = 32;
  const ObjectAtoms& object = work.branch.object;
  Names names = object.required;
  names.insert(names.end(), object.required_anywhere.begin(), object.required_anywhere.end());
  if (run.type != InstanceType::kObject) return names;
  const auto is_conjunct = [](const Step& step) {
    return step.kind == Step::Kind::kRef || step.kind == Step::Kind::kAllOfMember;
  };
  std::vector<JsonId> ahead;
  int32_t at = work.tasks;
  for (size_t n = 0; at >= 0 && n < kMaxLooked; ++n) {
    const Task& task = run.tasks[static_cast<size_t>(at)];
    if (task.step ? is_conjunct(*task.step)
                  : task.literal.kind == LiteralKind::kSchema ||
                        task.literal.kind == LiteralKind::kPlainSchema)
      ahead.push_back(task.step ? task.step->value : task.literal.id);
    at = task.next;
  }
  for (size_t i = 0; i < ahead.size() && i < kMaxLooked; ++i) {
    const Schema& schema = reader_.Read(reader_.SkipReferences(ahead[i]));
    names.insert(names.end(), schema.required.begin(), schema.required.end());
    for (const Step& step : schema.steps) {
      if (is_conjunct(step)) ahead.push_back(step.value);
    }
  }
  return names;
}

// Whether the values of required members are still possible. Only a quick look, to cut hopeless
// branches early.
bool Merger::MembersPossible(const Work& work, const Names& names) {
  const ObjectAtoms& object = work.branch.object;
  const auto is_in = [](const Names& list, std::string_view name) {
    return std::find(list.begin(), list.end(), name) != list.end();
  };
  for (const std::string_view name : names) {
    if (!is_in(object.required, name) && !is_in(object.required_anywhere, name)) continue;
    Conjunction literals;
    for (const ScopedSchema& group : object.groups) {
      JsonId schema = reader_.FindProperty(*group.schema, name);
      if (schema == kNoJson && group.schema->pattern_properties.empty()) {
        schema = group.schema->additional_properties;
        if (schema != kNoJson && IsFalse(reader_.Read(schema))) return false;
      }
      if (schema != kNoJson) literals.push_back({schema, group.kind});
    }
    for (const auto& [other, literal] : object.member_literals) {
      if (other == name) literals.push_back(literal);
    }
    if (literals.size() < 2) continue;
    if (Question::Ask(this, [&] { return IsEmpty(Intern(literals), 1); })) return false;
  }
  return true;
}

bool Merger::IsSurelyEmpty(LocationId location) {
  return Question::Ask(this, [&] { return IsEmpty(location, 1); });
}

// The required names that a group of members may have made impossible, or all names that it speaks
// of, where they are fewer: lists of conditions come to many small groups with many names required.
Merger::Names Merger::NamesToCheck(const Work& work, const Schema& group) {
  const Names& required = work.branch.object.required;
  if (group.additional_properties != kNoJson) return required;
  if (group.properties.size() + group.required.size() >= required.size()) return required;
  Names names = group.required;
  for (const NamedSchema& property : group.properties) names.push_back(property.name);
  return names;
}

// The value that a member must have if it is there, as far as one of the branch's schemas says so
// with `const`; else kNoJson.
JsonId Merger::KnownValue(const Work& work, std::string_view name) {
  const ObjectAtoms& object = work.branch.object;
  const auto value_of = [&](JsonId id) {
    const Schema& schema = reader_.Read(reader_.SkipReferences(id));
    if (schema.const_value != kNoJson || schema.enum_values == kNoJson) return schema.const_value;
    const auto values = reader_.document().items(schema.enum_values);
    return values.size() == 1 ? values[0] : kNoJson;
  };
  for (const ScopedSchema& group : object.groups) {
    const JsonId schema = reader_.FindProperty(*group.schema, name);
    const JsonId value = schema == kNoJson ? kNoJson : value_of(schema);
    if (value != kNoJson) return value;
  }
  for (const auto& [other, literal] : object.member_literals) {
    if (other != name || literal.kind == LiteralKind::kNotSchema ||
        literal.kind == LiteralKind::kNotConst)
      continue;
    const JsonId value = literal.kind == LiteralKind::kConst ? literal.id : value_of(literal.id);
    if (value != kNoJson) return value;
  }
  return kNoJson;
}

// Whether a condition is decided by a member whose value is known. Lists of conditions on one
// property (`if` its value is this, `then` ...) are so walked in linear time once the value has
// been chosen.
Merger::Verdict Merger::Decide(const Work& work, const Schema& schema) {
  if (schema.is_boolean) return schema.boolean_value ? Verdict::kHolds : Verdict::kFails;
  if ((schema.types & kObjectBit) == 0) return Verdict::kFails;
  const ObjectAtoms& object = work.branch.object;
  const auto is_in = [](const Names& list, std::string_view name) {
    return std::find(list.begin(), list.end(), name) != list.end();
  };
  const auto is_present = [&](std::string_view name) {
    return is_in(object.required, name) || is_in(object.required_anywhere, name);
  };
  bool is_complete = schema.enum_values == kNoJson && schema.const_value == kNoJson &&
                     schema.pattern_properties.empty() && schema.additional_properties == kNoJson &&
                     schema.property_names == kNoJson && schema.property_count.IsTrivial() &&
                     !schema.HasUnevaluated() &&
                     std::all_of(schema.steps.begin(), schema.steps.end(), [](const Step& step) {
                       return step.kind == Step::Kind::kObjectGroup;
                     });
  for (const std::string_view name : schema.required) {
    if (is_in(object.forbidden, name)) return Verdict::kFails;
    is_complete = is_complete && is_present(name);
  }
  for (const NamedSchema& property : schema.properties) {
    if (is_in(object.forbidden, property.name)) continue;
    const Schema& expected = reader_.Read(reader_.SkipReferences(property.schema));
    const bool lists_values = expected.enum_values != kNoJson || expected.const_value != kNoJson;
    const JsonId value = lists_values ? KnownValue(work, property.name) : kNoJson;
    if (value == kNoJson) {
      is_complete = is_complete && expected.IsTrivial();
    } else if (!evaluator_.Satisfies({expected.id, LiteralKind::kPlainSchema}, value)) {
      if (is_present(property.name)) return Verdict::kFails;
      is_complete = false;
    }
  }
  return is_complete ? Verdict::kHolds : Verdict::kOpen;
}

// Null if it cannot be had: a question is no use, and what cannot be enforced here may never be
// needed.
const Expansion* Merger::TryExpand(LocationId location) {
  try {
    return &Expand(location);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kUnsupported) throw;
    return nullptr;
  }
}

bool Merger::IsEmptyString(const StringConstraint& string) {
  if (string.atoms.empty() || strings_.IsSubset(string)) return false;
  const CodePointDfaPtr dfa = strings_.WithoutLength(string, kNoJson);
  return dfa && dfa->IsEmpty();
}

// Whether an item that must be there has no value.
bool Merger::IsEmptyArray(const ArraySpec& array, int depth) {
  for (int64_t i = 0; i < array.count.min; ++i) {
    const bool in_prefix = i < static_cast<int64_t>(array.prefix.size());
    if (IsEmpty(in_prefix ? array.prefix[static_cast<size_t>(i)] : array.rest, depth - 1))
      return true;
    if (!in_prefix) break;
  }
  return false;
}

// Whether a member that must be there has no value.
bool Merger::IsEmptyObject(const ObjectSpec& object, int depth, const Names& required) {
  const bool has_empty =
      std::any_of(object.members.begin(), object.members.end(), [&](const ObjectMember& member) {
        const bool needed = member.required || std::find(required.begin(), required.end(),
                                                         member.name) != required.end();
        return needed && IsEmpty(member.value, depth - 1);
      });
  // A name that may not be a free key and is no member has no value left.
  return has_empty || std::any_of(required.begin(), required.end(), [&](std::string_view name) {
           return std::find(object.closed_names.begin(), object.closed_names.end(), name) !=
                      object.closed_names.end() &&
                  std::none_of(object.members.begin(), object.members.end(),
                               [&](const ObjectMember& member) { return member.name == name; });
         });
}

bool Merger::AllowsNone(const Expansion& expansion, InstanceType type, int depth,
                        const Names& required) {
  const bool has_value = std::any_of(
      expansion.values.begin(), expansion.values.end(),
      [&](JsonId value) { return Evaluator::TypeOf(reader_.document(), value) == type; });
  if (has_value) return false;
  switch (type) {
    case InstanceType::kNull:
      return !expansion.allows_null;
    case InstanceType::kBoolean:
      return !expansion.allows_true && !expansion.allows_false;
    case InstanceType::kNumber:
      return std::ranges::all_of(expansion.numbers, &NumberConstraint::IsPlainlyEmpty);
    case InstanceType::kString:
      return std::ranges::all_of(expansion.strings,
                                 [&](const StringConstraint& one) { return IsEmptyString(one); });
    case InstanceType::kArray:
      return std::ranges::all_of(expansion.arrays,
                                 [&](const ArraySpec& one) { return IsEmptyArray(one, depth); });
    case InstanceType::kObject:
      return std::ranges::all_of(expansion.objects, [&](const ObjectSpec& one) {
        return IsEmptyObject(one, depth, required);
      });
  }
  return false;
}

bool Merger::IsEmpty(LocationId location, int depth) {
  if (location == kNothingLocation) return true;
  if (location == kAnyLocation || depth == 0 || HasWitness(location)) return false;
  const Expansion* expansion = TryExpand(location);
  if (!expansion) return false;
  for (int i = 0; i < kNumInstanceTypes; ++i) {
    if (!AllowsNone(*expansion, static_cast<InstanceType>(i), depth, {})) return false;
  }
  return true;
}

}  // namespace xgrammar::json_schema
