// SpanningTokens: one pass over the token tree, with a reading for each depth.
//
// A text is read twice, since it may begin within a string or outside; escapes are looked at only
// to find where a string ends.
#include "mask/spanning_tokens.h"

#include <vector>

#include "json/value.h"
#include "tokenizer/byte_kind.h"

namespace xgrammar {

namespace {

enum class Span : uint8_t { kNone, kEnding, kToString, kOther, kOpening };

/// What is known of a text so far.
struct Reading {
  bool in_string = false;
  bool is_escape = false;
  bool after_open = false;
  bool has_space = false;
  Span span = Span::kNone;

  Reading After(char c) const;
  Span Result() const { return span == Span::kNone && has_space ? Span::kEnding : span; }
  /// Whether the result is the same after any bytes of these kinds.
  bool IsAlike(uint16_t kinds) const {
    constexpr uint16_t kTelling =
        KindBit(' ') | KindBit('\n') | KindBit('"') | KindBit('\\') | KindBit(',');
    return span == Span::kOpening || (span == Span::kNone && (kinds & kTelling) == 0);
  }
};

Reading Reading::After(char c) const {
  Reading next = *this;
  if (span == Span::kOpening) return next;
  if (in_string) {
    next.is_escape = !is_escape && c == '\\';
    if (is_escape || c != '"') return next;
    next.in_string = false;
    if (span == Span::kToString) next.span = Span::kOther;
    return next;
  }
  if (IsJsonSpace(c)) {
    next.has_space = true;
    return next;
  }
  next.in_string = c == '"';
  next.after_open = after_open || c == '[';
  if (c == ',' && next.after_open) {
    next.span = Span::kOpening;
  } else if (span == Span::kNone) {
    if (c == ',') next.span = Span::kEnding;
  } else {
    next.span = span == Span::kEnding && next.in_string ? Span::kToString : Span::kOther;
  }
  return next;
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
  struct Readings {
    Reading inside;
    Reading before;
  };
  std::vector<Readings> at_depth(trie.max_token_bytes() + size_t{1});
  at_depth[0].inside.in_string = true;
  for (uint32_t i = 0; i < trie.num_nodes();) {
    const TokenTrie::Node& node = trie.node(i);
    const auto byte = static_cast<char>(node.byte);
    const Readings& shorter = at_depth[node.depth - 1];
    at_depth[node.depth] = {shorter.inside.After(byte), shorter.before.After(byte)};
    const Span inside = at_depth[node.depth].inside.Result();
    const Span before = at_depth[node.depth].before.Result();
    // Words change nothing: what stands below them is what they are.
    const bool is_one = at_depth[node.depth].inside.IsAlike(trie.kinds_below(i)) &&
                        at_depth[node.depth].before.IsAlike(trie.kinds_below(i));
    const auto tokens = is_one ? trie.subtree_tokens(i) : trie.tokens(i);
    i = is_one ? node.subtree_end : i + 1;
    if (inside == Span::kNone && before == Span::kNone) continue;
    for (int32_t token : tokens) {
      Put(token, inside, &in_string);
      Put(token, before, &outside);
      if (inside == Span::kOpening || before == Span::kOpening) opening.push_back(token);
    }
  }
}

}  // namespace xgrammar
