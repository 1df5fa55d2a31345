// Lexer: words, numbers, patterns, JSON values and line ends of Lark grammars.
//
// One function for each kind of token. Strings and their escapes are in string_literal.cc; whether
// a pattern or a JSON value is well formed is judged by those who read it.
#include "frontend/lark/lexer.h"

#include <array>

#include "support/utf8.h"

namespace xgrammar::lark {

namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool IsNameStart(char c) { return IsLetter(c) || c == '_'; }
bool IsNameChar(char c) { return IsNameStart(c) || IsDigit(c) || c == '-'; }
bool IsBlank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v'; }

struct Punctuation {
  char character;
  TokenKind kind;
};
constexpr std::array<Punctuation, 17> kPunctuation = {{{':', TokenKind::kColon},
                                                       {'|', TokenKind::kBar},
                                                       {'&', TokenKind::kAmpersand},
                                                       {'~', TokenKind::kTilde},
                                                       {'(', TokenKind::kOpen},
                                                       {')', TokenKind::kClose},
                                                       {'[', TokenKind::kOpenBracket},
                                                       {']', TokenKind::kCloseBracket},
                                                       {'{', TokenKind::kOpenBrace},
                                                       {'}', TokenKind::kCloseBrace},
                                                       {'*', TokenKind::kStar},
                                                       {'+', TokenKind::kPlus},
                                                       {'?', TokenKind::kQuestion},
                                                       {'!', TokenKind::kBang},
                                                       {',', TokenKind::kComma},
                                                       {'.', TokenKind::kDot},
                                                       {'=', TokenKind::kEqual}}};

/// The byte after a name; a `-` that begins an arrow is no part of it.
size_t EndOfName(std::string_view text, size_t position) {
  while (position < text.size() && IsNameChar(text[position])) {
    if (text.substr(position, 2) == "->") break;
    ++position;
  }
  return position;
}

}  // namespace

/// Skips blanks and a comment, but no line end.
size_t Lexer::EndOfBlanks(size_t position) const {
  while (position < text_.size() && IsBlank(text_[position])) ++position;
  const bool is_comment = text_.substr(position, 1) == "#" || text_.substr(position, 2) == "//";
  if (!is_comment) return position;
  const size_t line_end = text_.find('\n', position);
  return line_end == std::string_view::npos ? text_.size() : line_end;
}

bool Lexer::IsNumberAt(size_t position) const {
  const char c = position < text_.size() ? text_[position] : '\0';
  const char next = position + 1 < text_.size() ? text_[position + 1] : '\0';
  if (c == '-' || c == '+' || c == '.') return IsDigit(next);
  return IsDigit(c);
}

bool Lexer::IsNumberNext() const { return IsNumberAt(EndOfBlanks(position_)); }

void Lexer::Next(Token* token) {
  token->text.clear();
  token->flags.clear();
  if (json_follows_) {
    LexJson(token);
    return;
  }
  position_ = EndOfBlanks(position_);
  const size_t start = position_;
  token->offset = start;
  const char c = Peek();
  if (start == text_.size()) {
    token->kind = TokenKind::kEnd;
  } else if (c == '\n') {
    LexLineEnd(token);
  } else if (IsNameStart(c)) {
    LexWord(token);
  } else if (c == '"') {
    LexString(token);
  } else if (c == '/') {
    LexRegex(token);
  } else if (c == '%') {
    LexDirective(token);
  } else if (c == '<') {
    LexSpecial(token);
  } else if (c == '@') {
    LexGrammarName(token);
  } else if (c != '.' && c != '+' ? IsNumberAt(start) : false) {
    LexNumber(token);
  } else {
    LexPunctuation(token);
  }
  token->size = position_ - token->offset;
}

void Lexer::LexLineEnd(Token* token) {
  token->kind = TokenKind::kNewline;
  while (Peek() == '\n') position_ = EndOfBlanks(position_ + 1);
  if (Peek() != '|') return;
  token->kind = TokenKind::kBar;
  token->offset = position_++;
}

void Lexer::LexWord(Token* token) {
  token->kind = TokenKind::kName;
  position_ = EndOfName(text_, position_);
  token->text = text_.substr(token->offset, position_ - token->offset);
}

void Lexer::LexNumber(Token* token) {
  token->kind = TokenKind::kNumber;
  ++position_;  // A sign or a digit.
  while (IsDigit(Peek())) ++position_;
  if (Peek() == '.' && IsDigit(Peek(1))) {
    ++position_;
    while (IsDigit(Peek())) ++position_;
  }
  const size_t sign = Peek(1) == '-' || Peek(1) == '+' ? 1 : 0;
  if ((Peek() == 'e' || Peek() == 'E') && IsDigit(Peek(1 + sign))) {
    position_ += 1 + sign;
    while (IsDigit(Peek())) ++position_;
  }
  token->text = text_.substr(token->offset, position_ - token->offset);
}

void Lexer::LexRegex(Token* token) {
  token->kind = TokenKind::kRegex;
  for (++position_; Peek() != '/'; ++position_) {
    if (Peek() == '\\') ++position_;
    if (position_ >= text_.size()) source_.Fail(token->offset, "unterminated regular expression");
  }
  token->text = text_.substr(token->offset + 1, position_ - token->offset - 1);
  ++position_;
  while (IsLetter(Peek())) token->flags.push_back(text_[position_++]);
}

void Lexer::LexDirective(Token* token) {
  token->kind = TokenKind::kDirective;
  const size_t end = EndOfName(text_, position_ + 1);
  token->text = text_.substr(position_ + 1, end - position_ - 1);
  if (token->text.empty()) source_.Fail(position_, "expected the name of a directive after %");
  position_ = end;
  json_follows_ = token->text == "json" || token->text == "regex" ||
                  token->text == "grammar_options" || token->text == "llguidance";
}

/// The extent of a value by its brackets and strings; a JSON reader judges it later.
void Lexer::LexJson(Token* token) {
  json_follows_ = false;
  while (IsBlank(Peek()) || Peek() == '\n') ++position_;
  token->kind = TokenKind::kJson;
  token->offset = position_;
  size_t depth = 0;
  bool in_string = false;
  for (bool done = false; !done; ++position_) {
    if (position_ >= text_.size()) source_.Fail(token->offset, "unterminated JSON value");
    const char c = Peek();
    if (in_string) {
      if (c == '\\') ++position_;
      in_string = c != '"';
    } else if (c == '"') {
      in_string = true;
    } else if (c == '{' || c == '[') {
      ++depth;
    } else if (c == '}' || c == ']') {
      if (depth == 0) source_.Fail(token->offset, "expected a JSON value");
      --depth;
    } else if (depth == 0) {
      while (IsNameChar(Peek()) || Peek() == '.' || Peek() == '+') ++position_;
      break;
    }
    done = depth == 0 && !in_string;
  }
  token->size = position_ - token->offset;
  token->text = text_.substr(token->offset, token->size);
  if (token->text.empty()) source_.Fail(token->offset, "expected a JSON value");
}

void Lexer::LexSpecial(Token* token) {
  token->kind = TokenKind::kSpecial;
  for (++position_; Peek() != '>'; ++position_) {
    const char c = Peek();
    if (position_ >= text_.size() || c == '\n') {
      source_.Fail(token->offset, "expected '>' after a special token");
    }
    if (IsBlank(c)) source_.Fail(position_, "blanks are not allowed in a special token");
  }
  ++position_;
  token->text = text_.substr(token->offset, position_ - token->offset);
}

void Lexer::LexGrammarName(Token* token) {
  token->kind = TokenKind::kGrammar;
  const size_t start = position_ + 1;
  const bool is_name = start < text_.size() && IsNameStart(text_[start]);
  position_ = is_name ? EndOfName(text_, start) : start;
  token->text = text_.substr(start, position_ - start);
  if (token->text.empty()) source_.Fail(token->offset, "expected the name of a grammar after @");
}

void Lexer::LexPunctuation(Token* token) {
  const char c = Peek();
  if (text_.substr(position_, 2) == "->" || text_.substr(position_, 2) == "..") {
    token->kind = c == '-' ? TokenKind::kArrow : TokenKind::kDotDot;
    position_ += 2;
    return;
  }
  for (const Punctuation& entry : kPunctuation) {
    if (entry.character != c) continue;
    token->kind = entry.kind;
    ++position_;
    return;
  }
  if (c == '\'') source_.Fail(position_, "strings are written with double quotes");
  const size_t size = DecodeUtf8(text_, position_).size;
  source_.Fail(position_,
               "unexpected character '" + QuoteForMessage(text_.substr(position_, size)) + "'");
}

}  // namespace xgrammar::lark
