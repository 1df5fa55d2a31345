// Branch: one alternative of what a location allows for one kind of instance, in terms that can be
// written as grammar.
//
// While a conjunction is expanded, a branch collects atoms (bounds, patterns, property groups,
// ...). What objects and arrays collect is turned into ObjectSpec and ArraySpec when the branch is
// complete (finish_object.cc, finish_array.cc); numbers and strings are used as they are.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "automata/code_point_automaton.h"
#include "frontend/json_schema/conjunction.h"
#include "frontend/json_schema/schema.h"
#include "json/decimal.h"

namespace xgrammar::json_schema {

struct NumberConstraint {
  bool integer = false;
  bool non_integer = false;
  std::optional<NumberBound> lower;
  std::optional<NumberBound> upper;
  std::vector<Decimal> multiples;
  std::vector<Decimal> not_multiples;
  std::vector<Decimal> excluded;

  /// No constraint but perhaps `integer`: spelled as json-schema.md 1.6 says for numbers without
  /// numeric keywords.
  bool IsFree() const {
    return !non_integer && !lower && !upper && multiples.empty() && not_multiples.empty() &&
           excluded.empty();
  }
  /// Contradictory bounds; other contradictions show in the automaton.
  bool IsPlainlyEmpty() const;
  void RaiseLower(const NumberBound& bound);
  void LowerUpper(const NumberBound& bound);
  std::string Key() const;
};

/// A pattern or format over the decoded text, or its complement.
struct StringAtom {
  JsonId text = kNoJson;    ///< The keyword's value.
  JsonId schema = kNoJson;  ///< Where it stands, for messages.
  bool is_format = false;
  bool negated = false;
};

struct StringConstraint {
  CountRange length;
  std::vector<StringAtom> atoms;
  std::vector<std::string_view> excluded;

  bool IsFree() const { return length.IsTrivial() && atoms.empty() && excluded.empty(); }
  /// Nothing but a format, save for a `minLength` of up to `max_least`.
  bool IsOneFormat(int64_t max_least = 0) const {
    return length.min <= max_least && !length.HasMax() && atoms.size() == 1 && excluded.empty() &&
           atoms[0].is_format && !atoms[0].negated;
  }
  /// Besides its length.
  bool IsOnePattern() const {
    return atoms.size() == 1 && excluded.empty() && !atoms[0].is_format && !atoms[0].negated;
  }
  std::string Key() const;
};

/// How many items from index `first` on satisfy a literal.
struct ItemClause {
  Literal literal;
  int64_t first = 0;
  CountRange count{1, kNoMaximum};
  int32_t scope = -1;  ///< Where a `contains` stands in the tree of in-place applicators.
  std::vector<Literal> more = {};  ///< What they satisfy besides; only without an upper bound.
};

/// Items from index `first` on that count for none of some clauses satisfy a literal.
struct UncountedItems {
  Literal literal;
  int64_t first = 0;
  uint32_t clauses = 0;  ///< By index.
};

/// A schema that acts on the instance of a branch, and where in the tree of in-place applicators it
/// stands.
struct ScopedSchema {
  const Schema* schema = nullptr;
  int32_t scope = 0;
  LiteralKind kind = LiteralKind::kSchema;
};

struct ArrayAtoms {
  std::vector<ScopedSchema> groups;  ///< Schemas with prefix, items or contains.
  std::vector<std::pair<int64_t, Literal>> item_literals;
  std::vector<ItemClause> clauses;
  CountRange count;
  bool unique = false;
  bool repeated = false;     ///< Two items are equal.
  bool has_keyword = false;  ///< Some keyword for arrays stands, even if it demands nothing.
  JsonId unique_schema = kNoJson;
  std::vector<ScopedSchema> unevaluated;
  bool ignores_unevaluated = false;                ///< Lenient: they leave everything open.
  std::vector<ScopedSchema> violated_unevaluated;  ///< Some item violates `unevaluatedItems`.
};

/// Some member whose key is in a set has a value that satisfies a literal. The set: the keys that
/// match the pattern; or those that the schema leaves to `additionalProperties`; or those that
/// violate `propertyNames`; or one name; or those that nothing inside the scope evaluates.
struct MemberClause {
  enum class Keys : uint8_t { kPattern, kAdditional, kInvalidName, kName, kUnevaluated };
  Keys keys = Keys::kPattern;
  std::string_view pattern;
  const Schema* schema = nullptr;
  bool has_value = true;
  Literal value;
  int32_t scope = -1;
};

/// How a member can meet a choice: it is missing, it is there with a value that satisfies a
/// literal, or a clause about some member holds.
struct MemberWay {
  enum class Kind : uint8_t { kAbsent, kHas, kSome };
  Kind kind = Kind::kAbsent;
  std::string_view name;
  Literal literal;
  bool or_absent = false;  ///< Of kHas: missing will do, too.
  MemberClause clause;
};

/// One of the ways holds.
using MemberChoice = std::vector<MemberWay>;

struct ObjectAtoms {
  std::vector<ScopedSchema> groups;
  std::vector<std::string_view> required;
  std::vector<std::string_view> demanded;  ///< Of `required`, those that only complements ask for.
  std::vector<std::string_view>
      required_anywhere;  ///< By dependencies; no declaration of a place in the order.
  std::vector<std::string_view> forbidden;
  std::vector<std::pair<std::string_view, Literal>> member_literals;
  std::vector<Literal> name_literals;
  std::vector<MemberClause> clauses;
  std::vector<std::shared_ptr<const MemberChoice>> choices;
  CountRange count;
  std::vector<ScopedSchema> unevaluated;
  bool has_keyword = false;  ///< Some keyword for objects stands, even if it demands nothing.
  bool ignores_unevaluated = false;  ///< Lenient: they leave everything open.
};

/// A keyword that the branch cannot enforce.
struct UnsupportedKeyword {
  JsonId schema = kNoJson;
  const char* keyword = "";
  const char* reason = "";
};

struct Branch {
  bool allows_true = true;
  bool allows_false = true;
  NumberConstraint number;
  StringConstraint string;
  ArrayAtoms array;
  ObjectAtoms object;
  std::vector<UnsupportedKeyword> unsupported;

  /// How much a copy copies.
  size_t Size() const;
};

struct ArraySpec {
  std::vector<LocationId> prefix;
  LocationId rest = kAnyLocation;
  CountRange count;
  /// Items that satisfy a clause take the location of its literal joined with their own.
  std::vector<ItemClause> clauses;
  std::vector<UncountedItems> uncounted;
  bool unique = false;
  bool repeated = false;     ///< Two items are equal.
  bool has_keyword = false;  ///< As in ArrayAtoms; indented even if IsFree.
  JsonId unique_schema = kNoJson;
  bool items_given = false;  ///< Some schema has `items`, if only to let any value in.

  bool IsFree() const {
    return prefix.empty() && rest == kAnyLocation && count.IsTrivial() && clauses.empty() &&
           !unique && !repeated;
  }
  std::string Key() const;
};

struct ObjectMember {
  std::string_view name;
  bool required = false;
  LocationId value = kAnyLocation;
};

/// Undeclared keys with one schema: the decoded keys of an automaton, or any string if there is
/// none. The declared names are taken out in either case.
struct FreeCell {
  /// Which keyword lets these keys in: none; one for all other keys; `patternProperties` or
  /// `propertyNames`, so that the keys are asked for by their names.
  enum class Origin : uint8_t { kImplied, kAdditional, kNamed };
  CodePointDfaPtr keys;
  LocationId value = kAnyLocation;
  Origin origin = Origin::kImplied;
  /// The keys are all texts of this format, which is better written as rules; `keys` is null.
  std::string_view format = {};
};

/// At least one free member from certain cells, with another value.
struct FreeClause {
  std::vector<std::pair<int32_t, LocationId>>
      cell_values;  ///< Cell index, location with the clause's literal added.
  Literal literal;
};

/// At least one of the ways holds: a declared member is missing; it, or a free member of a cell, is
/// there with a value that satisfies a literal, too.
struct ObjectChoice {
  enum class Kind : uint8_t { kAbsent, kMember, kCell };
  struct Way {
    Kind kind = Kind::kAbsent;
    int32_t index = 0;  ///< Of the member or the cell.
    Literal literal;    ///< Without an id: any value.
  };
  std::vector<Way> ways;
};

struct ObjectSpec {
  std::vector<ObjectMember> members;
  std::vector<std::string_view> closed_names;  ///< Names that free keys must not decode to.
  std::vector<FreeCell> cells;
  std::vector<FreeClause> clauses;
  std::vector<ObjectChoice> choices;
  CountRange count;
  bool names_given = false;  ///< Some schema has `propertyNames`.
  bool has_keyword = false;  ///< As in ObjectAtoms; indented even if IsFree.

  bool IsFree() const {
    return members.empty() && closed_names.empty() && cells.size() == 1 &&
           cells[0].keys == nullptr && cells[0].format.empty() && cells[0].value == kAnyLocation &&
           clauses.empty() && choices.empty() && count.IsTrivial();
  }
  std::string Key() const;
};

/// All that a location allows: values of the document and branches by kind of instance.
struct Expansion {
  bool allows_null = false;
  bool allows_true = false;
  bool allows_false = false;
  std::vector<JsonId> values;  ///< Members of enum and const; equal ones if spelled differently.
  std::vector<NumberConstraint> numbers;
  std::vector<StringConstraint> strings;
  std::vector<ArraySpec> arrays;
  std::vector<ObjectSpec> objects;

  bool IsEmpty() const {
    return !allows_null && !allows_true && !allows_false && values.empty() && numbers.empty() &&
           strings.empty() && arrays.empty() && objects.empty();
  }
  /// Values of every type, of strings perhaps none: nothing asks for a type.
  bool IsUntyped() const {
    return allows_null && allows_true && allows_false && !numbers.empty() && !arrays.empty() &&
           !objects.empty();
  }
  /// Finitely many values, all known.
  bool IsFinite() const {
    return numbers.empty() && strings.empty() && arrays.empty() && objects.empty();
  }
};

}  // namespace xgrammar::json_schema
