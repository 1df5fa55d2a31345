// Jump-forward: the text that every continuation must begin with, and tokens for it.
//
// Forced text is found by following parser sets that allow a single first byte and may not end. Its
// tokens are the longest in the token tree, and only those that no longer token could replace once
// more text is known. How the tokenizer itself would write the text is the facade's question.
#include <algorithm>
#include <string>

#include "matcher/grammar_matcher.h"
#include "support/error.h"
#include "support/utf8.h"

namespace xgrammar {

namespace {

bool IsContinuationByte(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

// Forced text is as long as the literals of the grammar; this only bounds what one call returns.
constexpr size_t kMaxForcedBytes = 1 << 20;

}  // namespace

std::string GrammarMatcher::FindJumpForwardString() const {
  if (current_.stopped) {
    throw Error(
        ErrorKind::kUsage,
        "The matcher has terminated: a stop token was accepted. Call reset() or rollback()");
  }
  std::string forced;
  if (current_.failed || (terminate_without_stop_token_ && IsCompleted())) return forced;
  SetId set = current_.set;
  try {
    while (forced.size() < kMaxForcedBytes) {
      const EarleySet& s = generation_->parser.set(set);
      const int32_t only = s.accepting ? -1 : generation_->parser.OnlyByte(set);
      if (only < 0) break;
      const auto byte = static_cast<uint8_t>(only);
      set = generation_->parser.Next(set, byte);
      if (set == kDeadSet) break;
      forced.push_back(static_cast<char>(byte));
    }
  } catch (const Error& error) {
    // What was found is forced all the same; the matcher fails when it is taken that far.
    if (error.kind() != ErrorKind::kLimit) throw;
  }
  // Neither the rest of a character that has begun, nor one that is only partly forced.
  if (!forced.empty() && IsContinuationByte(forced[0])) return {};
  forced.resize(CompletePrefixSize(forced));
  return forced;
}

std::vector<int32_t> GrammarMatcher::FindJumpForwardTokens() const {
  const std::string forced = FindJumpForwardString();
  const TokenTrie& trie = compiled_->tokenizer_info()->trie();
  std::vector<int32_t> tokens;
  size_t position = 0;
  while (position < forced.size()) {
    uint32_t begin = 0;
    uint32_t end = trie.num_nodes();
    int32_t best = -1;
    size_t best_end = position;
    size_t i = position;
    for (; i < forced.size(); ++i) {
      while (begin < end && trie.node(begin).byte != static_cast<uint8_t>(forced[i])) {
        begin = trie.node(begin).subtree_end;
      }
      if (begin >= end) break;
      for (int32_t token : trie.tokens(begin)) {
        if (IsOwnStopToken(token)) continue;
        best = token;
        best_end = i + 1;
        break;
      }
      end = trie.node(begin).subtree_end;
      ++begin;
    }
    // All forced bytes were read inside the tree: a longer token may cover them and what comes
    // next.
    const bool may_be_longer = i == forced.size() && begin < end;
    if (best < 0 || may_be_longer) break;
    tokens.push_back(best);
    position = best_end;
  }
  return tokens;
}

}  // namespace xgrammar
