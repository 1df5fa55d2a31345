// Values of the document, listed by `enum` and `const`: which of them satisfy a conjunction.
//
// Part of Merger. Lists of conditions (`if` a member is this, `then` ...) ask about conjunctions
// that grow by one complement each time, so answers are carried on from the longest beginning that
// has been expanded, and a value that is left is enough to know that something is.
#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>

#include "frontend/json_schema/merge.h"
#include "json/writer.h"

namespace xgrammar::json_schema {

// Lists of conditions ask the same with one more complement each time. Where only known values were
// left before, those that meet it are left now, and nothing need be expanded.
bool Merger::NarrowFinite(LocationId location, Expansion* result) {
  const Conjunction& literals = *conjunctions_[static_cast<size_t>(location)];
  if (literals.size() < 2) return false;
  const Literal last = literals.back();
  if (last.kind != LiteralKind::kNotSchema && last.kind != LiteralKind::kNotConst) return false;
  const auto known = locations_.find(Conjunction(literals.begin(), literals.end() - 1));
  if (known == locations_.end() || !expansions_[static_cast<size_t>(known->second)]) return false;
  const Expansion& before = *expansions_[static_cast<size_t>(known->second)];
  if (!before.IsFinite() || before.allows_null || before.allows_true || before.allows_false)
    return false;
  for (const JsonId value : before.values) {
    if (evaluator_.Satisfies(last, value)) result->values.push_back(value);
  }
  return true;
}

// Where a condition or an alternative asks for one string, it is left or nothing is. Only beside
// schemas without references, whose expansion could find an error that judging a value does not.
bool Merger::NarrowToText(LocationId location, Expansion* result) {
  const Conjunction& literals = *conjunctions_[static_cast<size_t>(location)];
  if (literals.size() < 2) return false;
  const auto is_plain = [&](JsonId id) {
    const Schema& schema = reader_.Read(id);
    return schema.steps.empty() && schema.format == kNoJson && schema.pattern == kNoJson &&
           schema.inferred_types == kAllTypes;
  };
  JsonId text = kNoJson;
  for (const Literal& literal : literals) {
    if (literal.kind != LiteralKind::kSchema && literal.kind != LiteralKind::kPlainSchema)
      return false;
    const Schema& schema = reader_.Read(literal.id);
    if (schema.const_value != kNoJson && reader_.document().IsString(schema.const_value))
      text = schema.const_value;
    const bool is_choice = schema.steps.size() == 1 && schema.steps[0].kind == Step::Kind::kAnyOf &&
                           std::ranges::all_of(schema.steps[0].members, is_plain);
    if (schema.HasUnevaluated() || schema.format != kNoJson || schema.pattern != kNoJson ||
        schema.inferred_types != kAllTypes || !(schema.steps.empty() || is_choice))
      return false;
  }
  if (text == kNoJson) return false;
  const bool holds = std::ranges::all_of(
      literals, [&](const Literal& literal) { return evaluator_.Satisfies(literal, text); });
  if (holds) result->values.push_back(text);
  return true;
}

// The expansion of the longest beginning of a conjunction that has been expanded already, and how
// many literals it has.
std::pair<const Expansion*, size_t> Merger::ExpandedBeginning(const Conjunction& conjunction) {
  constexpr size_t kMaxTried = 256;  // Each costs the length of the conjunction.
  Conjunction beginning = conjunction;
  for (size_t tried = 0; beginning.size() > 1 && tried < kMaxTried; ++tried) {
    beginning.pop_back();
    const auto known = locations_.find(beginning);
    if (known == locations_.end()) continue;
    const Expansion* expansion = expansions_[static_cast<size_t>(known->second)].get();
    if (expansion) return {expansion, beginning.size()};
  }
  return {nullptr, 0};
}

// A complement of one value can only exclude that value.
Merger::ComplementsByValue Merger::FindComplements(const Conjunction& conjunction) {
  ComplementsByValue found;
  for (size_t i = 0; i < conjunction.size(); ++i) {
    const Literal& literal = conjunction[i];
    const JsonId value = literal.kind == LiteralKind::kNotConst ? literal.id
                         : literal.kind == LiteralKind::kNotSchema
                             ? reader_.Read(literal.id).const_value
                             : kNoJson;
    if (value == kNoJson) {
      found.others.push_back(i);
    } else {
      found.of_value.emplace(evaluator_.KeyNumber(value), i);
    }
  }
  return found;
}

// Equal values have different spellings as numbers (`1`, `1.0`) and as objects (order of members),
// alone or inside of arrays.
bool Merger::IsNewSpelling(JsonId value, JsonId first, std::set<std::string>* spellings) const {
  const JsonDocument& document = reader_.document();
  if (document.IsNumber(value)) {
    spellings->emplace(document.text(first));
    return spellings->emplace(document.text(value)).second;
  }
  if (!document.IsArray(value) && !document.IsObject(value)) return false;
  spellings->insert(WriteJson(document, first));
  return spellings->insert(WriteJson(document, value)).second;
}

// Keeps the values that satisfy the whole conjunction, each in all of its spellings.
void Merger::FilterValues(const Conjunction& conjunction, std::vector<JsonId>* values) {
  if (values->empty()) return;
  // Lists of conditions ask the same with more literals each time.
  const auto [before, num_held] = ExpandedBeginning(conjunction);
  const ComplementsByValue complements = FindComplements(conjunction);
  // From the end, as the last condition is mostly the one that few values meet.
  const auto satisfies = [&, this](JsonId value, size_t first) {
    const auto holds = [&](size_t index) {
      return index < first || evaluator_.Satisfies(conjunction[index], value);
    };
    const auto [same, last] = complements.of_value.equal_range(evaluator_.KeyNumber(value));
    return std::all_of(same, last, [&](const auto& entry) { return holds(entry.second); }) &&
           std::all_of(complements.others.rbegin(), complements.others.rend(), holds);
  };
  // A long list beside the pattern of one text is mostly one of many such alternatives.
  std::optional<int32_t> only;
  for (const Literal& literal : conjunction) {
    const bool is_positive =
        literal.kind == LiteralKind::kSchema || literal.kind == LiteralKind::kPlainSchema;
    if (is_positive && !only && values->size() > 1) only = OnlyMatchOf(reader_.Read(literal.id));
  }
  const auto is_other = [&](JsonId value) {
    return only && reader_.document().IsString(value) && evaluator_.KeyNumber(value) != *only;
  };
  std::unordered_map<int32_t, JsonId> seen;
  std::set<std::string> spellings;  // Of values that are there more than once.
  std::vector<JsonId> kept;
  for (const JsonId value : *values) {
    if (is_other(value)) continue;
    const bool held =
        before && std::binary_search(before->values.begin(), before->values.end(), value);
    if (!satisfies(value, held ? num_held : 0)) continue;
    const auto [first, is_new] = seen.emplace(evaluator_.KeyNumber(value), value);
    if (is_new || IsNewSpelling(value, first->second, &spellings)) kept.push_back(value);
  }
  // Document order of the values, whatever kind they are.
  std::sort(kept.begin(), kept.end());
  *values = std::move(kept);
}

// Whether a value of the document is known that satisfies the location: one that did without the
// last literal, a complement. Lists of conditions ask so for one more complement each time, and
// nothing need be expanded as long as one of the values is left.
bool Merger::HasWitness(LocationId location) {
  if (witnesses_.contains(location)) return true;
  const Conjunction& literals = conjunction(location);
  const bool adds_complement =
      literals.size() > 1 && (literals.back().kind == LiteralKind::kNotSchema ||
                              literals.back().kind == LiteralKind::kNotConst);
  if (!adds_complement) return false;
  const auto before = locations_.find(Conjunction(literals.begin(), literals.end() - 1));
  if (before == locations_.end()) return false;
  const auto known = witnesses_.find(before->second);
  JsonId witness = known == witnesses_.end() ? kNoJson : known->second;
  const Expansion* expansion = expansions_[static_cast<size_t>(before->second)].get();
  if (witness == kNoJson && expansion && !expansion->values.empty())
    witness = expansion->values.back();
  if (witness == kNoJson || !evaluator_.Satisfies(literals.back(), witness)) return false;
  witnesses_.emplace(location, witness);
  return true;
}

}  // namespace xgrammar::json_schema
