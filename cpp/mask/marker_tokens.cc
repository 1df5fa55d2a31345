// MarkerTokens: a walk of the markers' tree along literal edges only.
//
// The tree holds the few special and stop tokens, so the walk is short; it uses the parser's
// transitions for literals and changes nothing. Ordinary tokens are mask_builder.cc.
#include "mask/marker_tokens.h"

#include <string_view>
#include <utility>

namespace xgrammar {

MarkerTokens::MarkerTokens(const TokenizerInfo& tokenizer) {
  std::vector<std::pair<std::string_view, int32_t>> tokens;
  const auto add = [&](int32_t id) {
    if (static_cast<size_t>(id) >= tokenizer.decoded_vocab().size()) return;
    const std::string& bytes = tokenizer.decoded_vocab()[static_cast<size_t>(id)];
    if (!bytes.empty()) tokens.emplace_back(bytes, id);
  };
  for (int32_t id : tokenizer.special_token_ids()) add(id);
  for (int32_t id : tokenizer.stop_token_ids()) add(id);
  trie_ = TokenTrie(std::move(tokens));
}

std::vector<MarkerTokens::Match> MarkerTokens::Find(Parser* parser, SetId set) const {
  struct Part {
    SetId set;
    uint32_t begin;
    uint32_t end;
  };
  std::vector<Match> matches;
  std::vector<Part> parts{{set, 0, trie_.num_nodes()}};
  while (!parts.empty()) {
    const Part part = parts.back();
    parts.pop_back();
    for (uint32_t i = part.begin; i < part.end; i = trie_.node(i).subtree_end) {
      const SetId next = parser->NextByLiteral(part.set, static_cast<uint8_t>(trie_.node(i).byte));
      if (next == kDeadSet) continue;
      for (int32_t token : trie_.tokens(i)) matches.push_back({token, next});
      if (i + 1 < trie_.node(i).subtree_end)
        parts.push_back({next, i + 1, trie_.node(i).subtree_end});
    }
  }
  return matches;
}

}  // namespace xgrammar
