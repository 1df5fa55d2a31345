// What a place in the document must satisfy: a conjunction of literals, each a schema or its
// complement.
//
// All of the merging stage works on this one idea. `allOf`, references with siblings and
// overlapping property patterns make conjunctions; `not`, `if` and `oneOf` make complemented
// literals; alternatives become branches (merge.h).
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "json/value.h"

namespace xgrammar::json_schema {

enum class LiteralKind : uint8_t {
  kSchema,       ///< The instance is valid; strict mode narrows it.
  kPlainSchema,  ///< The instance is valid by the standard alone (conditions; strict mode never
                 ///< changes those).
  kNotSchema,    ///< The instance is not valid by the standard.
  kConst,        ///< The instance equals a value of the document.
  kNotConst,     ///< It does not.
  kUnevaluated,  ///< Valid but for the schema's own unevaluated*, which some child violates. Only
                 ///< while a complement is expanded.
};

/// How the parts of a schema act that acts in some way itself.
constexpr LiteralKind InnerKind(LiteralKind kind) {
  return kind == LiteralKind::kUnevaluated ? LiteralKind::kPlainSchema : kind;
}

struct Literal {
  JsonId id = kNoJson;
  LiteralKind kind = LiteralKind::kSchema;
  friend bool operator==(const Literal&, const Literal&) = default;
};

using Conjunction = std::vector<Literal>;

/// An interned conjunction. Two numbers are fixed: everything and nothing.
using LocationId = int32_t;
constexpr LocationId kAnyLocation = 0;
constexpr LocationId kNothingLocation = 1;

struct ConjunctionHash {
  size_t operator()(const Conjunction& conjunction) const {
    uint64_t hash = 0x9E3779B97F4A7C15u + conjunction.size();
    for (const Literal& literal : conjunction) {
      hash ^= static_cast<uint64_t>(static_cast<uint32_t>(literal.id)) * 8 +
              static_cast<uint64_t>(literal.kind);
      hash *= 0xBF58476D1CE4E5B9u;
      hash ^= hash >> 29;
    }
    return static_cast<size_t>(hash);
  }
};

}  // namespace xgrammar::json_schema
