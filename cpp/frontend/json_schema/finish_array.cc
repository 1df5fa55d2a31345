// A complete array branch -> ArraySpec: items by position, conjoined over all schemas that describe
// them.
//
// Part of Merger. What each group of schemas gives to an index is conjoined; `unevaluatedItems`
// speaks of the items from some index on, unless a `contains` clause evaluates them. Writing arrays
// as grammar is convert_array.cc.
#include <algorithm>
#include <utility>

#include "frontend/json_schema/merge.h"

namespace xgrammar::json_schema {

namespace {

// Bits of UncountedItems::clauses; arrays with anywhere near as many clauses are refused later.
constexpr size_t kMaxMaskedClauses = 32;

// The schema that a group gives to an index, or kNoJson.
JsonId ItemSchema(const Schema& schema, int64_t index) {
  if (index < static_cast<int64_t>(schema.prefix_items.size()))
    return schema.prefix_items[static_cast<size_t>(index)];
  return schema.items;
}

}  // namespace

// What `unevaluatedItems` says: from which index on, and unless which `contains` match. Leaves only
// the clauses that matter.
std::vector<UncountedItems> Merger::UnevaluatedItems(const Run& run, const ArrayAtoms& atoms,
                                                     std::vector<ItemClause>* clauses) {
  std::vector<UncountedItems> out;
  std::vector<std::vector<bool>> evaluating;  // By keyword: whether a clause evaluates items.
  for (const ScopedSchema& keyword : atoms.unevaluated) {
    const auto is_inside = [&](int32_t scope) { return IsInScope(run, scope, keyword.scope); };
    bool done = std::any_of(atoms.unevaluated.begin(), atoms.unevaluated.end(),
                            [&](const ScopedSchema& inner) {
                              return inner.scope != keyword.scope && is_inside(inner.scope);
                            });
    UncountedItems items{{keyword.schema->unevaluated_items, keyword.kind}, 0, 0};
    for (const ScopedSchema& group : atoms.groups) {
      if (!is_inside(group.scope)) continue;
      done = done || group.schema->items != kNoJson;
      items.first = std::max(items.first, static_cast<int64_t>(group.schema->prefix_items.size()));
    }
    if (done || atoms.ignores_unevaluated) continue;
    out.push_back(items);
    auto& row = evaluating.emplace_back();
    for (const ItemClause& clause : *clauses) {
      row.push_back(clause.scope >= 0 && is_inside(clause.scope) &&
                    reader_.ContainsEvaluates(keyword.schema->id));
    }
  }
  std::vector<ItemClause> kept;
  for (size_t k = 0; k < clauses->size(); ++k) {
    const bool evaluates = std::any_of(evaluating.begin(), evaluating.end(),
                                       [&](const std::vector<bool>& row) { return row[k]; });
    if (!evaluates && (*clauses)[k].count.IsTrivial()) continue;
    for (size_t i = 0; i < out.size(); ++i) {
      if (evaluating[i][k] && kept.size() < kMaxMaskedClauses)
        out[i].clauses |= uint32_t{1} << kept.size();
    }
    kept.push_back((*clauses)[k]);
  }
  *clauses = std::move(kept);
  return out;
}

// Some item that nothing evaluates violates `unevaluatedItems`; false if there can be none.
bool Merger::AddViolation(const Run& run, const ArrayAtoms& atoms, const ScopedSchema& keyword,
                          std::vector<ItemClause>* clauses) {
  ItemClause clause;
  clause.literal = {keyword.schema->unevaluated_items, LiteralKind::kNotSchema};
  const auto is_inside = [&](const ScopedSchema& other) {
    return IsInScope(run, other.scope, keyword.scope);
  };
  if (std::any_of(atoms.unevaluated.begin(), atoms.unevaluated.end(), is_inside)) return false;
  for (const ScopedSchema& group : atoms.groups) {
    if (!is_inside(group)) continue;
    if (group.schema->items != kNoJson) return false;
    if (group.schema->contains != kNoJson && reader_.ContainsEvaluates(keyword.schema->id))
      clause.more.push_back({group.schema->contains, LiteralKind::kNotSchema});
    clause.first = std::max(clause.first, static_cast<int64_t>(group.schema->prefix_items.size()));
  }
  clauses->push_back(clause);
  return true;
}

void Merger::FinishArray(Run* run, const ArrayAtoms& atoms) {
  ArraySpec spec;
  spec.count = atoms.count;
  spec.unique = atoms.unique;
  spec.repeated = atoms.repeated;
  spec.has_keyword = atoms.has_keyword;
  if (spec.unique && spec.repeated) return;
  spec.unique_schema = atoms.unique_schema;
  int64_t prefix_size = 0;
  bool strict_prefix = false;
  bool strict_open = !atoms.unevaluated.empty();
  for (const ScopedSchema& group : atoms.groups) {
    const auto size = static_cast<int64_t>(group.schema->prefix_items.size());
    prefix_size = std::max(prefix_size, size);
    spec.items_given = spec.items_given || group.schema->items != kNoJson;
    if (group.kind == LiteralKind::kPlainSchema) continue;
    strict_prefix = strict_prefix || size > 0;
    strict_open = strict_open || group.schema->items != kNoJson;
  }
  // Strict mode closes an array that has a prefix and says nothing about what follows
  // (json-schema.md 1.4).
  const int64_t closed_at =
      options_.strict_mode && strict_prefix && !strict_open ? prefix_size : kNoMaximum;
  for (const auto& [index, literal] : atoms.item_literals)
    prefix_size = std::max(prefix_size, index + 1);
  if (closed_at != kNoMaximum) spec.count.LowerMax(closed_at);

  std::vector<ItemClause> clauses = atoms.clauses;
  for (const ScopedSchema& keyword : atoms.violated_unevaluated) {
    if (!AddViolation(*run, atoms, keyword, &clauses)) return;
  }
  const std::vector<UncountedItems> unevaluated = UnevaluatedItems(*run, atoms, &clauses);
  const auto at = [&](int64_t index) {
    Conjunction literals;
    for (const ScopedSchema& group : atoms.groups) {
      const JsonId schema = ItemSchema(*group.schema, index);
      if (schema != kNoJson) literals.push_back({schema, group.kind});
    }
    for (const UncountedItems& items : unevaluated) {
      if (items.clauses == 0 && index >= items.first) literals.push_back(items.literal);
    }
    for (const auto& [position, literal] : atoms.item_literals) {
      if (position == index) literals.push_back(literal);
    }
    return Intern(std::move(literals));
  };
  for (int64_t i = 0; i < prefix_size; ++i) {
    const LocationId item = at(i);
    if (item == kNothingLocation) {
      spec.count.LowerMax(i);  // No item can stand here, nor after it.
      break;
    }
    spec.prefix.push_back(item);
  }
  spec.rest = at(prefix_size);
  const auto known = static_cast<int64_t>(spec.prefix.size());
  if (spec.rest == kNothingLocation) spec.count.LowerMax(known);
  if (spec.count.HasMax() && spec.count.max <= known) {
    spec.prefix.resize(static_cast<size_t>(spec.count.max));
    spec.rest = kNothingLocation;
  }
  if (spec.count.HasMax() && spec.count.max <= 1) spec.unique = false;
  for (const ItemClause& clause : clauses) {
    spec.count.RaiseMin(clause.first + clause.count.min);
    if (clause.count.IsEmpty()) return;
  }
  spec.clauses = std::move(clauses);
  for (const UncountedItems& items : unevaluated) {
    if (items.clauses != 0) spec.uncounted.push_back(items);
  }
  if (spec.count.IsEmpty()) return;
  run->result->arrays.push_back(std::move(spec));
}

}  // namespace xgrammar::json_schema
