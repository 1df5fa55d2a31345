// Objects with choices ("this member is missing, or that one violates this, or ..."): a state
// machine over the members in their order that remembers which choices have been met.
//
// Part of JSONSchemaConverter. A choice is remembered up to the last member that can meet it, so
// states stay few where choices are about members that stand together. A member is written once for
// each set of choices that one value of it meets. States are written from the last member to the
// first, and equal ones are one rule, also across objects (minimisation of acyclic automata by
// hashing: Revuz 1992). What choices mean is finish_choices.h.
#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <span>
#include <utility>

#include "frontend/json_schema/converter.h"
#include "support/error.h"
#include "support/work_meter.h"

namespace xgrammar::json_schema {

namespace {

constexpr size_t kMaxChoices = 128;    // Of one object.
constexpr size_t kMaxLiterals = 12;    // About one member, taken in all combinations.
constexpr size_t kMaxStates = 100000;  // Of one object.

/// A set of choices.
class Flags {
 public:
  void Add(size_t choice) { words_[choice / 64] |= uint64_t{1} << (choice % 64); }
  bool IsEmpty() const { return words_ == std::array<uint64_t, 2>{}; }
  Flags& operator|=(const Flags& other) {
    for (size_t i = 0; i < words_.size(); ++i) words_[i] |= other.words_[i];
    return *this;
  }
  Flags Without(const Flags& other) const {
    Flags result = *this;
    for (size_t i = 0; i < words_.size(); ++i) result.words_[i] &= ~other.words_[i];
    return result;
  }
  auto operator<=>(const Flags&) const = default;

 private:
  std::array<uint64_t, kMaxChoices / 64> words_{};
};

}  // namespace

class ChoiceMachine {
 public:
  ChoiceMachine(JSONSchemaConverter* converter, const ObjectSpec& spec, bool counts, Depth depth)
      : converter_(*converter),
        builder_(converter->builder_),
        spec_(spec),
        count_(counts ? spec.count : CountRange()),
        depth_(depth),
        separator_(converter->MemberSeparator(depth)) {
    if (spec.choices.size() > kMaxChoices) {
      ThrowFixedLimitError("the complements that members of one object have to meet",
                           static_cast<int64_t>(spec.choices.size()), kMaxChoices);
    }
    FindSteps();
    FindOver();
  }

  /// One or more members.
  ExprId Build() {
    states_.resize(spec_.members.size() + 1);
    State start;
    if (!IsPossible(0, start)) return builder_.AddNothing();
    states_[0].emplace(start, kNoExpr);
    for (size_t next = 0; next < spec_.members.size(); ++next) {
      for (const auto& [state, expr] : states_[next]) {
        for (const auto& [member, after] : Successors(next, state)) Note(next + 1, after);
      }
    }
    WriteFreeStates();
    for (size_t next = spec_.members.size(); next-- > 0;) {
      for (auto& [state, expr] : states_[next]) expr = BodyOf(next, state);
    }
    const ExprId all = states_[0].begin()->second;
    return all == kNoExpr ? builder_.AddNothing() : all;
  }

 private:
  // A member with a value that meets some choices.
  struct Step {
    ExprId member = kNoExpr;
    Flags met;
  };
  // What has been seen up to some place.
  struct State {
    int64_t count = 0;  ///< Members, up to the largest count that matters.
    Flags met;          ///< Choices.
    auto operator<=>(const State&) const = default;
  };
  // Literals with the choices that they meet, by the shape of their schemas; kAnyShape: any value.
  using Literals = std::map<int32_t, std::pair<Literal, Flags>>;
  static constexpr int32_t kAnyShape = -1;
  // How the object goes on from each state; kNoExpr: not at all, or not written yet.
  using States = std::map<State, ExprId>;

  // The steps of every member, and which choices each place can meet.
  void FindSteps() {
    const size_t num_members = spec_.members.size();
    absent_.resize(num_members);
    last_.resize(spec_.choices.size(), 0);
    std::vector<Literals> of_members(num_members);
    std::vector<Literals> of_cells(spec_.cells.size());
    for (size_t k = 0; k < spec_.choices.size(); ++k) {
      for (const ObjectChoice::Way& way : spec_.choices[k].ways) {
        const auto index = static_cast<size_t>(way.index);
        const bool is_cell = way.kind == ObjectChoice::Kind::kCell;
        last_[k] = std::max(last_[k], is_cell ? num_members : index);
        if (way.kind == ObjectChoice::Kind::kAbsent) {
          absent_[index].Add(k);
        } else {
          AddLiteral(way.literal, k, is_cell ? &of_cells[index] : &of_members[index]);
        }
      }
    }
    for (size_t m = 0; m < num_members; ++m) {
      const ObjectMember& member = spec_.members[m];
      steps_.push_back(StepsOf(member.value, of_members[m], [&](LocationId value) {
        return converter_.Member({member.name, member.required, value}, depth_);
      }));
    }
    for (size_t c = 0; c < spec_.cells.size(); ++c) {
      const FreeCell& cell = spec_.cells[c];
      const std::vector<Step> steps = StepsOf(cell.value, of_cells[c], [&](LocationId value) {
        return converter_.FreeMember(spec_, cell, value, depth_);
      });
      free_steps_.insert(free_steps_.end(), steps.begin(), steps.end());
    }
  }

  void AddLiteral(const Literal& literal, size_t choice, Literals* out) {
    SchemaReader& reader = converter_.merger_.reader();
    const int32_t shape =
        literal.id == kNoJson ? kAnyShape : reader.ShapeOf(reader.SkipReferences(literal.id));
    auto& entry = (*out)[shape];
    entry.first = literal;
    entry.second.Add(choice);
  }

  // A step for each different set of values that literals make; the first is all values.
  template <typename Make>
  std::vector<Step> StepsOf(LocationId value, const Literals& literals, const Make& make) {
    std::vector<Step> steps;
    for (const auto& [location, met] : ValuesOf(value, literals))
      steps.push_back({make(location), met});
    return steps;
  }

  std::vector<std::pair<LocationId, Flags>> ValuesOf(LocationId value, const Literals& literals) {
    Flags always;
    std::vector<std::pair<Literal, Flags>> own;
    for (const auto& [shape, entry] : literals) {
      if (shape == kAnyShape) {
        always = entry.second;
      } else {
        own.push_back(entry);
      }
    }
    if (own.size() > kMaxLiterals) {
      ThrowFixedLimitError("the complements that one member may have to meet",
                           static_cast<int64_t>(own.size()), kMaxLiterals);
    }
    // By set of literals, as bits. A set without its highest bit has been seen before.
    std::vector<std::pair<LocationId, Flags>> of_sets{{value, always}};
    std::vector<std::pair<LocationId, Flags>> values = of_sets;
    for (size_t chosen = 1; chosen < (size_t{1} << own.size()); ++chosen) {
      CountWork("writing an object", 10);
      const auto last = static_cast<size_t>(std::bit_width(chosen)) - 1;
      auto [location, met] = of_sets[chosen & ~(size_t{1} << last)];
      if (location != kNothingLocation) location = With(location, own[last].first);
      met |= own[last].second;
      of_sets.emplace_back(location, met);
      if (location == kNothingLocation) continue;
      const auto same = std::ranges::find(values, location, &std::pair<LocationId, Flags>::first);
      if (same != values.end()) {
        same->second |= met;
      } else {
        values.emplace_back(location, met);
      }
    }
    return values;
  }

  // The values of a location that satisfy a literal; kNothingLocation: surely none.
  LocationId With(LocationId location, const Literal& literal) {
    Merger& merger = converter_.merger_;
    const LocationId result = merger.InternWith(location, literal);
    return merger.IsSurelyEmpty(result) ? kNothingLocation : result;
  }

  // Which choices can no longer be met from each member on.
  void FindOver() {
    for (size_t next = 0; next <= spec_.members.size(); ++next) {
      Flags over;
      for (size_t k = 0; k < last_.size(); ++k) {
        if (last_[k] < next) over.Add(k);
      }
      over_.push_back(over);
    }
    for (size_t k = 0; k < last_.size(); ++k) all_.Add(k);
  }

  // False if a choice has not been met and cannot be any more.
  bool IsPossible(size_t next, const State& state) const {
    return over_[next].Without(state.met).IsEmpty();
  }

  void Note(size_t next, const State& state) {
    if (!states_[next].emplace(state, kNoExpr).second) return;
    CountWork("writing an object", 4);
    if (++num_states_ > kMaxStates) {
      ThrowFixedLimitError("the rules for the complements that members of an object have to meet",
                           static_cast<int64_t>(num_states_), kMaxStates);
    }
  }

  State After(const State& state, const Flags& met) const {
    State after = state;
    after.count = count_.HasMax() ? state.count + 1
                                  : std::min(state.count + 1, std::max<int64_t>(count_.min, 1));
    after.met |= met;
    return after;
  }
  bool MayAddMember(const State& state) const {
    return !count_.HasMax() || state.count < count_.max;
  }

  // The ways to go on with a declared member, or without it (kNoExpr).
  std::vector<std::pair<ExprId, State>> Successors(size_t next, const State& state) const {
    std::vector<std::pair<ExprId, State>> out;
    const auto add = [&](ExprId member, const State& after) {
      if (IsPossible(next + 1, after)) out.emplace_back(member, after);
    };
    if (MayAddMember(state)) {
      // The first step is all values: others count only where they lead elsewhere.
      const State after_any = After(state, steps_[next].front().met);
      add(steps_[next].front().member, after_any);
      for (const Step& step : std::span(steps_[next]).subspan(1)) {
        const State after = After(state, step.met);
        if (after != after_any) add(step.member, after);
      }
    }
    if (!spec_.members[next].required) {
      State after = state;
      after.met |= absent_[next];
      add(kNoExpr, after);
    }
    return out;
  }

  ExprId BodyOf(size_t next, const State& state) {
    std::vector<ExprId> alternatives;
    bool has_member = false;
    for (const auto& [member, after] : Successors(next, state)) {
      const ExprId rest = states_[next + 1].at(after);
      if (rest == kNoExpr) continue;
      has_member = has_member || member != kNoExpr;
      alternatives.push_back(member == kNoExpr ? rest : Sequence(state, member, rest));
    }
    if (alternatives.empty()) return kNoExpr;
    const ExprId body = builder_.AddChoices(alternatives);
    return has_member ? RuleOf(body) : body;
  }

  ExprId Sequence(const State& state, ExprId member, ExprId rest) {
    const ExprId separator = state.count > 0 ? separator_ : builder_.AddEmpty();
    return builder_.AddSequence({separator, member, rest});
  }

  ExprId RuleOf(ExprId body) {
    const auto [place, is_new] = converter_.member_tails_.try_emplace(body, kNoExpr);
    if (is_new) {
      const RuleId rule = builder_.AddRule(builder_.UnusedName("members"));
      builder_.SetBody(rule, body);
      place->second = builder_.AddRuleRef(rule);
    }
    return place->second;
  }

  // Behind the declared members, where a free member may have to meet a choice, or none.
  void WriteFreeStates() {
    States& states = states_.back();
    if (all_.Without(over_.back()).IsEmpty()) {
      for (auto& [state, expr] : states)
        expr = converter_.FreeMembers(spec_, count_, state.count, depth_);
      return;
    }
    std::vector<State> open;
    for (const auto& [state, expr] : states) open.push_back(state);
    std::map<State, RuleId> rules;
    const auto rule_of = [&](const State& state) {
      const auto [place, is_new] = rules.try_emplace(state, -1);
      if (is_new) {
        place->second = builder_.AddRule(builder_.UnusedName("members"));
        states[state] = builder_.AddRuleRef(place->second);
      }
      return place->second;
    };
    for (size_t i = 0; i < open.size(); ++i) {
      const State state = open[i];
      std::vector<ExprId> alternatives;
      for (const Step& step : free_steps_) {
        if (!MayAddMember(state)) break;
        const State after = After(state, step.met);
        if (!states.contains(after)) {
          Note(spec_.members.size(), after);
          open.push_back(after);
        }
        rule_of(after);
        alternatives.push_back(Sequence(state, step.member, states[after]));
      }
      if (IsComplete(state)) alternatives.push_back(builder_.AddEmpty());
      builder_.SetBody(rule_of(state), builder_.AddChoices(alternatives));
    }
  }

  bool IsComplete(const State& state) const {
    return all_.Without(state.met).IsEmpty() && state.count >= std::max<int64_t>(count_.min, 1);
  }

  JSONSchemaConverter& converter_;
  GrammarBuilder& builder_;
  const ObjectSpec& spec_;
  const CountRange count_;
  Depth depth_;
  ExprId separator_;
  std::vector<std::vector<Step>> steps_;  ///< By member.
  std::vector<Step> free_steps_;
  std::vector<Flags> absent_;  ///< Choices met where a member is missing.
  std::vector<size_t> last_;   ///< The last member that can meet a choice, or behind all.
  std::vector<Flags> over_;    ///< Choices that nothing from a member on can meet.
  Flags all_;
  std::vector<States> states_;  ///< By next member.
  size_t num_states_ = 0;
};

ExprId JSONSchemaConverter::ChosenMembers(const ObjectSpec& spec, bool counts, Depth depth) {
  return ChoiceMachine(this, spec, counts, depth).Build();
}

}  // namespace xgrammar::json_schema
