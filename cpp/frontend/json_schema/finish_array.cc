// A complete array branch -> ArraySpec: items by position, conjoined over all schemas that describe
// them.
#include <algorithm>
#include <utility>

#include "frontend/json_schema/merge.h"

namespace xgrammar::json_schema {

namespace {

// The schema that a group gives to an index, or kNoJson.
JsonId ItemSchema(const Schema& schema, int64_t index) {
  if (index < static_cast<int64_t>(schema.prefix_items.size()))
    return schema.prefix_items[static_cast<size_t>(index)];
  return schema.items;
}

}  // namespace

void Merger::FinishArray(Run* run, const ArrayAtoms& atoms) {
  ArraySpec spec;
  spec.count = atoms.count;
  spec.unique = atoms.unique;
  spec.unique_schema = atoms.unique_schema;
  int64_t prefix_size = 0;
  bool strict_prefix = false;
  bool strict_open = !atoms.unevaluated.empty();
  for (const ScopedSchema& group : atoms.groups) {
    const auto size = static_cast<int64_t>(group.schema->prefix_items.size());
    prefix_size = std::max(prefix_size, size);
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

  std::vector<ScopedSchema> unevaluated;
  for (const ScopedSchema& keyword : atoms.unevaluated) {
    const bool supported =
        std::none_of(atoms.groups.begin(), atoms.groups.end(), [&](const ScopedSchema& group) {
          return group.schema->contains != kNoJson && IsInScope(*run, group.scope, keyword.scope);
        });
    if (supported) {
      unevaluated.push_back(keyword);
    } else {
      Unsupported(keyword.schema->id, "unevaluatedItems",
                  "'contains' beside it marks items as evaluated");
    }
  }
  const auto at = [&](int64_t index) {
    Conjunction literals;
    for (const ScopedSchema& group : atoms.groups) {
      const JsonId schema = ItemSchema(*group.schema, index);
      if (schema != kNoJson) literals.push_back({schema, group.kind});
    }
    for (const ScopedSchema& keyword : unevaluated) {
      const bool evaluated =
          std::any_of(atoms.groups.begin(), atoms.groups.end(),
                      [&](const ScopedSchema& group) {
                        return ItemSchema(*group.schema, index) != kNoJson &&
                               IsInScope(*run, group.scope, keyword.scope);
                      }) ||
          std::any_of(unevaluated.begin(), unevaluated.end(), [&](const ScopedSchema& inner) {
            return inner.scope != keyword.scope && IsInScope(*run, inner.scope, keyword.scope);
          });
      if (!evaluated) literals.push_back({keyword.schema->unevaluated_items, keyword.kind});
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
  for (const ItemClause& clause : atoms.clauses) {
    if (clause.count.IsTrivial()) continue;
    spec.count.RaiseMin(clause.first + clause.count.min);
    if (clause.count.IsEmpty()) return;
    spec.clauses.push_back(clause);
  }
  if (spec.count.IsEmpty()) return;
  run->result->arrays.push_back(std::move(spec));
}

}  // namespace xgrammar::json_schema
