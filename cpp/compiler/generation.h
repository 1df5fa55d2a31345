// Generation: the parser states and masks that the matchers of one compiled grammar share, as one
// unit of memory.
//
// When a generation has grown past its budget, new matchers start on a fresh one, while running
// matchers keep theirs until they are done. So nothing is freed under a reader, and no grammar
// grows without bound.
#pragma once

#include <memory>
#include <utility>

#include "mask/local_mask_cache.h"
#include "mask/mask_table.h"
#include "parser/parser.h"
#include "support/byte_account.h"

namespace xgrammar {

struct Generation {
  Generation(const GrammarPtr& grammar, const TokenizerInfoPtr& tokenizer,
             std::shared_ptr<LocalMaskCache> cache, const Limits& limits)
      : local_masks(std::move(cache)),
        parser(grammar, local_masks->dfa_cache(), &local_masks->markers().trie(),
               tokenizer->trie().max_token_bytes(), limits, &account),
        masks(&parser, tokenizer, local_masks, limits.max_mask_bytes, &account) {}

  bool IsFull(const Limits& limits) const {
    return parser.MemorySizeBytes() > limits.max_state_bytes ||
           masks.MemorySizeBytes() * 8 > limits.max_mask_bytes * 7;
  }

  const std::shared_ptr<LocalMaskCache> local_masks;
  ByteAccount account;  ///< Bytes of the two below.
  Parser parser;
  MaskTable masks;
};

}  // namespace xgrammar
