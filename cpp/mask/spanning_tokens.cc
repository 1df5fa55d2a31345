// SpanningTokens: one pass over the texts.
//
// A text is read twice, since it may begin within a string or outside; escapes are looked at only
// to find where a string ends.
#include "mask/spanning_tokens.h"

#include <string_view>

namespace xgrammar {

namespace {

enum class Span : uint8_t { kNone, kEnding, kToString, kOther, kOpening };

bool IsSpace(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

Span SpanOf(std::string_view text, bool in_string) {
  bool is_escape = false;
  bool after_open = false;
  bool has_space = false;
  Span span = Span::kNone;
  for (char c : text) {
    if (in_string) {
      if (is_escape) {
        is_escape = false;
      } else if (c == '\\') {
        is_escape = true;
      } else if (c == '"') {
        in_string = false;
        if (span == Span::kToString) span = Span::kOther;
      }
      continue;
    }
    if (IsSpace(c)) {
      has_space = true;
      continue;
    }
    in_string = c == '"';
    after_open = after_open || c == '[';
    if (c == ',' && after_open) return Span::kOpening;
    if (span == Span::kNone) {
      if (c == ',') span = Span::kEnding;
    } else {
      span = span == Span::kEnding && in_string ? Span::kToString : Span::kOther;
    }
  }
  return span == Span::kNone && has_space ? Span::kEnding : span;
}

void Put(int32_t token, Span span, SpanningTokens::Kinds* kinds) {
  switch (span) {
    case Span::kNone:
      break;
    case Span::kEnding:
      kinds->ending.push_back(token);
      break;
    case Span::kToString:
      kinds->to_strings.push_back(token);
      break;
    default:
      kinds->other.push_back(token);
      break;
  }
}

}  // namespace

SpanningTokens::SpanningTokens(const TokenizerInfo& tokenizer) {
  const TokenTrie& trie = tokenizer.trie();
  for (uint32_t node = 0; node < trie.num_nodes(); ++node) {
    for (int32_t token : trie.tokens(node)) {
      const std::string_view text = tokenizer.decoded_vocab()[static_cast<size_t>(token)];
      // Most texts have none of these bytes, or only spaces.
      bool has_space = false;
      bool has_comma = false;
      bool has_quote = false;
      for (char c : text) {
        has_space = has_space || IsSpace(c);
        has_comma = has_comma || c == ',';
        has_quote = has_quote || c == '"';
      }
      const Span inside = has_quote ? SpanOf(text, true) : Span::kNone;
      Span before = has_space ? Span::kEnding : Span::kNone;
      if (has_comma || has_quote) before = SpanOf(text, false);
      Put(token, inside, &in_string);
      Put(token, before, &outside);
      if (inside == Span::kOpening || before == Span::kOpening) opening.push_back(token);
    }
  }
}

}  // namespace xgrammar
