// Schema: one schema object after reading, the intermediate form between JSON text and the merging
// stage.
//
// A schema is named by the JsonId of its JSON value. Keywords are typed and checked; sub-schemas
// stay ids and are read when they are first visited, so that what is never referenced is never
// looked at. Keywords that act on the same instance (in-place applicators) are steps in document
// order, because order decides the order of property names.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "json/decimal.h"
#include "json/value.h"

namespace xgrammar::json_schema {

/// The six disjoint kinds of JSON instances. Integers are numbers with a constraint.
enum class InstanceType : uint8_t { kNull, kBoolean, kNumber, kString, kArray, kObject };
constexpr int kNumInstanceTypes = 6;

/// Set of names that `type` can hold.
using TypeSet = uint8_t;
constexpr TypeSet kNullBit = 1;
constexpr TypeSet kBooleanBit = 2;
constexpr TypeSet kIntegerBit = 4;
constexpr TypeSet kNumberBit = 8;
constexpr TypeSet kStringBit = 16;
constexpr TypeSet kArrayBit = 32;
constexpr TypeSet kObjectBit = 64;
constexpr TypeSet kAllTypes = 127;

/// The bits of `type` names that admit some instance of the kind.
constexpr TypeSet BitsOf(InstanceType type) {
  constexpr TypeSet kBits[] = {kNullBit,   kBooleanBit, kIntegerBit | kNumberBit,
                               kStringBit, kArrayBit,   kObjectBit};
  return kBits[static_cast<size_t>(type)];
}

/// No upper bound on a count.
constexpr int64_t kNoMaximum = -1;

struct CountRange {
  int64_t min = 0;
  int64_t max = kNoMaximum;
  bool HasMax() const { return max != kNoMaximum; }
  bool IsEmpty() const { return HasMax() && max < min; }
  bool IsTrivial() const { return min == 0 && max == kNoMaximum; }
  void RaiseMin(int64_t value) { min = value > min ? value : min; }
  void LowerMax(int64_t value) { max = HasMax() && max < value ? max : value; }
};

struct NumberBound {
  Decimal value;
  bool exclusive = false;
};

/// A named sub-schema: property name or pattern, as decoded text inside the document.
struct NamedSchema {
  std::string_view name;
  JsonId schema = kNoJson;
};

/// An in-place applicator, or the place where the schema declares properties.
struct Step {
  enum class Kind : uint8_t {
    kRef,                ///< value: the target schema.
    kAllOfMember,        ///< value: the member.
    kAnyOf,              ///< members.
    kOneOf,              ///< members.
    kNot,                ///< value: the sub-schema.
    kIf,                 ///< value: the condition; Schema::then_schema, else_schema.
    kDependentRequired,  ///< name; value: the JSON array of names.
    kDependentSchema,    ///< name; value: the sub-schema.
    kObjectGroup,        ///< properties, patternProperties and additionalProperties of this schema.
    kDynamicRef,         ///< value: the target where it stands; name: the anchor. Until placed.
  };
  Kind kind = Kind::kRef;
  JsonId value = kNoJson;
  std::string_view name;
  std::vector<JsonId> members;
};

struct Schema {
  JsonId id = kNoJson;
  bool is_boolean = false;
  bool boolean_value = false;
  /// What `type` allows; kAllTypes without `type`.
  TypeSet types = kAllTypes;
  /// What strict mode's inference allows on top (json-schema.md 1.4); kAllTypes where it infers
  /// nothing.
  TypeSet inferred_types = kAllTypes;
  std::vector<Step> steps;

  JsonId enum_values = kNoJson;
  JsonId const_value = kNoJson;

  std::optional<NumberBound> minimum;
  std::optional<NumberBound> maximum;
  std::optional<Decimal> multiple_of;

  CountRange length;  ///< Also what `pattern` says of it (StringLanguage::PatternWithoutLength).
  JsonId pattern = kNoJson;
  JsonId format = kNoJson;

  std::vector<JsonId> prefix_items;
  JsonId items = kNoJson;  ///< Schema of the items after the prefix.
  CountRange item_count;
  bool unique_items = false;
  JsonId contains = kNoJson;
  CountRange contains_count{1, kNoMaximum};
  JsonId unevaluated_items = kNoJson;

  bool declares_properties =
      false;  ///< `properties` or `patternProperties` stands here, even if empty.
  std::vector<NamedSchema> properties;
  std::vector<NamedSchema> pattern_properties;
  JsonId additional_properties = kNoJson;
  JsonId property_names = kNoJson;
  std::vector<std::string_view> required;
  CountRange property_count;
  JsonId unevaluated_properties = kNoJson;

  JsonId then_schema = kNoJson;
  JsonId else_schema = kNoJson;

  bool HasUnevaluated() const {
    return unevaluated_items != kNoJson || unevaluated_properties != kNoJson;
  }
  /// Only a reference with annotations around it, so that it can stand for its target.
  bool is_plain_reference = false;
  /// Only `type` with annotations around it.
  bool is_only_types = false;
  /// Some keyword for objects, or for arrays, stands here, even if it demands nothing.
  bool has_object_keyword = false;
  bool has_array_keyword = false;
  /// Besides `type`, only `enum` or `const` constrain strings.
  bool HasOnlyValuesForStrings() const {
    return steps.empty() && length.IsTrivial() && pattern == kNoJson && format == kNoJson;
  }
  /// Constrains nothing.
  bool IsTrivial() const { return is_boolean ? boolean_value : is_empty; }
  bool is_empty = false;
};

/// Whether nothing satisfies a schema because it says so.
inline bool IsFalse(const Schema& schema) { return schema.is_boolean && !schema.boolean_value; }

}  // namespace xgrammar::json_schema
