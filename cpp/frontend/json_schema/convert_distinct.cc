// `uniqueItems` over items that are not a small finite set: a list whose items the parser compares.
//
// Part of JSONSchemaConverter. The comparison never leads to a dead end as long as each item that
// has to be there can differ from all before it, so the values of its schema are counted here as
// far as that takes. How items are compared is parser/distinct.cc.
#include <algorithm>
#include <utility>
#include <vector>

#include "frontend/json_schema/converter.h"
#include "frontend/json_schema/numeric_range.h"
#include "support/error.h"

namespace xgrammar::json_schema {

namespace {

// Values inside values are counted this far down.
constexpr int kMaxCountDepth = 4;

// Words of a trimmed automaton, at most `enough`; a cycle has enough.
int64_t CountWords(const CodePointDfa& dfa, int64_t enough) {
  if (dfa.IsEmpty()) return 0;
  if (dfa.MaxLength() < 0) return enough;
  std::vector<int64_t> words(dfa.states().size(), -1);
  std::vector<size_t> work{0};
  while (!work.empty()) {
    const size_t state = work.back();
    int64_t count = dfa.states()[state].accept ? 1 : 0;
    bool is_ready = true;
    for (const CodePointDfa::Edge& edge : dfa.states()[state].edges) {
      const auto target = static_cast<size_t>(edge.target);
      if (words[target] < 0) {
        work.push_back(target);
        is_ready = false;
        break;
      }
      const int64_t width = int64_t{edge.hi} - int64_t{edge.lo} + 1;
      count = words[target] >= enough / width + 1 ? enough
                                                  : std::min(enough, count + width * words[target]);
    }
    if (!is_ready) continue;
    words[state] = std::min(count, enough);
    work.pop_back();
  }
  return words[0];
}

}  // namespace

// At least how many different values there are, at most `enough`.
int64_t JSONSchemaConverter::CountValues(LocationId location, int64_t enough, int depth) {
  if (location == kAnyLocation) return enough;
  if (location == kNothingLocation || depth > kMaxCountDepth) return 0;
  const Expansion& expansion = merger_.Expand(location);
  std::unordered_set<int32_t> listed;
  for (const JsonId value : expansion.values) listed.insert(merger_.evaluator().KeyNumber(value));
  int64_t count = static_cast<int64_t>(listed.size()) + (expansion.allows_null ? 1 : 0) +
                  (expansion.allows_true ? 1 : 0) + (expansion.allows_false ? 1 : 0);
  const JsonId schema = merger_.conjunction(location).front().id;
  // Alternatives may overlap, so that only the largest of them counts.
  int64_t most = 0;
  for (const StringConstraint& string : expansion.strings) {
    const bool is_long = string.atoms.empty() && string.excluded.empty() && !string.length.HasMax();
    most = std::max(
        most, is_long ? enough : CountWords(*merger_.strings().Constraint(string, schema), enough));
  }
  count += most;
  most = 0;
  for (const NumberConstraint& number : expansion.numbers) {
    // Spellings of integers are one to one; of other numbers, zeros behind the point are not.
    const bool has_interval =
        !number.integer && number.multiples.empty() &&
        (!number.lower || !number.upper || number.lower->value.Compare(number.upper->value) < 0);
    int64_t values = has_interval ? enough : 1;
    if (number.integer)
      values = number.IsFree() ? enough : CountWords(NumberToDfa(number, limits_), enough);
    most = std::max(most, values);
  }
  count += most;
  most = 0;
  for (const ArraySpec& array : expansion.arrays) {
    const bool is_open = array.rest != kNothingLocation && !array.count.HasMax() && !array.unique;
    most = std::max<int64_t>(most, is_open ? enough : 1);
  }
  count += most;
  most = 0;
  for (const ObjectSpec& object : expansion.objects) {
    const bool is_open =
        std::any_of(object.cells.begin(), object.cells.end(), [](const FreeCell& c) {
          return c.value != kNothingLocation && (c.keys == nullptr || c.keys->MaxLength() < 0);
        });
    int64_t values = is_open && !object.count.HasMax() ? enough : 1;
    for (const ObjectMember& member : object.members) {
      if (member.required) values = std::max(values, CountValues(member.value, enough, depth + 1));
    }
    most = std::max(most, values);
  }
  return std::min(count + most, enough);
}

// Whether CountValues counts every value once.
bool JSONSchemaConverter::IsCountExact(LocationId location) {
  const Expansion& expansion = merger_.Expand(location);
  return expansion.strings.size() <= 1 && expansion.numbers.size() <= 1 &&
         expansion.arrays.empty() && expansion.objects.empty() &&
         std::all_of(expansion.numbers.begin(), expansion.numbers.end(),
                     [](const NumberConstraint& number) { return number.integer; });
}

// One or more items that all differ; kNoExpr where that is out of reach, with the reason.
ExprId JSONSchemaConverter::DistinctItems(const ArraySpec& spec, Depth depth, const char** reason) {
  if (spec.repeated) {
    *reason = "two equal items cannot be asked for where the items are not from a small finite set";
  } else if (!spec.clauses.empty()) {
    *reason = "beside 'contains', the items have to be from a small finite set";
  } else if (!ComparesItems() || !layout_.SpellsJson()) {
    *reason = "the items are not from a small finite set, and they are not written as JSON";
  }
  if (*reason != nullptr) return kNoExpr;
  const Depth child_depth = ItemDepth(depth);
  const auto num_first = static_cast<int64_t>(spec.prefix.size());
  for (int64_t i = 1; i < std::min(spec.count.min, num_first); ++i) {
    if (CountValues(spec.prefix[static_cast<size_t>(i)], i + 1, 0) <= i) {
      *reason = "an item that has to be there may have no value that none before it has";
      return kNoExpr;
    }
  }
  if (spec.count.min > std::max<int64_t>(num_first, 1) &&
      CountValues(spec.rest, spec.count.min, 0) < spec.count.min) {
    if (num_first == 0 && IsCountExact(spec.rest)) return builder_.AddNothing();
    *reason = "there may be fewer different items than 'minItems' asks for";
    return kNoExpr;
  }
  std::vector<ExprId> first;
  for (const LocationId item : spec.prefix) first.push_back(LocationRef(item, child_depth));
  const ExprId rest =
      spec.rest == kNothingLocation ? builder_.AddNothing() : LocationRef(spec.rest, child_depth);
  return builder_.AddDistinct(ArraySeparator(depth), rest, first,
                              std::max<int64_t>(spec.count.min, 1),
                              spec.count.HasMax() ? spec.count.max : kUnbounded);
}

}  // namespace xgrammar::json_schema
