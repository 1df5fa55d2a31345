// MaskBuilder: items that read bytes one by one, literals of rules and names of members in any
// order, side by side with the token tree.
//
// Within a text, states of the rule's automaton are enough; a parser set is made where the text
// ends and tokens go on. Of sets with many such items the union is read, byte by byte.
#include <span>
#include <tuple>

#include "mask/mask_builder.h"

namespace xgrammar {

namespace {

/// Calls visit(node) for those of the siblings [begin, end) whose byte is in `bytes`.
template <typename Visit>
void ForEachSibling(const TokenTrie& trie, uint32_t begin, uint32_t end, const ByteSet& bytes,
                    Visit visit) {
  if (begin == 0 && end == trie.num_nodes()) {
    trie.ForEachRoot(bytes.words, visit);
  } else if (trie.IsAllChildren(begin, end) && trie.HasFan(begin - 1)) {
    trie.ForEachChild(begin - 1, bytes.words, visit);
  } else {
    for (uint32_t i = begin; i < end; i = trie.node(i).subtree_end) {
      if (bytes.Contains(trie.node(i).byte)) visit(i);
    }
  }
}

}  // namespace

void MaskBuilder::ReadByScan(const Part& part) {
  // Copied: the reference may not stay valid while the parser grows, the ids do.
  const ByteSet first = parser_->set(part.set).scan_first;
  if (first.empty()) return;
  // Many items go on together, and where items are compared, texts count.
  constexpr size_t kFewItems = 16;
  const std::span<const ScanItem> items = parser_->set(part.set).scan_items;
  if (items.size() <= kFewItems && !parser_->has_distinct()) {
    for (const ScanItem& item : items) ReadTexts(item, part);
    return;
  }
  const TokenTrie& trie = *part.trie;
  const auto read = [&](uint32_t i) {
    const TokenTrie::Node& node = trie.node(i);
    const SetId next = parser_->NextByScan(part.set, node.byte);
    if (next == kDeadSet) return;
    Emit(trie, i);
    if (i + 1 < node.subtree_end) DeferChildren(trie, i, {next, 0, parser_->set(next).first});
  };
  ForEachSibling(trie, part.begin, part.end, first, read);
}

void MaskBuilder::ReadTexts(const ScanItem& item, const Part& part) {
  const TokenTrie& trie = *part.trie;
  text_parts_.push_back({item.state, part.begin, part.end});
  while (!text_parts_.empty()) {
    const TextPart from = text_parts_.back();
    text_parts_.pop_back();
    const std::span<const Fsm::ByteEdge> edges = from.state->bytes();
    const auto read = [&](uint32_t i) {
      const TokenTrie::Node& node = trie.node(i);
      for (const Fsm::ByteEdge& e : edges) {
        if (node.byte < e.lo) break;  // Sorted by lo.
        if (node.byte > e.hi) continue;
        Emit(trie, i);
        if (i + 1 == node.subtree_end) continue;
        const Fsm::State& to = item.fsm->state(e.target);
        if (to.OnlyReads()) {
          text_parts_.push_back({&to, i + 1, node.subtree_end});
        } else {
          DeferChildren(trie, i, AtState(item.unit_first_state + e.target, item.continuation));
        }
      }
    };
    ByteSet bytes;
    for (const Fsm::ByteEdge& e : edges) bytes.AddRange(e.lo, e.hi);
    ForEachSibling(trie, from.begin, from.end, bytes, read);
  }
}

const Following& MaskBuilder::AtState(uint32_t state, ContinuationId continuation) {
  const uint64_t hash = (uint64_t{state} << 32 | continuation) * 0x9E3779B97F4A7C15ull;
  static_assert(std::tuple_size_v<decltype(state_sets_)> == 128);
  StateSet& known = state_sets_[static_cast<size_t>(hash >> 57)];
  if (known.round != round_ || known.state != state || known.continuation != continuation) {
    const SetId set = parser_->AtState(state, continuation, 0);
    known = {round_, state, continuation, {set, 0, parser_->set(set).first}};
  }
  return known.following;
}

void MaskBuilder::ReadByKeys(const KeyItem& item, const Part& part) {
  const AnyOrderUnit& parts = *item.unit->any_order;
  const TokenTrie& keys = parts.keys();
  const TokenTrie& trie = *part.trie;
  key_parts_.push_back({item.state, part.begin, part.end});
  while (!key_parts_.empty()) {
    const KeyPart from = key_parts_.back();
    key_parts_.pop_back();
    // Siblings are in the order of their bytes on both sides.
    auto [node, end_node] = parts.Children(from.state);
    for (uint32_t i = from.begin; i < from.end && node < end_node;) {
      const TokenTrie::Node& token = trie.node(i);
      const TokenTrie::Node& key = keys.node(node);
      if (token.byte < key.byte) {
        i = token.subtree_end;
        continue;
      }
      const uint32_t matched = node;
      if (key.byte <= token.byte) node = key.subtree_end;
      if (key.byte != token.byte) continue;
      const uint32_t read = i;
      i = token.subtree_end;
      if (!parts.IsOpen(matched, item.allowed)) continue;
      Emit(trie, read);
      if (read + 1 == token.subtree_end) continue;
      const uint32_t state = AnyOrderUnit::StateOfNode(matched);
      if (keys.tokens(matched).empty()) {
        key_parts_.push_back({state, read + 1, token.subtree_end});
      } else {
        const SetId after =
            parser_->AtState(item.unit->first_state + state, item.continuation, item.parameter);
        Defer(after, 0, trie, read + 1, token.subtree_end);
      }
    }
  }
}

}  // namespace xgrammar
