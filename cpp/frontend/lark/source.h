// Source: the text of one Lark grammar, and the errors that point into it.
//
// Positions are byte offsets; lines and columns are counted when an error needs them. The text of
// an error shows the source line with a mark below the column.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "support/error.h"
#include "support/limits.h"

namespace xgrammar::lark {

/// Borrows the text. Immutable; safe to share.
class Source {
 public:
  /// `name` is that of a named grammar, for messages, or empty. Raises kGrammarSyntax if the text
  /// is not UTF-8 or holds NUL, kLimit past Limits::max_source_bytes.
  Source(std::string_view text, std::string name, const Limits& limits);

  std::string_view text() const { return text_; }
  /// The error at a byte offset.
  Error ErrorAt(ErrorKind kind, size_t offset, std::string message) const;
  [[noreturn]] void Fail(size_t offset, std::string message) const;
  /// Throws a kUnsupported error with a hint.
  [[noreturn]] void Refuse(size_t offset, std::string feature, std::string hint) const;
  /// What another stage raised about a part of this text, with the place of the part.
  Error Placed(const Error& error, size_t offset) const;
  /// Line and column, both 1-based.
  std::string DescribePlace(size_t offset) const;

 private:
  struct Place {
    int64_t line = 0;
    int64_t column = 0;
    size_t line_start = 0;
  };
  Place PlaceOf(size_t offset) const;
  Error Compose(Error error, size_t offset) const;

  std::string_view text_;
  std::string name_;
  std::vector<size_t> line_starts_;
};

}  // namespace xgrammar::lark
