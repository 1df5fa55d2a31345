// Conjunctions to locations: equal ones get one number, after what says nothing has been dropped.
//
// Part of Merger. A simplification keeps the language of the conjunction: references are followed,
// trivial and repeated literals dropped, complements that all remaining values meet, too. A schema
// beside its own complement is nothing.
#include <algorithm>
#include <span>
#include <utility>

#include "frontend/json_schema/merge.h"

namespace xgrammar::json_schema {

namespace {

// From this many locations on it pays to look for schemas that are written the same way.
constexpr int64_t kManyLocations = 2000;

}  // namespace

LocationId Merger::Intern(Conjunction conjunction) {
  if (conjunction.size() < 2) return InternNew(conjunction);
  // Lists of conditions give long conjunctions, each of them several times.
  const auto known = asked_.find(conjunction);
  if (known != asked_.end()) return known->second;
  const LocationId location = InternNew(conjunction);
  asked_.emplace(std::move(conjunction), location);
  return location;
}

LocationId Merger::InternWith(LocationId location, const Literal& literal) {
  Conjunction literals = conjunction(location);
  literals.push_back(literal);
  return Intern(std::move(literals));
}

LocationId Merger::InternNew(const Conjunction& conjunction) {
  Conjunction simple;
  simple.reserve(conjunction.size());
  JsonId last_id = kNoJson;  // The largest in `simple`.
  for (Literal literal : conjunction) {
    const bool is_const =
        literal.kind == LiteralKind::kConst || literal.kind == LiteralKind::kNotConst;
    if (!is_const) {
      if (literal.id == kNoJson) return kNothingLocation;
      literal.id = reader_.SkipReferences(literal.id);
      if (work_count_ > kManyLocations) literal.id = reader_.CanonicalId(literal.id);
      const Schema& schema = reader_.Read(literal.id);
      if (literal.kind == LiteralKind::kPlainSchema && !options_.strict_mode)
        literal.kind = LiteralKind::kSchema;
      const bool negated = literal.kind == LiteralKind::kNotSchema;
      if (schema.IsTrivial()) {
        if (negated) return kNothingLocation;
        continue;
      }
      if (schema.is_boolean) {
        if (!negated) return kNothingLocation;
        continue;
      }
      // Such a schema holds nothing that an error or a report could point to.
      if (schema.is_only_types) {
        JsonId& first = only_types_[schema.types];
        if (first == kNoJson) first = literal.id;
        literal.id = first;
      }
    }
    // Long conjunctions mostly come in document order, and so need no search.
    const bool is_new =
        literal.id > last_id || std::find(simple.begin(), simple.end(), literal) == simple.end();
    last_id = std::max(last_id, literal.id);
    if (is_new) simple.push_back(literal);
  }
  DropImplied(&simple);
  if (IsContradictory(simple)) return kNothingLocation;
  const auto [place, is_new] =
      locations_.try_emplace(std::move(simple), static_cast<LocationId>(conjunctions_.size()));
  if (is_new) {
    conjunctions_.push_back(&place->first);
    expansions_.push_back(nullptr);
    CountWork();
  }
  return place->second;
}

// Where few values are left, complements that all of them meet say nothing. So a property that
// conditions ask for over and over stays one location for each of its values.
void Merger::DropImplied(Conjunction* literals) {
  constexpr size_t kFewValues = 8;
  if (literals->size() < 2) return;
  const auto values_of = [&](const Literal& literal) -> std::span<const JsonId> {
    const bool is_positive =
        literal.kind == LiteralKind::kSchema || literal.kind == LiteralKind::kPlainSchema;
    if (!is_positive) return {};
    const Schema& schema = reader_.Read(literal.id);
    if (schema.const_value != kNoJson) return {&schema.const_value, 1};
    if (schema.enum_values == kNoJson) return {};
    return reader_.document().items(schema.enum_values);
  };
  std::span<const JsonId> values;
  for (const Literal& literal : *literals) {
    const std::span<const JsonId> own = values_of(literal);
    if (!own.empty() && own.size() <= kFewValues && (values.empty() || own.size() < values.size()))
      values = own;
  }
  if (values.empty()) return;
  std::erase_if(*literals, [&](const Literal& literal) {
    if (literal.kind == LiteralKind::kNotSchema) {
      const Schema& schema = reader_.Read(literal.id);
      const bool is_listing = schema.const_value != kNoJson || schema.enum_values != kNoJson;
      if (!is_listing || !schema.steps.empty() || schema.format != kNoJson) return false;
    } else if (literal.kind != LiteralKind::kNotConst) {
      return false;
    }
    return std::all_of(values.begin(), values.end(),
                       [&](JsonId value) { return evaluator_.Satisfies(literal, value); });
  });
}

// A schema and the complement of one that is written the same way.
bool Merger::IsContradictory(const Conjunction& literals) {
  const bool has_complement = std::ranges::any_of(
      literals, [](const Literal& literal) { return literal.kind == LiteralKind::kNotSchema; });
  if (!has_complement || literals.size() < 2) return false;
  std::vector<int32_t> positives;
  for (const Literal& literal : literals) {
    if (literal.kind == LiteralKind::kSchema || literal.kind == LiteralKind::kPlainSchema)
      positives.push_back(reader_.ShapeOf(literal.id));
  }
  std::sort(positives.begin(), positives.end());
  return std::ranges::any_of(literals, [&](const Literal& literal) {
    return literal.kind == LiteralKind::kNotSchema &&
           std::binary_search(positives.begin(), positives.end(), reader_.ShapeOf(literal.id));
  });
}

}  // namespace xgrammar::json_schema
