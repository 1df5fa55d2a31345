// EarleySet: an interned parse state. Equal states have equal ids, whatever text led to them, so
// what is learned about one (where a byte leads, which tokens may follow) is learned for all.
//
// The kernel is the state's value: the items reached by the last byte, settled (pure ends replaced
// by what waits for them) and sorted. What follows from the kernel (predicted rules, completed
// rules) is kept only as the items that can read a byte. Immutable once published, except for the
// mask pointer.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>

#include "automata/byte_dfa.h"
#include "lowering/unit_table.h"
#include "parser/item.h"

namespace xgrammar {

class TokenMask;  // mask/token_mask.h

using SetId = uint32_t;
/// The state from which nothing can follow.
constexpr SetId kDeadSet = 0;

/// An item inside a folded automaton: it can be advanced without the parser until it leaves the
/// automaton.
struct DfaItem {
  const Unit* unit = nullptr;
  uint32_t state = 0;  ///< State of the unit's automaton.
  ContinuationId continuation = 0;
  uint32_t count = 0;   ///< Copies of a counted unit, code points of a limited one.
  uint32_t tokens = 0;  ///< Of a limited unit.
};

/// An item with byte edges in an Fsm.
struct ScanItem {
  const Fsm* fsm = nullptr;
  const Fsm::State* state = nullptr;  ///< Of the Fsm.
  uint32_t unit_first_state = 0;
  ContinuationId continuation = 0;
};

/// An item before or within the literal of a part in any order (lowering/any_order_unit.h).
struct KeyItem {
  const Unit* unit = nullptr;
  uint32_t state = 0;  ///< State of the unit.
  ContinuationId continuation = 0;
  uint32_t parameter = 0;             ///< What was seen (parser/parameters.h).
  std::span<const uint64_t> allowed;  ///< Parts that may still be read, a bit for each number.
};

/// An item that takes one whole token.
struct TokenItem {
  const TokenSet* tokens = nullptr;
  Item after;
};

struct EarleySet {
  std::span<const Item> kernel;
  std::span<const DfaItem> dfa_items;
  std::span<const ScanItem> scan_items;
  std::span<const KeyItem> key_items;
  std::span<const TokenItem> token_items;
  ByteSet first;       ///< Bytes that lead on.
  ByteSet scan_first;  ///< Bytes that lead on by scan items.
  bool accepting = false;
  /// Items of the set are compared with others, so some bytes of `first` may lead nowhere.
  bool compares = false;
  bool begins_list = false;  ///< A list of distinct items may begin here.
  uint32_t record = 0;       ///< Text of the distinct items being read (parser/distinct_values.h).
  /// The set with the same mask in which counts too far from their bounds to matter are normalised.
  SetId mask_set = kDeadSet;
  /// Memo of mask/; owned by its store.
  mutable std::atomic<const TokenMask*> mask{nullptr};
};

}  // namespace xgrammar
