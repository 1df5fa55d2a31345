// Objects. The common shapes are sequences of linear size, any order is one expression; counts and
// existence clauses in a fixed order are small state machines whose states are rules.
//
// Part of JSONSchemaConverter. Long runs of optional members become tries of their keys
// (member_trie.h). A clause ("some member satisfies this") is a bit of the machine's state, so
// their number is bounded; past the bounds the object is refused as unsupported or too large.
#include <algorithm>
#include <map>
#include <tuple>

#include "frontend/json_schema/converter.h"
#include "frontend/json_schema/member_trie.h"
#include "support/error.h"
#include "support/work_meter.h"

namespace xgrammar::json_schema {

namespace {

constexpr size_t kMaxClauses = 8;            // Existence clauses, taken in all combinations.
constexpr size_t kMaxAnyOrderClauses = 5;    // The same in any order, taken in all partitions.
constexpr size_t kMaxListedMembers = 256;    // Optional members in a row, before they make a trie.
constexpr size_t kMaxObjectStates = 200000;  // Rules of one object.

/// All partitions of a set of bits into sets that are not empty.
std::vector<std::vector<uint32_t>> PartitionsOf(uint32_t flags) {
  std::vector<std::vector<uint32_t>> partitions{{}};
  for (uint32_t rest = flags; rest != 0; rest &= rest - 1) {
    const uint32_t flag = rest & (~rest + 1);
    std::vector<std::vector<uint32_t>> larger;
    for (std::vector<uint32_t>& partition : partitions) {
      for (size_t i = 0; i < partition.size(); ++i) {
        larger.push_back(partition);
        larger.back()[i] |= flag;
      }
      partition.push_back(flag);
      larger.push_back(std::move(partition));
    }
    partitions = std::move(larger);
  }
  return partitions;
}

}  // namespace

/// Members that satisfy existence clauses, by cell of the object and set of clauses.
class FreeSteps {
 public:
  struct Step {
    ExprId member;
    uint32_t flags;  ///< The clauses that the member is there for.
  };

  FreeSteps(JSONSchemaConverter* converter, const ObjectSpec& spec, Depth depth)
      : all_flags_((uint32_t{1} << spec.clauses.size()) - 1) {
    for (const FreeCell& cell : spec.cells) {
      for (uint32_t flags = 0; flags <= all_flags_; ++flags) {
        const LocationId value = ValueWith(&converter->merger_, spec, cell, flags);
        if (value != kNothingLocation || flags == 0)
          steps_.push_back({converter->FreeMember(spec, cell, value, depth), flags});
      }
    }
  }

  uint32_t all_flags() const { return all_flags_; }
  const std::vector<Step>& steps() const { return steps_; }

 private:
  // The location of values that satisfy the clauses, too; nothing if there are none.
  static LocationId ValueWith(Merger* merger, const ObjectSpec& spec, const FreeCell& cell,
                              uint32_t flags) {
    const auto number = static_cast<int32_t>(&cell - spec.cells.data());
    LocationId value = cell.value;
    for (size_t k = 0; k < spec.clauses.size(); ++k) {
      if (((flags >> k) & 1) == 0) continue;
      const FreeClause& clause = spec.clauses[k];
      const bool is_possible =
          std::any_of(clause.cell_values.begin(), clause.cell_values.end(),
                      [&](const auto& entry) { return entry.first == number; });
      if (!is_possible) return kNothingLocation;
      if (clause.literal.id == kNoJson) continue;
      value = merger->InternWith(value, clause.literal);
      if (value == kNothingLocation) return value;
    }
    return value;
  }

  uint32_t all_flags_;
  std::vector<Step> steps_;
};

/// Members one by one in the declared order, tracking what has been seen. Each state is a rule that
/// matches the rest of the members.
class ObjectMachine {
 public:
  ObjectMachine(JSONSchemaConverter* converter, const ObjectSpec& spec, Depth depth)
      : converter_(*converter),
        builder_(converter->builder_),
        spec_(spec),
        depth_(depth),
        separator_(converter->MemberSeparator(depth)),
        free_(converter, spec, depth) {
    for (const ObjectMember& member : spec.members)
      members_.push_back(converter->Member(member, depth));
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
    size_t next = 0;     ///< First declared member not decided yet.
    int64_t count = 0;   ///< Members so far, up to the largest count that matters.
    uint32_t flags = 0;  ///< Clauses met.
    auto operator<=>(const State&) const = default;
  };

  ExprId Reference(const State& state) {
    CountWork("writing an object", 2);
    const auto [place, is_new] = rules_.try_emplace(state, -1);
    if (is_new) {
      if (rules_.size() > kMaxObjectStates) {
        ThrowFixedLimitError("the rules for the property counts or the order of an object",
                             static_cast<int64_t>(rules_.size()), kMaxObjectStates);
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
    if (state.next < spec_.members.size()) {
      State after = state;
      ++after.next;
      if (MayAddMember(state)) alternatives.push_back(Step(state, members_[state.next], after));
      if (!spec_.members[state.next].required) alternatives.push_back(Reference(after));
      return builder_.AddChoices(alternatives);
    }
    if (free_.all_flags() == 0)
      return converter_.FreeMembers(spec_, spec_.count, state.count, depth_);
    for (const FreeSteps::Step& step : free_.steps()) {
      if (!MayAddMember(state) || (step.flags & state.flags) != 0) continue;
      State after = state;
      after.flags |= step.flags;
      alternatives.push_back(Step(state, step.member, after));
    }
    const bool complete =
        state.flags == free_.all_flags() && state.count >= std::max<int64_t>(spec_.count.min, 1);
    if (complete) alternatives.push_back(builder_.AddEmpty());
    return builder_.AddChoices(alternatives);
  }

  JSONSchemaConverter& converter_;
  GrammarBuilder& builder_;
  const ObjectSpec& spec_;
  Depth depth_;
  ExprId separator_;
  FreeSteps free_;
  std::vector<ExprId> members_;
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
  const ExprId key = cell.keys || !cell.format.empty() ? ConstrainedKey(cell, depth)
                                                       : AdditionalKey(spec.closed_names, depth);
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

// Free members only, behind `before` members, counted by a repetition.
ExprId JSONSchemaConverter::FreeMembers(const ObjectSpec& spec, const CountRange& count,
                                        int64_t before, Depth depth) {
  const int64_t max = count.HasMax() ? count.max - before : kUnbounded;
  const int64_t min = std::max<int64_t>(count.min - before, before == 0 ? 1 : 0);
  if (spec.cells.empty() || max == 0) return min > 0 ? builder_.AddNothing() : builder_.AddEmpty();
  if (max != kUnbounded && max < min) return builder_.AddNothing();
  const ExprId member = AnyFreeMember(spec, depth);
  const ExprId next = builder_.AddSequence({MemberSeparator(depth), member});
  if (before > 0) return builder_.AddRepeat(next, min, max);
  return builder_.AddSequence(
      {member, builder_.AddRepeat(next, min - 1, max == kUnbounded ? max : max - 1)});
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

// Whether so many optional members may follow one another that listing them costs too much.
static bool HasLongRun(const ObjectSpec& spec) {
  size_t run = 0;
  for (const ObjectMember& member : spec.members) {
    run = member.required ? 0 : run + 1;
    if (run > kMaxListedMembers) return true;
  }
  return false;
}

ExprId JSONSchemaConverter::ObjectBody(const ObjectSpec& spec, Depth depth) {
  const bool has_required = std::any_of(spec.members.begin(), spec.members.end(),
                                        [](const ObjectMember& m) { return m.required; });
  const bool may_lack_all = std::ranges::all_of(spec.choices, [](const ObjectChoice& choice) {
    return std::ranges::any_of(choice.ways, [](const ObjectChoice::Way& way) {
      return way.kind == ObjectChoice::Kind::kAbsent;
    });
  });
  const bool may_be_empty =
      spec.count.min == 0 && !has_required && spec.clauses.empty() && may_lack_all;
  const bool may_have_members = !(spec.members.empty() && spec.cells.empty()) &&
                                !(spec.count.HasMax() && spec.count.max == 0);
  std::vector<ExprId> alternatives;
  if (may_be_empty) alternatives.push_back(EmptyObject(depth));
  if (may_have_members) {
    const bool any_order = options_.any_order && !spec.members.empty() &&
                           !(spec.members.size() == 1 && spec.cells.empty());
    const size_t max_clauses = any_order ? kMaxAnyOrderClauses : kMaxClauses;
    if (spec.clauses.size() > max_clauses) {
      throw Error(ErrorKind::kUnsupported, "complements or dependencies need more than " +
                                               std::to_string(max_clauses) +
                                               " 'some member' conditions on one object");
    }
    ExprId members = kNoExpr;
    if (any_order) {
      members = AnyOrderMembers(spec, depth);
    } else if (!spec.choices.empty()) {
      members = ChosenMembers(spec, CountsMatter(spec), depth);
    } else if (!spec.clauses.empty() || CountsMatter(spec)) {
      members = ObjectMachine(this, spec, depth).Build();
    } else if (HasLongRun(spec)) {
      members = SortedMembers(spec, depth);
    } else {
      members = has_required ? OrderedObject(spec, depth) : OptionalMembers(spec, depth);
    }
    alternatives.push_back(builder_.AddSequence({OpenObject(depth), members, CloseObject(depth)}));
  }
  return builder_.AddChoices(alternatives);
}

ExprId JSONSchemaConverter::AnyOrderMembers(const ObjectSpec& spec, Depth depth) {
  std::vector<ExprId> parts;
  for (const ObjectMember& member : spec.members) {
    const ExprId expr = Member(member, depth);
    parts.push_back(member.required ? expr : builder_.AddOptional(expr));
  }
  const FreeSteps free(this, spec, depth);
  for (const FreeSteps::Step& step : free.steps()) {
    if (step.flags == 0) parts.push_back(builder_.AddStar(step.member));
  }
  const ExprId separator = MemberSeparator(depth);
  const int64_t min = std::max<int64_t>(spec.count.min, 1);
  const int64_t max = spec.count.HasMax() ? spec.count.max : kUnbounded;
  // One member may be there for several clauses: for each way of sharing them out, each group of
  // clauses is a part of its own.
  std::vector<ExprId> alternatives;
  for (const std::vector<uint32_t>& groups : PartitionsOf(free.all_flags())) {
    std::vector<ExprId> all = parts;
    for (const uint32_t group : groups) {
      std::vector<ExprId> members;
      for (const FreeSteps::Step& step : free.steps()) {
        if (step.flags == group) members.push_back(step.member);
      }
      all.push_back(builder_.AddChoices(members));
    }
    alternatives.push_back(builder_.AddAnyOrder(separator, all, min, max));
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

// A rule for what may follow each member: the end, if nothing required is left, or a separator and
// one of the members up to the next required one.
ExprId JSONSchemaConverter::SortedMembers(const ObjectSpec& spec, Depth depth) {
  const ExprId separator = MemberSeparator(depth);
  MemberTrie trie(&builder_, ContainerRuleKind(depth));
  ExprId rest = builder_.AddEmpty();
  ExprId free_members = builder_.AddNothing();
  if (!spec.cells.empty()) {
    const ExprId member = AnyFreeMember(spec, depth);
    rest = builder_.AddStar(builder_.AddSequence({separator, member}));
    free_members = builder_.AddSequence({member, rest});
  }
  int32_t next = MemberTrie::kEmpty;
  bool may_end = true;
  for (size_t i = spec.members.size(); i-- > 0;) {
    if (spec.members[i].required) {
      next = MemberTrie::kEmpty;
      may_end = false;
    }
    next = trie.Add(next, Member(spec.members[i], depth), rest);
    ExprId more = trie.Reference(next);
    if (may_end) more = builder_.AddChoices({more, free_members});
    if (i == 0) return more;
    // As a choice, not a repetition, the next member is in tail position, and the stack stays flat.
    ExprId body = builder_.AddSequence({separator, more});
    if (may_end) body = builder_.AddChoices({builder_.AddEmpty(), body});
    rest = builder_.AddRuleRef(builder_.AddRuleWithHint("rest", body, ContainerRuleKind(depth)));
  }
  return free_members;
}

}  // namespace xgrammar::json_schema
