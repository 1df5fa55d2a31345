// What one schema says about an instance without looking at other schemas: bounds, counts, patterns
// and names go into the branch; applicators are steps of their own (merge.cc).
//
// Part of Merger. A branch that becomes plainly empty is dropped at once; contradictions that take
// a search are the business of emptiness.cc.
#include <algorithm>
#include <unordered_set>

#include "frontend/json_schema/merge.h"
#include "frontend/json_schema/string_formats.h"

namespace xgrammar::json_schema {

bool Merger::Require(Branch* branch, std::string_view name) {
  ObjectAtoms& object = branch->object;
  if (std::find(object.forbidden.begin(), object.forbidden.end(), name) != object.forbidden.end())
    return false;
  if (std::find(object.required.begin(), object.required.end(), name) == object.required.end()) {
    object.required.push_back(name);
  }
  std::erase(object.demanded, name);
  return true;
}

// A complement asks for the name, which does not make it a declared one.
bool Merger::Demand(Branch* branch, std::string_view name) {
  ObjectAtoms& object = branch->object;
  const bool is_known =
      std::find(object.required.begin(), object.required.end(), name) != object.required.end();
  const bool is_demanded =
      std::find(object.demanded.begin(), object.demanded.end(), name) != object.demanded.end();
  if (!Require(branch, name)) return false;
  if (!is_known || is_demanded) object.demanded.push_back(name);
  return true;
}

// Dependencies declare no names: where nothing else does, such a name may stand among the free
// keys.
bool Merger::RequireAnywhere(Branch* branch, std::string_view name) {
  ObjectAtoms& object = branch->object;
  if (std::find(object.forbidden.begin(), object.forbidden.end(), name) != object.forbidden.end())
    return false;
  const auto has = [&](const std::vector<std::string_view>& names) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  if (!has(object.required) && !has(object.required_anywhere))
    object.required_anywhere.push_back(name);
  return true;
}

bool Merger::Forbid(Branch* branch, std::string_view name) {
  ObjectAtoms& object = branch->object;
  for (const auto* names : {&object.required, &object.required_anywhere}) {
    if (std::find(names->begin(), names->end(), name) != names->end()) return false;
  }
  if (std::find(object.forbidden.begin(), object.forbidden.end(), name) == object.forbidden.end()) {
    object.forbidden.push_back(name);
  }
  return true;
}

// Lenient: whether the pattern is one that cannot be enforced.
bool Merger::IsPatternDropped(const Schema& schema) {
  std::string reason;
  if (!strings_.IsDropped(schema, &reason)) return false;
  Report(schema.id, "pattern", reason, "ignored");
  return true;
}

// Names such as `int32` stand beside every type.
void Merger::ReportFormat(const Schema& schema) {
  const std::string_view name = reader_.document().text(schema.format);
  if (FormatKindOf(name) != FormatKind::kUnknown || !reported_.insert(schema.id).second) return;
  Report(schema.id, "format", "unknown format '" + QuoteForMessage(name, 60) + "'", "annotation");
}

// Adds the keywords that act on the run's kind of instance; false if the branch is now empty.
bool Merger::ApplyConstraints(Run* run, Work* work, const Schema& schema, LiteralKind kind,
                              int32_t scope) {
  Branch& branch = work->branch;
  const bool is_violated = kind == LiteralKind::kUnevaluated;
  kind = InnerKind(kind);
  switch (run->type) {
    case InstanceType::kNull:
    case InstanceType::kBoolean:
      return true;
    case InstanceType::kNumber: {
      NumberConstraint& number = branch.number;
      if ((schema.types & kNumberBit) == 0) number.integer = true;
      if (schema.minimum) number.RaiseLower(*schema.minimum);
      if (schema.maximum) number.LowerUpper(*schema.maximum);
      if (schema.multiple_of) number.multiples.push_back(*schema.multiple_of);
      return !number.IsPlainlyEmpty();
    }
    case InstanceType::kString: {
      StringConstraint& string = branch.string;
      string.length.RaiseMin(schema.length.min);
      if (schema.length.HasMax()) string.length.LowerMax(schema.length.max);
      if (schema.pattern != kNoJson && !IsPatternDropped(schema))
        string.atoms.push_back({schema.pattern, schema.id, false, false});
      if (schema.format != kNoJson) {
        const std::string_view name = reader_.document().text(schema.format);
        switch (FormatKindOf(name)) {
          case FormatKind::kRegular:
          case FormatKind::kSubset:
            string.atoms.push_back({schema.format, schema.id, true, false});
            if (MaxLengthOfFormat(name) != kNoMaximum)
              string.length.LowerMax(MaxLengthOfFormat(name));
            break;
          case FormatKind::kUnsupported:
            Unsupport(work, schema.id, "format", "the format idn-hostname is not implemented");
            break;
          case FormatKind::kUnknown:
            break;  // Reported whatever the type.
        }
      }
      return !string.length.IsEmpty();
    }
    case InstanceType::kArray: {
      ArrayAtoms& array = branch.array;
      array.has_keyword = array.has_keyword || schema.has_array_keyword;
      array.count.RaiseMin(schema.item_count.min);
      if (schema.item_count.HasMax()) array.count.LowerMax(schema.item_count.max);
      if (schema.unique_items) {
        array.unique = true;
        array.unique_schema = schema.id;
      }
      if (schema.contains != kNoJson) {
        array.clauses.push_back(
            {{schema.contains, LiteralKind::kPlainSchema}, 0, schema.contains_count, scope});
      }
      if (!schema.prefix_items.empty() || schema.items != kNoJson || schema.contains != kNoJson) {
        array.groups.push_back({&schema, scope, kind});
      }
      if (schema.unevaluated_items != kNoJson) {
        (is_violated ? array.violated_unevaluated : array.unevaluated)
            .push_back({&schema, scope, kind});
      }
      return !array.count.IsEmpty();
    }
    case InstanceType::kObject: {
      ObjectAtoms& object = branch.object;
      object.has_keyword = object.has_keyword || schema.has_object_keyword;
      object.count.RaiseMin(schema.property_count.min);
      if (schema.property_count.HasMax()) object.count.LowerMax(schema.property_count.max);
      if (object.required.empty() && object.forbidden.empty()) {
        object.required = schema.required;
        if (schema.required.size() >
            1) {  // Duplicates in one list are rare; Require would be quadratic.
          std::unordered_set<std::string_view> seen;
          std::erase_if(object.required,
                        [&](std::string_view name) { return !seen.insert(name).second; });
        }
      } else {
        for (const std::string_view name : schema.required) {
          if (!Require(&branch, name)) return false;
        }
      }
      if (schema.property_names != kNoJson) {
        object.name_literals.push_back({schema.property_names, LiteralKind::kPlainSchema});
      }
      if (schema.unevaluated_properties != kNoJson && is_violated) {
        const Literal violation{schema.unevaluated_properties, LiteralKind::kNotSchema};
        object.clauses.push_back(
            {MemberClause::Keys::kUnevaluated, {}, &schema, true, violation, scope});
        object.count.RaiseMin(1);
      } else if (schema.unevaluated_properties != kNoJson) {
        object.unevaluated.push_back({&schema, scope, kind});
      }
      return !object.count.IsEmpty();
    }
  }
  return true;
}

}  // namespace xgrammar::json_schema
