// Arrays. Plain arrays are counted repetitions, unique items out of one finite set are its values
// in any order; `contains`, and `uniqueItems` over few values beside it or a prefix, are state
// machines whose states are rules. Other unique items are convert_distinct.cc.
#include <algorithm>
#include <map>
#include <tuple>

#include "frontend/json_schema/converter.h"
#include "grammar/any_order.h"
#include "support/error.h"
#include "support/work_meter.h"

namespace xgrammar::json_schema {

namespace {

constexpr size_t kMaxUniqueValues = 12;  // 2^n sets of seen values.
constexpr size_t kMaxItemClauses = 4;    // Counted conditions, taken in all combinations per item.
constexpr size_t kMaxArrayStates = 100000;  // Rules of one array.

}  // namespace

/// Items one by one, tracking the position, the counts of the clauses and the values seen.
class ArrayMachine {
 public:
  ArrayMachine(JSONSchemaConverter* converter, const ArraySpec& spec, Depth depth)
      : converter_(*converter),
        builder_(converter->builder_),
        spec_(spec),
        depth_(depth),
        separator_(converter->ArraySeparator(depth)) {
    last_index_ = std::max(static_cast<int64_t>(spec.prefix.size()), spec.count.min);
    for (const ItemClause& clause : spec.clauses) last_index_ = std::max(last_index_, clause.first);
    for (const UncountedItems& items : spec.uncounted)
      last_index_ = std::max(last_index_, items.first);
    if (spec.count.HasMax()) last_index_ = std::max(last_index_, spec.count.max);
    last_index_ = std::max<int64_t>(last_index_, 1);
  }

  /// One or more items.
  ExprId Build() {
    State start;
    start.counts.assign(spec_.clauses.size(), 0);
    const ExprId first = Reference(start);
    while (!pending_.empty()) {
      const auto [state, rule] = pending_.back();
      pending_.pop_back();
      builder_.SetBody(rule, Body(state));
    }
    return first;
  }

 private:
  struct State {
    int64_t index = 0;
    std::vector<int64_t> counts;
    uint32_t seen = 0;
    bool repeated = false;  ///< A value came again, if some value has to.
    auto operator<=>(const State&) const = default;
  };
  // One way to write an item: its expression, the clauses it counts for, the unique value it is.
  struct Option {
    ExprId item;
    uint32_t clauses;
    int value_bit;
  };

  ExprId Reference(const State& state) {
    const auto [place, is_new] = rules_.try_emplace(state, -1);
    if (is_new) {
      if (rules_.size() > kMaxArrayStates) {
        ThrowFixedLimitError("the rules for the counts or distinct values of an array",
                             static_cast<int64_t>(rules_.size()), kMaxArrayStates);
      }
      place->second = builder_.AddRule(builder_.UnusedName("items"));
      pending_.emplace_back(state, place->second);
    }
    return builder_.AddRuleRef(place->second);
  }

  ExprId Body(const State& state) {
    CountWork("writing an array", 4);
    std::vector<ExprId> alternatives;
    if (!spec_.count.HasMax() || state.index < spec_.count.max) {
      for (const Option& option : OptionsAt(state.index)) {
        State after = state;
        if (!Advance(option, &after)) continue;
        const ExprId separator = state.index > 0 ? separator_ : builder_.AddEmpty();
        alternatives.push_back(builder_.AddSequence({separator, option.item, Reference(after)}));
      }
    }
    if (state.index > 0 && IsComplete(state)) alternatives.push_back(builder_.AddEmpty());
    return builder_.AddChoices(alternatives);
  }

  bool IsComplete(const State& state) const {
    if (state.index < spec_.count.min || (spec_.repeated && !state.repeated)) return false;
    for (size_t k = 0; k < spec_.clauses.size(); ++k) {
      if (state.counts[k] < spec_.clauses[k].count.min) return false;
    }
    return true;
  }

  bool Advance(const Option& option, State* state) const {
    for (size_t k = 0; k < spec_.clauses.size(); ++k) {
      if (((option.clauses >> k) & 1) == 0) continue;
      const CountRange& range = spec_.clauses[k].count;
      ++state->counts[k];
      if (range.HasMax()) {
        if (state->counts[k] > range.max) return false;
      } else {
        state->counts[k] = std::min(state->counts[k], range.min);
      }
    }
    if (option.value_bit >= 0) {
      const uint32_t bit = uint32_t{1} << option.value_bit;
      if (spec_.unique && (state->seen & bit) != 0) return false;
      state->repeated = state->repeated || (spec_.repeated && (state->seen & bit) != 0);
      state->seen = state->repeated ? 0 : state->seen | bit;
    }
    state->index = std::min(state->index + 1, last_index_);
    return true;
  }

  const std::vector<Option>& OptionsAt(int64_t index) {
    const int64_t slot = std::min(index, last_index_);
    const auto [place, is_new] = options_.try_emplace(slot);
    if (!is_new) return place->second;
    const auto prefix_size = static_cast<int64_t>(spec_.prefix.size());
    const LocationId item =
        index < prefix_size ? spec_.prefix[static_cast<size_t>(index)] : spec_.rest;
    for (uint32_t chosen = 0; chosen < (uint32_t{1} << spec_.clauses.size()); ++chosen) {
      const LocationId location = WithClauses(item, chosen, index);
      if (location != kNothingLocation) AddOptions(location, chosen, &place->second);
    }
    return place->second;
  }

  // The item's location if it counts for exactly the chosen clauses. A clause without an upper
  // bound needs no complement: counting fewer matches than there are is harmless.
  LocationId WithClauses(LocationId item, uint32_t chosen, int64_t index) {
    if (item == kNothingLocation) return item;
    Conjunction literals = converter_.merger_.conjunction(item);
    for (size_t k = 0; k < spec_.clauses.size(); ++k) {
      const ItemClause& clause = spec_.clauses[k];
      const bool counts = ((chosen >> k) & 1) != 0;
      if (index < clause.first) {
        if (counts) return kNothingLocation;
        continue;
      }
      Literal literal = clause.literal;
      if (!counts) {
        if (!clause.count.HasMax()) continue;
        literal.kind = literal.kind == LiteralKind::kNotSchema ? LiteralKind::kPlainSchema
                                                               : LiteralKind::kNotSchema;
      }
      literals.push_back(literal);
      literals.insert(literals.end(), clause.more.begin(), clause.more.end());
    }
    for (const UncountedItems& items : spec_.uncounted) {
      if (index >= items.first && (items.clauses & chosen) == 0) literals.push_back(items.literal);
    }
    return converter_.merger_.Intern(std::move(literals));
  }

  void AddOptions(LocationId location, uint32_t chosen, std::vector<Option>* out) {
    const Depth child_depth = converter_.ItemDepth(depth_);
    if (!spec_.unique && !spec_.repeated) {
      out->push_back({converter_.LocationRef(location, child_depth), chosen, -1});
      return;
    }
    for (const auto& [key, spellings] : converter_.ValueSpellings(location, child_depth)) {
      const auto bit = static_cast<int>(bits_.try_emplace(key, bits_.size()).first->second);
      for (const ExprId spelling : spellings) out->push_back({spelling, chosen, bit});
    }
  }

  JSONSchemaConverter& converter_;
  GrammarBuilder& builder_;
  const ArraySpec& spec_;
  Depth depth_;
  ExprId separator_;
  int64_t last_index_ = 0;
  std::map<int64_t, std::vector<Option>> options_;
  std::map<std::string, size_t> bits_;
  std::map<State, RuleId> rules_;
  std::vector<std::pair<State, RuleId>> pending_;
};

// The spellings of each value of a finite location, by a key of the value.
std::map<std::string, std::vector<ExprId>> JSONSchemaConverter::ValueSpellings(LocationId location,
                                                                               Depth depth) {
  const Expansion& expansion = merger_.Expand(location);
  std::map<std::string, std::vector<ExprId>> out;
  const auto add = [&](const std::string& key, const Expansion& single) {
    AppendValues(single, false, depth, &out[key]);
  };
  for (const JsonId value : expansion.values) {
    Expansion single;
    single.values = {value};
    add(merger_.evaluator().KeyOf(value), single);
  }
  Expansion null_only, true_only, false_only;
  null_only.allows_null = true_only.allows_true = false_only.allows_false = true;
  if (expansion.allows_null) add("0", null_only);
  if (expansion.allows_true) add("t", true_only);
  if (expansion.allows_false) add("f", false_only);
  return out;
}

// Unique items out of one finite set are its values in any order; kNoExpr for other arrays.
ExprId JSONSchemaConverter::UniqueItems(const ArraySpec& spec, Depth depth) {
  const bool has_one_set = spec.unique && !spec.repeated && spec.prefix.empty() &&
                           spec.clauses.empty() && spec.rest != kAnyLocation &&
                           spec.rest != kNothingLocation;
  if (!has_one_set) return kNoExpr;
  const Expansion& expansion = merger_.Expand(spec.rest);
  if (!expansion.IsFinite() || expansion.values.size() + 3 > kMaxAnyOrderParts) return kNoExpr;
  std::vector<ExprId> parts;
  for (const auto& [key, spellings] : ValueSpellings(spec.rest, ItemDepth(depth)))
    parts.push_back(builder_.AddOptional(builder_.AddChoices(spellings)));
  const auto size = static_cast<int64_t>(parts.size());
  const int64_t min = std::max<int64_t>(spec.count.min, 1);
  if (min > size) return builder_.AddNothing();
  const int64_t max = spec.count.HasMax() ? std::min(spec.count.max, size) : size;
  return builder_.AddAnyOrder(ArraySeparator(depth), parts, min, max);
}

// Whether all items come from a small finite set; else `uniqueItems` is out of reach.
bool JSONSchemaConverter::CanTrackUnique(const ArraySpec& spec) {
  std::vector<LocationId> locations = spec.prefix;
  locations.push_back(spec.rest);
  std::map<std::string_view, int> values;
  size_t words = 0;
  for (const LocationId location : locations) {
    if (location == kNothingLocation) continue;
    if (location == kAnyLocation) return false;
    const Expansion& expansion = merger_.Expand(location);
    if (!expansion.IsFinite()) return false;
    for (const JsonId value : expansion.values) values[merger_.evaluator().KeyOf(value)] = 1;
    words =
        std::max<size_t>(words, (expansion.allows_null ? 1 : 0) + (expansion.allows_true ? 1 : 0) +
                                    (expansion.allows_false ? 1 : 0));
  }
  return values.size() + words <= kMaxUniqueValues;
}

ExprId JSONSchemaConverter::ArrayBody(const ArraySpec& spec, Depth depth) {
  ArraySpec enforced = spec;
  while (enforced.clauses.size() > kMaxItemClauses) {
    merger_.Unsupported(enforced.clauses.back().literal.id, "contains",
                        "more than 4 such conditions on one array");
    // Lenient: with the condition goes what speaks about items that do not meet it.
    enforced.clauses.pop_back();
    const size_t last = enforced.clauses.size();
    std::erase_if(enforced.uncounted, [&](const UncountedItems& items) {
      return last >= 32 || ((items.clauses >> last) & 1) != 0;
    });
  }
  ExprId unique_items = UniqueItems(spec, depth);
  if ((spec.unique || spec.repeated) && unique_items == kNoExpr && !CanTrackUnique(spec)) {
    const char* reason = nullptr;
    unique_items = DistinctItems(enforced, depth, &reason);
    if (reason != nullptr) {
      merger_.Unsupported(spec.unique_schema, "uniqueItems", reason);
      enforced.unique = enforced.repeated = false;
    }
  }
  std::vector<ExprId> alternatives;
  const bool clauses_allow_empty =
      std::all_of(enforced.clauses.begin(), enforced.clauses.end(),
                  [](const ItemClause& clause) { return clause.count.min == 0; });
  if (spec.count.min == 0 && clauses_allow_empty) alternatives.push_back(EmptyArray(depth));
  const bool has_items = !(spec.prefix.empty() && spec.rest == kNothingLocation);
  if (has_items && !(spec.count.HasMax() && spec.count.max == 0)) {
    const bool tracked = enforced.unique || enforced.repeated || !enforced.clauses.empty();
    const ExprId items = unique_items != kNoExpr ? unique_items
                         : tracked               ? ArrayMachine(this, enforced, depth).Build()
                                                 : Items(enforced, depth);
    alternatives.push_back(builder_.AddSequence({OpenArray(depth), items, CloseArray(depth)}));
  }
  return builder_.AddChoices(alternatives);
}

// One or more items: the prefix by position, then the rest as a counted repetition.
ExprId JSONSchemaConverter::Items(const ArraySpec& spec, Depth depth) {
  const Depth child_depth = ItemDepth(depth);
  const ExprId separator = ArraySeparator(depth);
  const auto prefix_size = static_cast<int64_t>(spec.prefix.size());
  const auto rest_of = [&](int64_t already) {
    if (spec.rest == kNothingLocation || (spec.count.HasMax() && spec.count.max <= already)) {
      return spec.count.min > already ? builder_.AddNothing() : builder_.AddEmpty();
    }
    const ExprId next = builder_.AddSequence({separator, LocationRef(spec.rest, child_depth)});
    const int64_t max = spec.count.HasMax() ? spec.count.max - already : kUnbounded;
    return builder_.AddRepeat(next, std::max<int64_t>(spec.count.min - already, 0), max);
  };
  if (prefix_size == 0)
    return builder_.AddSequence({LocationRef(spec.rest, child_depth), rest_of(1)});
  // From the end: what follows position i. Positions below the minimum are plain sequence, the
  // others may be left out together with all that follows, so each of them is a rule of its own.
  ExprId after = rest_of(prefix_size);
  std::vector<ExprId> reversed;
  for (int64_t i = prefix_size; i-- > 0;) {
    const ExprId item = LocationRef(spec.prefix[static_cast<size_t>(i)], child_depth);
    if (i == 0) {
      reversed.push_back(item);
    } else if (i < spec.count.min) {
      reversed.push_back(builder_.AddSequence({separator, item}));
    } else {
      const ExprId optional = builder_.AddOptional(builder_.AddSequence({separator, item, after}));
      after = builder_.AddRuleRef(builder_.AddRuleWithHint("items", optional));
    }
  }
  std::reverse(reversed.begin(), reversed.end());
  reversed.push_back(after);
  return builder_.AddSequence(reversed);
}

}  // namespace xgrammar::json_schema
