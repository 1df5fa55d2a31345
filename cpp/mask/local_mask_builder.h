// LocalMaskBuilder: computes the LocalMask of an automaton state by one walk over the token tree.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "mask/dfa_walk.h"
#include "mask/local_mask.h"
#include "tokenizer/tokenizer_info.h"

namespace xgrammar {

/// Owned by one thread. Cost: the tree nodes whose prefix stays alive.
class LocalMaskBuilder {
 public:
  explicit LocalMaskBuilder(const TokenizerInfo& tokenizer) : tokenizer_(tokenizer) {}

  /// `counted`: the automaton is one copy of a repetition with the given bounds.
  std::shared_ptr<const LocalMask> Build(const ByteDfa& dfa, uint32_t state, bool counted,
                                         const LocalMask::CopyBounds& copies);

 private:
  void AddExit(uint32_t node, const DfaPosition& position, const ByteDfa& dfa);
  void AddTailGroups(LocalMask* mask);

  const TokenizerInfo& tokenizer_;
  DfaWalkStack stack_;
  std::vector<int32_t> ids_;
  std::vector<std::pair<uint8_t, uint32_t>> exits_;  ///< Next byte and the node that it leads to.
  ByteSet soft_exits_;
};

}  // namespace xgrammar
