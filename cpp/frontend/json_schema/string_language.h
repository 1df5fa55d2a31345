// StringLanguage: the automata of patterns, formats, lengths and exclusions over decoded
// characters, each made once.
//
// Between Merger, which collects constraints, and the converter, which spells the result. Knows
// nothing of quotes and escapes. Owned by one conversion.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "automata/code_point_automaton.h"
#include "frontend/json_schema/branch.h"
#include "frontend/json_schema/reader.h"

namespace xgrammar::json_schema {

/// Borrows the reader; owned by one conversion.
class StringLanguage {
 public:
  explicit StringLanguage(const SchemaReader& reader, bool is_lenient = false)
      : reader_(reader), is_lenient_(is_lenient) {}

  /// Keywords that cannot be enforced are dropped.
  bool is_lenient() const { return is_lenient_; }
  /// Whether the pattern of a schema is dropped, and why.
  bool IsDropped(const Schema& schema, std::string* reason = nullptr);

  /// Language of a `pattern` (search semantics, ECMA-262). Errors carry the pointer of `schema` and
  /// the keyword.
  CodePointDfaPtr Pattern(std::string_view pattern, JsonId schema, std::string_view keyword) {
    return Pattern(pattern, schema, keyword, false);
  }
  /// The same for `pattern` without the bounds on the length, which the schema has (schema.h).
  CodePointDfaPtr PatternWithoutLength(std::string_view pattern, JsonId schema) {
    return Pattern(pattern, schema, "pattern", true);
  }
  /// Language of a format, or null if the name is only an annotation. Raises kUnsupported for
  /// formats that are not regular and asserted.
  CodePointDfaPtr Format(std::string_view name, JsonId schema);
  /// All of a constraint. Null means every string.
  CodePointDfaPtr Constraint(const StringConstraint& constraint, JsonId schema);
  /// All of a constraint but the length; null if there is none.
  CodePointDfaPtr WithoutLength(const StringConstraint& constraint, JsonId schema);

  /// A language that holds all strings that satisfy a constraint: all of it, but for formats that
  /// are not regular. Null means every string.
  CodePointDfaPtr Cover(const StringConstraint& constraint, JsonId schema);

  /// Whether some strings that satisfy the constraint are left out (formats that are not regular).
  bool IsSubset(const StringConstraint& constraint) const;

  CodePointDfaPtr Intersection(const CodePointDfaPtr& a, const CodePointDfaPtr& b);
  CodePointDfaPtr Difference(const CodePointDfaPtr& a, const CodePointDfaPtr& b);
  CodePointDfaPtr ComplementOf(const CodePointDfaPtr& dfa);
  /// All texts but these.
  CodePointDfaPtr AllBut(const std::vector<std::string_view>& texts);

 private:
  CodePointDfaPtr ProductOf(const std::vector<CodePointDfaPtr>& factors,
                            const std::vector<CodePointDfaPtr>& more);
  // With its operands, whose addresses are the key.
  struct Product {
    CodePointDfaPtr a;
    CodePointDfaPtr b;
    CodePointDfaPtr result;
  };

  CodePointDfaPtr Pattern(std::string_view pattern, JsonId schema, std::string_view keyword,
                          bool ignores_length);
  CodePointDfaPtr Atom(const StringAtom& atom);
  bool IsSubset(const StringAtom& atom) const;

  const SchemaReader& reader_;
  bool is_lenient_;
  std::unordered_map<std::string, CodePointDfaPtr> automata_;
  std::unordered_map<const CodePointDfa*, CodePointDfaPtr> complements_;
  std::map<std::pair<const CodePointDfa*, const CodePointDfa*>, Product> products_;
  size_t num_kept_states_ = 0;  ///< Of `products_`.
};

}  // namespace xgrammar::json_schema
