// Lexer of the Lark front end: source text -> tokens, one at a time.
//
// Line oriented: a line end is a token, unless the next line that is not empty begins with `|`.
// String escapes are decoded here; patterns and JSON values are passed on as they stand. A
// hand-written scanner (Aho, Lam, Sethi and Ullman, "Compilers", 2006, chapter 3), linear in the
// source.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "frontend/lark/source.h"

namespace xgrammar::lark {

enum class TokenKind : uint8_t {
  kName,
  kString,     ///< `text` holds the decoded text, `flags` "i" or nothing.
  kRegex,      ///< `text` holds the pattern, `flags` the letters after it.
  kNumber,     ///< `text` as in the source, with sign, fraction and exponent.
  kDirective,  ///< `%word`; `text` holds the word.
  kJson,       ///< The text of a JSON value, after some directives.
  kSpecial,    ///< `<...>`, brackets included.
  kGrammar,    ///< `@name`; `text` holds the name.
  kColon,
  kBar,
  kAmpersand,
  kTilde,
  kOpen,
  kClose,
  kOpenBracket,
  kCloseBracket,
  kOpenBrace,
  kCloseBrace,
  kStar,
  kPlus,
  kQuestion,
  kBang,
  kComma,
  kDot,
  kDotDot,
  kArrow,
  kEqual,
  kNewline,
  kEnd,
};

struct Token {
  TokenKind kind = TokenKind::kEnd;
  size_t offset = 0;  ///< First byte in the source.
  size_t size = 0;    ///< Bytes in the source.
  std::string text;
  std::string flags;
};

/// Owned by one thread; borrows the source.
class Lexer {
 public:
  explicit Lexer(const Source& source) : source_(source), text_(source.text()) {}

  /// Overwrites `token` with the next one; kEnd at the end, any number of times. Raises
  /// kGrammarSyntax.
  void Next(Token* token);
  /// Whether a number follows, blanks aside.
  bool IsNumberNext() const;
  const Source& source() const { return source_; }

 private:
  char Peek(size_t ahead = 0) const {
    return position_ + ahead < text_.size() ? text_[position_ + ahead] : '\0';
  }
  bool IsNumberAt(size_t position) const;
  size_t EndOfBlanks(size_t position) const;
  void LexLineEnd(Token* token);
  void LexWord(Token* token);
  void LexNumber(Token* token);
  void LexString(Token* token);
  void LexEscape(Token* token);
  uint32_t LexHexDigits(size_t count, size_t escape_offset);
  void LexRegex(Token* token);
  void LexDirective(Token* token);
  void LexJson(Token* token);
  void LexSpecial(Token* token);
  void LexGrammarName(Token* token);
  void LexPunctuation(Token* token);

  const Source& source_;
  std::string_view text_;
  size_t position_ = 0;
  bool json_follows_ = false;
};

}  // namespace xgrammar::lark
