// Lexer of the EBNF front end: blanks, comments, names, integers, strings, classes, punctuation,
// rule options.
//
// What each token may hold is docs/reference/ebnf.md, "Lexical structure". Nothing here recurses or
// looks back, except that a rule name is recognised as the first token on its line.
#include "frontend/ebnf/lexer.h"

#include <cstdio>
#include <utility>

#include "frontend/ebnf/escape.h"
#include "support/utf8.h"

namespace xgrammar::ebnf {

namespace {

constexpr int64_t kMaxInteger = 1000000000000000;  // 10^15; a larger number in a grammar is a slip.

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsBlank(char c) { return c == ' ' || c == '\t'; }
bool IsLineEnd(char c) { return c == '\n' || c == '\r'; }
bool IsNameChar(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || IsDigit(c) || c == '_' || c == '-' ||
         c == '.';
}

// `-?[0-9]+`
bool IsIntegerText(std::string_view text) {
  size_t start = text[0] == '-' ? 1 : 0;
  if (start == text.size()) return false;
  for (char c : text.substr(start)) {
    if (!IsDigit(c)) return false;
  }
  return true;
}

}  // namespace

Lexer::Lexer(std::string_view source) : source_(source) {
  for (size_t i = 0; i < source.size();) {
    unsigned char byte = static_cast<unsigned char>(source[i]);
    if (byte == 0) Fail(i, "Unexpected character NUL in the grammar text; write \\0 in a string");
    if (byte < 0x80) {
      ++i;
      continue;
    }
    DecodedCodePoint decoded = DecodeUtf8(source, i);
    if (!decoded.valid) Fail(i, "The grammar text is not well-formed UTF-8");
    i += decoded.size;
  }
}

Error Lexer::ErrorAt(ErrorKind kind, size_t offset, std::string message) const {
  int64_t line = 1;
  size_t line_start = 0;
  for (size_t i = 0; i < offset; ++i) {
    bool is_crlf = source_[i] == '\r' && i + 1 < source_.size() && source_[i + 1] == '\n';
    if (IsLineEnd(source_[i]) && !(is_crlf && i + 1 < offset)) {
      ++line;
      line_start = i + 1;
    }
  }
  int64_t column = CountCodePoints(source_.substr(line_start, offset - line_start)) + 1;
  Error error(kind, std::move(message));
  error.At(line, column);
  return error;
}

void Lexer::Fail(size_t offset, std::string message) const {
  throw ErrorAt(ErrorKind::kGrammarSyntax, offset, std::move(message));
}

void Lexer::Rewind() {
  position_ = 0;
  in_braces_ = false;
  options_offset_ = 0;
}

bool Lexer::IsFirstOnLine(size_t offset) const {
  while (offset > 0 && IsBlank(source_[offset - 1])) --offset;
  return offset == 0 || IsLineEnd(source_[offset - 1]);
}

void Lexer::SkipBlanksAndComments() {
  while (position_ < source_.size()) {
    char c = source_[position_];
    if (IsBlank(c) || IsLineEnd(c)) {
      ++position_;
    } else if (c == '#') {
      while (position_ < source_.size() && !IsLineEnd(source_[position_])) ++position_;
    } else {
      return;
    }
  }
}

void Lexer::Next(Token* token) {
  SkipBlanksAndComments();
  token->offset = position_;
  token->kind = TokenKind::kEnd;
  if (position_ < source_.size()) {
    char c = source_[position_];
    if (c == '"') {
      LexString(token);
    } else if (c == '[') {
      if (options_offset_ != position_ || position_ == 0 || !LexOptions(token)) {
        LexCharClass(token);
      }
    } else if (in_braces_ && (IsDigit(c) || (c == '-' && IsDigit(Peek(1))))) {
      LexInteger(token);
    } else if (IsNameChar(c)) {
      LexWord(token);
    } else {
      LexPunctuation(token);
    }
  }
  token->size = position_ - token->offset;
  in_braces_ =
      token->kind == TokenKind::kOpenBrace ||
      (in_braces_ && (token->kind == TokenKind::kInteger || token->kind == TokenKind::kComma));
}

void Lexer::LexPunctuation(Token* token) {
  static constexpr std::pair<char, TokenKind> kSingles[] = {
      {'|', TokenKind::kBar},   {'(', TokenKind::kOpen},      {')', TokenKind::kClose},
      {',', TokenKind::kComma}, {'{', TokenKind::kOpenBrace}, {'}', TokenKind::kCloseBrace},
      {'*', TokenKind::kStar},  {'+', TokenKind::kPlus},      {'?', TokenKind::kQuestion},
      {'=', TokenKind::kEqual},
  };
  char c = source_[position_];
  if (source_.substr(position_, 3) == "::=") {
    token->kind = TokenKind::kAssign;
    position_ += 3;
    return;
  }
  if (c == '(' && Peek(1) == '=') {
    token->kind = TokenKind::kOpenLookahead;
    position_ += 2;
    return;
  }
  for (const auto& [single, kind] : kSingles) {
    if (single != c) continue;
    token->kind = kind;
    ++position_;
    return;
  }
  if (c == '<' || (c == '!' && Peek(1) == '<')) return LexTokenLiteral(token);
  FailUnexpected();
}

void Lexer::LexTokenLiteral(Token* token) {
  token->kind = TokenKind::kTokenLiteral;
  token->negated = source_[position_] == '!';
  if (token->negated) ++position_;
  const size_t start = position_++;
  if (Peek() == '[') {
    ++position_;
    if (!IsDigit(Peek())) Fail(position_, "Expect a token id in the token literal");
    LexInteger(token);
    token->kind = TokenKind::kTokenLiteral;
    if (source_.substr(position_, 2) != "]>") Fail(position_, "Expect ]> in the token literal");
    position_ += 2;
    return;
  }
  const size_t end = source_.find_first_of(">\n\r", position_);
  if (end == std::string_view::npos || source_[end] != '>') {
    Fail(end == std::string_view::npos ? source_.size() : end, "Expect > in the token literal");
  }
  if (end == position_) Fail(position_, "The token literal has no name");
  position_ = end + 1;
  token->integer = -1;
  token->text = source_.substr(start, position_ - start);
}

void Lexer::FailUnexpected() const {
  DecodedCodePoint decoded = DecodeUtf8(source_, position_);
  char code[16];
  std::snprintf(code, sizeof(code), "U+%04X", decoded.code_point);
  std::string message = "Unexpected character \"" +
                        QuoteForMessage(source_.substr(position_, decoded.size)) + "\" (" + code +
                        ")";
  Error error = ErrorAt(ErrorKind::kGrammarSyntax, position_, std::move(message));
  if (source_[position_] == '\'') error.Hint("strings are written in double quotes");
  throw error;
}

void Lexer::LexWord(Token* token) {
  while (position_ < source_.size() && IsNameChar(source_[position_])) ++position_;
  std::string_view word = source_.substr(token->offset, position_ - token->offset);
  if (IsIntegerText(word)) {
    position_ = token->offset;
    LexInteger(token);
  } else if (word == "true" || word == "false") {
    token->kind = TokenKind::kBoolean;
    token->integer = word == "true" ? 1 : 0;
  } else {
    token->kind = TokenKind::kIdentifier;
    if (Peek() == '[' && IsFirstOnLine(token->offset)) options_offset_ = position_;
  }
}

void Lexer::LexInteger(Token* token) {
  token->kind = TokenKind::kInteger;
  bool negative = source_[position_] == '-';
  if (negative) ++position_;
  int64_t value = 0;
  for (; IsDigit(Peek()); ++position_) {
    value = value * 10 + (source_[position_] - '0');
    if (value > kMaxInteger) Fail(token->offset, "Integer is too large");
  }
  token->integer = negative ? -value : value;
}

void Lexer::LexString(Token* token) {
  token->kind = TokenKind::kString;
  token->text.clear();
  ++position_;
  while (Peek() != '"') {
    if (position_ >= source_.size() || IsLineEnd(source_[position_])) {
      Fail(position_, "Expect \" in string literal");
    }
    if (source_[position_] != '\\') {
      // Raw text is copied in one piece up to the next character that means something.
      size_t end = source_.find_first_of("\"\\\n\r", position_);
      if (end == std::string_view::npos) end = source_.size();
      token->text.append(source_.substr(position_, end - position_));
      position_ = end;
      continue;
    }
    Escape escape = ReadEscape(source_, position_, EscapeContext::kString);
    if (escape.size == 0) {
      Error error = ErrorAt(ErrorKind::kGrammarSyntax, position_, escape.problem);
      if (escape.hint != nullptr) error.Hint(escape.hint);
      throw error;
    }
    AppendUtf8(escape.code_point, &token->text);
    position_ += escape.size;
  }
  ++position_;
}

uint32_t Lexer::LexClassMember() {
  if (position_ >= source_.size()) Fail(position_, "Unterminated character class");
  char c = source_[position_];
  if (IsLineEnd(c)) Fail(position_, "Character class should not contain newline");
  if (c != '\\') {
    DecodedCodePoint decoded = DecodeUtf8(source_, position_);
    position_ += decoded.size;
    return decoded.code_point;
  }
  Escape escape = ReadEscape(source_, position_, EscapeContext::kCharClass);
  if (escape.size == 0) {
    Error error = ErrorAt(ErrorKind::kGrammarSyntax, position_, escape.problem);
    if (escape.hint != nullptr) error.Hint(escape.hint);
    throw error;
  }
  position_ += escape.size;
  return escape.code_point;
}

void Lexer::LexCharClass(Token* token) {
  token->kind = TokenKind::kCharClass;
  ++position_;
  bool negated = Peek() == '^';
  if (negated) ++position_;
  std::vector<CodePointRange> ranges;
  while (Peek() != ']') {
    size_t member_offset = position_;
    uint32_t lo = LexClassMember();
    uint32_t hi = lo;
    // A dash that is last in the class is a member and not a range.
    if (Peek() == '-' && Peek(1) != ']') {
      ++position_;
      hi = LexClassMember();
      if (hi < lo) {
        Fail(member_offset, "Invalid character class: lower bound is larger than upper bound");
      }
    }
    ranges.push_back({lo, hi});
  }
  ++position_;
  token->set = CodePointSet(std::move(ranges));
  if (negated) token->set = token->set.Complement();
}

// Options and a class after a name look the same up to the `::=` that follows options on the same
// line.
bool Lexer::LexOptions(Token* token) {
  size_t position = position_ + 1;
  bool in_string = false;
  for (; position < source_.size(); ++position) {
    char c = source_[position];
    if (IsLineEnd(c)) return false;
    if (c == '\\' && in_string) {
      ++position;
    } else if (c == '"') {
      in_string = !in_string;
    } else if (c == ']' && !in_string) {
      break;
    }
  }
  size_t after = position + 1;
  while (after < source_.size() && IsBlank(source_[after])) ++after;
  if (after >= source_.size() || source_.substr(after, 3) != "::=") return false;
  token->kind = TokenKind::kOptions;
  position_ = position + 1;
  return true;
}

}  // namespace xgrammar::ebnf
