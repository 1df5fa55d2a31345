// LiteralWriter: spells strings and character classes of EBNF in ASCII.
//
// A rule name never stands in a literal as a whole word, nor does `::=`: one character is then
// written as an escape, so that clients may rename rules by whole-word substitution over the text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "automata/code_point_set.h"
#include "grammar/printed_names.h"

namespace xgrammar {

class LiteralWriter {
 public:
  /// Appends to `out`; both outlive the writer.
  LiteralWriter(const PrintedNames& names, std::string* out) : names_(names), out_(*out) {}

  /// `bytes` is well-formed UTF-8. Linear.
  void AppendString(std::string_view bytes);
  /// Sorted, disjoint ranges; one code point alone is written as a string.
  void AppendCharClass(std::span<const CodePointRange> ranges);
  /// The same, but always written as a class.
  void AppendTextClass(std::span<const CodePointRange> ranges);

 private:
  enum class Context : uint8_t { kString, kCharClass };

  void Begin(Context context, std::string_view opening);
  void End(char closing);
  void PutCodePoint(uint32_t code_point, bool hex_digit_follows);
  void PutDash();
  void EndWord();
  bool NeedsEscape(uint32_t code_point) const;

  const PrintedNames& names_;
  std::string& out_;
  Context context_ = Context::kString;
  size_t literal_start_ = 0;  // Just after the opening quote or bracket.
  // The word being written, and the code point whose spelling it begins in.
  size_t word_start_ = 0;
  size_t word_first_start_ = 0;
  size_t word_first_size_ = 0;
  uint32_t word_first_ = 0;
  bool in_word_ = false;
};

}  // namespace xgrammar
