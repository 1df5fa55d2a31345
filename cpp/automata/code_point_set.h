// CodePointSet: a set of Unicode scalar values as sorted, disjoint, non-adjacent inclusive ranges.
//
// Surrogates (U+D800..U+DFFF) are never members: they have no UTF-8 form. Complement is relative to
// all scalar values.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace xgrammar {

/// Inclusive range of code points, lo <= hi.
struct CodePointRange {
  uint32_t lo = 0;
  uint32_t hi = 0;
  friend bool operator==(const CodePointRange&, const CodePointRange&) = default;
};

/// Immutable-by-convention value type; all operations are linear in the number of ranges.
class CodePointSet {
 public:
  CodePointSet() = default;
  /// Any ranges, in any order, overlapping or not; surrogates are cut out, values above U+10FFFF
  /// must not occur.
  explicit CodePointSet(std::vector<CodePointRange> ranges);

  static CodePointSet All();
  static CodePointSet Single(uint32_t code_point);

  CodePointSet Union(const CodePointSet& other) const;
  CodePointSet Intersect(const CodePointSet& other) const;
  CodePointSet Complement() const;
  CodePointSet Minus(const CodePointSet& other) const { return Intersect(other.Complement()); }

  bool Contains(uint32_t code_point) const;
  bool empty() const { return ranges_.empty(); }
  /// Number of code points.
  int64_t size() const;
  std::span<const CodePointRange> ranges() const { return ranges_; }

  friend bool operator==(const CodePointSet&, const CodePointSet&) = default;

 private:
  std::vector<CodePointRange> ranges_;
};

}  // namespace xgrammar
