// Lexer of the EBNF front end: source text -> tokens, one at a time.
//
// The language is docs/reference/ebnf.md. Escapes are decoded and classes are turned into sets
// here, so that the parser sees code points only. Positions are byte offsets; lines and columns are
// counted when an error needs them. A hand-written scanner (Aho, Lam, Sethi and Ullman,
// "Compilers", 2006, chapter 3), linear in the source.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "automata/code_point_set.h"
#include "support/error.h"

namespace xgrammar::ebnf {

enum class TokenKind : uint8_t {
  kIdentifier,
  kString,        ///< `text` holds the decoded bytes.
  kCharClass,     ///< `set` holds the members.
  kInteger,       ///< `integer` holds the value.
  kBoolean,       ///< `integer` is 0 or 1.
  kTokenLiteral,  ///< GBNF `<[7]>` or `<name>`, `!` before it for any other token. `integer` is the
                  ///< id, or -1 and `text` is the token with its brackets.
  kOptions,       ///< `[...]` between a rule name and `::=`.
  kAssign,        ///< `::=`
  kBar,           ///< `|`
  kOpen,          ///< `(`
  kOpenLookahead,  ///< `(=`
  kClose,          ///< `)`
  kOpenBrace,
  kCloseBrace,
  kComma,
  kStar,
  kPlus,
  kQuestion,
  kEqual,
  kEnd,
};

struct Token {
  TokenKind kind = TokenKind::kEnd;
  size_t offset = 0;  ///< First byte in the source.
  size_t size = 0;    ///< Bytes in the source.
  int64_t integer = 0;
  bool negated = false;  ///< kTokenLiteral: `!` stands before it.
  std::string text;
  CodePointSet set;
};

/// Owned by one thread; borrows the source.
class Lexer {
 public:
  /// Raises kGrammarSyntax if the source holds NUL or is not UTF-8.
  explicit Lexer(std::string_view source);

  /// Overwrites `token` with the next one; kEnd at the end, any number of times. Raises
  /// kGrammarSyntax.
  void Next(Token* token);
  /// Starts again from the beginning.
  void Rewind();

  std::string_view source() const { return source_; }
  std::string_view SourceOf(const Token& token) const {
    return source_.substr(token.offset, token.size);
  }
  /// Whether only blanks stand before `offset` on its line.
  bool IsFirstOnLine(size_t offset) const;
  /// The error at a byte offset, with line and column.
  Error ErrorAt(ErrorKind kind, size_t offset, std::string message) const;
  [[noreturn]] void Fail(size_t offset, std::string message) const;

 private:
  char Peek(size_t ahead = 0) const {
    return position_ + ahead < source_.size() ? source_[position_ + ahead] : '\0';
  }
  void SkipBlanksAndComments();
  void LexPunctuation(Token* token);
  void LexWord(Token* token);
  void LexInteger(Token* token);
  void LexString(Token* token);
  void LexCharClass(Token* token);
  bool LexOptions(Token* token);
  void LexTokenLiteral(Token* token);
  uint32_t LexClassMember();
  [[noreturn]] void FailUnexpected() const;

  std::string_view source_;
  size_t position_ = 0;
  bool in_braces_ = false;  // Words are integers there, so that `{1.5}` is not one name.
  size_t options_offset_ =
      0;  // Where a `[` would begin rule options: just after a name that is first on its line.
};

}  // namespace xgrammar::ebnf
