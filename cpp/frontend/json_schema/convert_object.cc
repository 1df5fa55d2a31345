// Objects. The common shapes are sequences of linear size; counts, any order and existence clauses
// are small state machines whose states are rules.
#include <algorithm>
#include <map>
#include <tuple>

#include "frontend/json_schema/converter.h"
#include "support/error.h"

namespace xgrammar::json_schema {

namespace {

constexpr size_t kMaxAnyOrderNames = 8;  // 2^n states until the parser tracks sets of seen names.
constexpr size_t kMaxClauses = 8;        // Existence clauses, taken in all combinations.
constexpr size_t kMaxObjectStates = 200000;  // Rules of one object.

}  // namespace

/// Members one by one, tracking what has been seen. Each state is a rule that matches the rest of
/// the members.
class ObjectMachine {
 public:
  ObjectMachine(JSONSchemaConverter* converter, const ObjectSpec& spec, Depth depth, bool any_order)
      : converter_(*converter),
        builder_(converter->builder_),
        spec_(spec),
        depth_(depth),
        any_order_(any_order),
        separator_(converter->MemberSeparator(depth)) {
    for (const ObjectMember& member : spec.members)
      members_.push_back(converter->Member(member, depth));
    for (size_t i = 0; i < spec.members.size() && any_order; ++i) {
      if (spec.members[i].required) required_mask_ |= uint64_t{1} << i;
    }
    all_flags_ = (uint32_t{1} << spec.clauses.size()) - 1;
    MakeFreeSteps();
  }

  /// One or more members.
  ExprId Build() {
    const ExprId start = Reference({});
    while (!pending_.empty()) {
      const auto [state, rule] = pending_.back();
      pending_.pop_back();
      builder_.SetBody(rule, Body(state));
    }
    return start;
  }

 private:
  struct State {
    size_t next = 0;     ///< First declared member not decided yet (fixed order).
    uint64_t seen = 0;   ///< Declared members seen (any order).
    int64_t count = 0;   ///< Members so far, up to the largest count that matters.
    uint32_t flags = 0;  ///< Clauses met.
    auto operator<=>(const State&) const = default;
  };
  struct FreeStep {
    ExprId member;
    uint32_t flags;
  };

  void MakeFreeSteps() {
    Merger& merger = converter_.merger_;
    for (size_t c = 0; c < spec_.cells.size(); ++c) {
      for (uint32_t flags = 0; flags <= all_flags_; ++flags) {
        LocationId value = spec_.cells[c].value;
        bool possible = true;
        for (size_t k = 0; k < spec_.clauses.size() && possible; ++k) {
          if (((flags >> k) & 1) == 0) continue;
          const FreeClause& clause = spec_.clauses[k];
          possible =
              std::any_of(clause.cell_values.begin(), clause.cell_values.end(),
                          [&](const auto& entry) { return static_cast<size_t>(entry.first) == c; });
          if (!possible || clause.literal.id == kNoJson) continue;
          Conjunction literals = merger.conjunction(value);
          literals.push_back(clause.literal);
          value = merger.Intern(std::move(literals));
          possible = value != kNothingLocation;
        }
        if (possible) {
          free_steps_.push_back(
              {converter_.FreeMember(spec_, spec_.cells[c], value, depth_), flags});
        }
      }
    }
  }

  ExprId Reference(const State& state) {
    const auto [place, is_new] = rules_.try_emplace(state, -1);
    if (is_new) {
      if (rules_.size() > kMaxObjectStates) {
        ThrowLimitError("max_rules", static_cast<int64_t>(rules_.size()), kMaxObjectStates,
                        "the property counts or the order of an object");
      }
      place->second = builder_.AddRule(builder_.UnusedName("members"));
      pending_.emplace_back(state, place->second);
    }
    return builder_.AddRuleRef(place->second);
  }

  int64_t CountAfter(int64_t count) const {
    if (spec_.count.HasMax()) return count + 1;
    return std::min(count + 1, std::max<int64_t>(spec_.count.min, 1));
  }
  bool MayAddMember(const State& state) const {
    return !spec_.count.HasMax() || state.count < spec_.count.max;
  }

  ExprId Step(const State& state, ExprId member, State after) {
    after.count = CountAfter(state.count);
    const ExprId separator = state.count > 0 ? separator_ : builder_.AddEmpty();
    return builder_.AddSequence({separator, member, Reference(after)});
  }

  ExprId Body(const State& state) {
    std::vector<ExprId> alternatives;
    const bool at_free = any_order_ || state.next == spec_.members.size();
    if (any_order_) {
      for (size_t i = 0; i < members_.size() && MayAddMember(state); ++i) {
        if (((state.seen >> i) & 1) != 0) continue;
        State after = state;
        after.seen |= uint64_t{1} << i;
        alternatives.push_back(Step(state, members_[i], after));
      }
    } else if (!at_free) {
      State after = state;
      ++after.next;
      if (MayAddMember(state)) alternatives.push_back(Step(state, members_[state.next], after));
      if (!spec_.members[state.next].required) alternatives.push_back(Reference(after));
    }
    if (at_free && !any_order_ && all_flags_ == 0) return FreeTail(state.count);
    if (at_free) {
      for (const FreeStep& step : free_steps_) {
        if (!MayAddMember(state) || (step.flags & state.flags) != 0) continue;
        State after = state;
        after.flags |= step.flags;
        alternatives.push_back(Step(state, step.member, after));
      }
      const bool complete = state.flags == all_flags_ &&
                            state.count >= std::max<int64_t>(spec_.count.min, 1) &&
                            (state.seen & required_mask_) == required_mask_;
      if (complete) alternatives.push_back(builder_.AddEmpty());
    }
    return builder_.AddChoices(alternatives);
  }

  // Free members only, counted by a repetition.
  ExprId FreeTail(int64_t count) {
    const int64_t max = spec_.count.HasMax() ? spec_.count.max - count : kUnbounded;
    const int64_t min = std::max<int64_t>(spec_.count.min - count, count == 0 ? 1 : 0);
    if (free_steps_.empty() || max == 0)
      return min > 0 ? builder_.AddNothing() : builder_.AddEmpty();
    if (max != kUnbounded && max < min) return builder_.AddNothing();
    const ExprId member = converter_.AnyFreeMember(spec_, depth_);
    const ExprId next = builder_.AddSequence({separator_, member});
    if (count > 0) return builder_.AddRepeat(next, min, max);
    return builder_.AddSequence(
        {member, builder_.AddRepeat(next, min - 1, max == kUnbounded ? max : max - 1)});
  }

  JSONSchemaConverter& converter_;
  GrammarBuilder& builder_;
  const ObjectSpec& spec_;
  Depth depth_;
  bool any_order_;
  ExprId separator_;
  std::vector<ExprId> members_;
  std::vector<FreeStep> free_steps_;
  uint64_t required_mask_ = 0;
  uint32_t all_flags_ = 0;
  std::map<State, RuleId> rules_;
  std::vector<std::pair<State, RuleId>> pending_;
};

ExprId JSONSchemaConverter::DeclaredMember(std::string_view name, ExprId value, Depth depth) {
  return builder_.AddSequence({DeclaredKey(name, depth), KeySeparator(depth), value});
}

ExprId JSONSchemaConverter::Member(const ObjectMember& member, Depth depth) {
  return DeclaredMember(member.name, LocationRef(member.value, MemberDepth(depth)), depth);
}

ExprId JSONSchemaConverter::FreeMember(const ObjectSpec& spec, const FreeCell& cell,
                                       LocationId value, Depth depth) {
  const ExprId key =
      cell.keys ? ConstrainedKey(cell, depth) : AdditionalKey(spec.closed_names, depth);
  return builder_.AddSequence({key, KeySeparator(depth), LocationRef(value, MemberDepth(depth))});
}

ExprId JSONSchemaConverter::AnyFreeMember(const ObjectSpec& spec, Depth depth) {
  std::vector<ExprId> alternatives;
  for (const FreeCell& cell : spec.cells)
    alternatives.push_back(FreeMember(spec, cell, cell.value, depth));
  const ExprId choices = builder_.AddChoices(alternatives);
  if (alternatives.size() < 2) return choices;
  return builder_.AddRuleRef(builder_.AddRuleWithHint("member", choices, ContainerRuleKind(depth)));
}

// Whether the bounds say more than the declared names already do.
static bool CountsMatter(const ObjectSpec& spec) {
  int64_t num_required = 0;
  for (const ObjectMember& member : spec.members) num_required += member.required ? 1 : 0;
  const bool max_matters =
      spec.count.HasMax() &&
      (!spec.cells.empty() || spec.count.max < static_cast<int64_t>(spec.members.size()));
  // A minimum of one only forbids the empty object, which is an alternative of its own.
  return max_matters || spec.count.min > std::max<int64_t>(num_required, 1);
}

ExprId JSONSchemaConverter::ObjectBody(const ObjectSpec& spec, Depth depth) {
  const bool has_required = std::any_of(spec.members.begin(), spec.members.end(),
                                        [](const ObjectMember& m) { return m.required; });
  const bool may_be_empty = spec.count.min == 0 && !has_required && spec.clauses.empty();
  const bool may_have_members = !(spec.members.empty() && spec.cells.empty()) &&
                                !(spec.count.HasMax() && spec.count.max == 0);
  std::vector<ExprId> alternatives;
  if (may_be_empty) alternatives.push_back(EmptyObject(depth));
  if (may_have_members) {
    const bool any_order = options_.any_order && !spec.members.empty() &&
                           !(spec.members.size() == 1 && spec.cells.empty());
    if (any_order && spec.members.size() > kMaxAnyOrderNames) {
      Error error(ErrorKind::kUnsupported,
                  "any_order=True: an object declares " + std::to_string(spec.members.size()) +
                      " names, at most " + std::to_string(kMaxAnyOrderNames) + " are supported");
      error.Feature("any_order");
      error.Hint("use any_order=False, where properties come in declared order");
      throw error;
    }
    if (spec.clauses.size() > kMaxClauses) {
      throw Error(
          ErrorKind::kUnsupported,
          "complements or dependencies need more than 8 'some member' conditions on one object");
    }
    ExprId members = kNoExpr;
    if (any_order || !spec.clauses.empty() || CountsMatter(spec)) {
      members = ObjectMachine(this, spec, depth, any_order).Build();
    } else {
      members = has_required ? OrderedObject(spec, depth) : OptionalMembers(spec, depth);
    }
    alternatives.push_back(builder_.AddSequence({OpenObject(depth), members, CloseObject(depth)}));
  }
  return builder_.AddChoices(alternatives);
}

// With a required member the separators hang on it: optional ones before it carry a separator after
// themselves, all members behind it carry one before.
ExprId JSONSchemaConverter::OrderedObject(const ObjectSpec& spec, Depth depth) {
  const ExprId separator = MemberSeparator(depth);
  std::vector<ExprId> parts;
  bool seen_required = false;
  for (const ObjectMember& member : spec.members) {
    const ExprId expr = Member(member, depth);
    if (seen_required) {
      const ExprId with_separator = builder_.AddSequence({separator, expr});
      parts.push_back(member.required ? with_separator : builder_.AddOptional(with_separator));
    } else if (member.required) {
      parts.push_back(expr);
      seen_required = true;
    } else {
      parts.push_back(builder_.AddOptional(builder_.AddSequence({expr, separator})));
    }
  }
  if (!spec.cells.empty()) {
    parts.push_back(
        builder_.AddStar(builder_.AddSequence({separator, AnyFreeMember(spec, depth)})));
  }
  return builder_.AddSequence(parts);
}

// Without a required member the first one present is chosen; what may follow it is a chain of
// rules, one per name.
ExprId JSONSchemaConverter::OptionalMembers(const ObjectSpec& spec, Depth depth) {
  const ExprId separator = MemberSeparator(depth);
  ExprId rest = builder_.AddEmpty();
  std::vector<ExprId> alternatives;
  if (!spec.cells.empty()) {
    const ExprId member = AnyFreeMember(spec, depth);
    rest = builder_.AddStar(builder_.AddSequence({separator, member}));
    alternatives.push_back(builder_.AddSequence({member, rest}));
  }
  for (size_t i = spec.members.size(); i-- > 0;) {
    const ExprId member = Member(spec.members[i], depth);
    alternatives.push_back(builder_.AddSequence({member, rest}));
    if (i == 0) break;
    const ExprId here = builder_.AddOptional(builder_.AddSequence({separator, member}));
    const ExprId body = builder_.AddSequence({here, rest});
    rest = builder_.AddRuleRef(builder_.AddRuleWithHint("rest", body));
  }
  std::reverse(alternatives.begin(), alternatives.end());
  return builder_.AddChoices(alternatives);
}

}  // namespace xgrammar::json_schema
