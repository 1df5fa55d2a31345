// MaskBuilder: reading the rest of a mask token by token, with the whole set at each byte.
//
// The ordinary reading follows each item on its own, which costs nothing where items lead to known
// local masks, and too much where a grammar is so ambiguous that every byte of a token may end some
// rule in some context: then the same subtree is read from hundreds of sets. A walk of the token
// tree that takes one parser set along (Earley 1970) costs one step of the parser for each node.
// Tokens that are in the mask already are not read.
#include <span>
#include <vector>

#include "mask/mask_builder.h"

namespace xgrammar {

void MaskBuilder::CountPart() {
  if (++num_parts_ <= local_masks_.part_sizes().parts) return;
  // Limits on tokens count tokens, which this walk does not see end; items that are compared need
  // what their texts were.
  gave_up_ = !parser_->has_token_limits() && !parser_->has_distinct();
}

void MaskBuilder::ReadWhole(SetId set) {
  const TokenTrie& trie = tokenizer_.trie();
  std::vector<uint32_t> known((static_cast<size_t>(tokenizer_.vocab_size()) + 31) / 32, 0);
  TokenMask(locals_, ids_, {}).WriteTo(known);
  const std::span<const int32_t> all = trie.all_tokens();
  std::vector<uint32_t> open_before(1, 0);  // Tokens not in the mask yet, among the first i.
  open_before.reserve(all.size() + 1);
  for (int32_t id : all) {
    const bool is_known = (known[static_cast<size_t>(id) >> 5] >> (id & 31) & 1) != 0;
    open_before.push_back(open_before.back() + (is_known ? 0 : 1));
  }
  std::vector<SetId> after(trie.max_token_bytes() + 1, kDeadSet);  // By the depth of the node.
  after[0] = set;
  for (uint32_t i = 0; i < trie.num_nodes();) {
    const TokenTrie::Node& node = trie.node(i);
    const size_t first = node.first_token;
    if (open_before[first] != open_before[first + trie.subtree_tokens(i).size()]) {
      const SetId next = parser_->Next(after[node.depth - 1], static_cast<uint8_t>(node.byte));
      if (next != kDeadSet) {
        Emit(trie, i);
        after[node.depth] = next;
        ++i;
        continue;
      }
    }
    i = node.subtree_end;
  }
}

}  // namespace xgrammar
