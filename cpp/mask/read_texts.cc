// MaskBuilder: items that read bytes one by one, literals of rules and names of members in any
// order, side by side with the token tree.
//
// Within a text, states of the rule's automaton are enough; where the text ends and tokens go on,
// the rest is read by a parser set, or by what is known of the rule (read_runs.cc). Of sets with
// many such items the union is read, byte by byte.
#include <bit>
#include <span>
#include <tuple>

#include "mask/mask_builder.h"

namespace xgrammar {

namespace {

ByteSet Common(ByteSet a, const ByteSet& b) {
  for (size_t i = 0; i < a.words.size(); ++i) a.words[i] &= b.words[i];
  return a;
}

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
  const ByteSet first = Common(parser_->set(part.set).scan_first, part.bytes);
  if (first.empty()) return;
  const TokenTrie& trie = *part.trie;
  // Many items go on together, and where items are compared, texts count.
  constexpr size_t kFewItems = 32;
  const std::span<const ScanItem> items = parser_->set(part.set).scan_items;
  if (items.size() <= kFewItems && !parser_->has_distinct()) {
    const ItemsByByte* by_byte = items.size() > 4 ? &ItemsOf(part.set, items) : nullptr;
    ForEachSibling(trie, part.begin, part.end, first, [&](uint32_t i) {
      Emit(trie, i);
      if (i + 1 == trie.node(i).subtree_end) return;
      if (by_byte == nullptr) {
        for (const ScanItem& item : items) ReadText(item, trie, i);
        return;
      }
      for (uint64_t rest = by_byte->items[trie.node(i).byte]; rest != 0; rest &= rest - 1) {
        ReadText(items[static_cast<size_t>(std::countr_zero(rest))], trie, i);
      }
    });
    return;
  }
  ForEachSibling(trie, part.begin, part.end, first, [&](uint32_t i) {
    const SetId next = parser_->NextByScan(part.set, trie.node(i).byte);
    if (next == kDeadSet) return;
    Emit(trie, i);
    const EarleySet& after = parser_->set(next);
    DeferChildren(trie, i, {next, 0, after.first, after.accepting});
  });
}

const MaskBuilder::ItemsByByte& MaskBuilder::ItemsOf(SetId set, std::span<const ScanItem> items) {
  ItemsByByte& known = items_by_byte_[set % items_by_byte_.size()];
  if (known.round == round_ && known.set == set) return known;
  known.round = round_;
  known.set = set;
  known.items.fill(0);
  for (size_t i = 0; i < items.size(); ++i) {
    for (const Fsm::ByteEdge& e : items[i].state->bytes()) {
      for (uint32_t byte = e.lo; byte <= e.hi; ++byte) known.items[byte] |= uint64_t{1} << i;
    }
  }
  return known;
}

void MaskBuilder::ReadText(const ScanItem& item, const TokenTrie& trie, uint32_t node) {
  const uint8_t byte = trie.node(node).byte;
  for (const Fsm::ByteEdge& e : item.state->bytes()) {
    if (byte < e.lo) break;  // Sorted by lo.
    if (byte > e.hi) continue;
    ReadOn(item, e.target, trie, node);
  }
  while (!text_parts_.empty()) {
    const TextPart from = text_parts_.back();
    text_parts_.pop_back();
    const std::span<const Fsm::ByteEdge> edges = from.state->bytes();
    ByteSet bytes;
    for (const Fsm::ByteEdge& e : edges) bytes.AddRange(e.lo, e.hi);
    ForEachSibling(trie, from.begin, from.end, bytes, [&](uint32_t i) {
      Emit(trie, i);
      for (const Fsm::ByteEdge& e : edges) {
        if (trie.node(i).byte < e.lo) break;
        if (trie.node(i).byte <= e.hi) ReadOn(item, e.target, trie, i);
      }
    });
  }
}

void MaskBuilder::ReadOn(const ScanItem& item, uint32_t target, const TokenTrie& trie,
                         uint32_t node) {
  const uint32_t end = trie.node(node).subtree_end;
  if (node + 1 == end) return;
  const Fsm::State& to = item.fsm->state(target);
  if (to.OnlyReads()) {
    text_parts_.push_back({&to, node + 1, end});
  } else if (to.OnlyReturns() || !UsesRuns() || end - node < local_masks_.part_sizes().run) {
    DeferChildren(trie, node, AtState(item.unit_first_state + target, item.continuation));
  } else {
    AddTextEnd({item.unit_first_state + target, item.continuation, &trie, node});
  }
}

const Following& MaskBuilder::AtState(uint32_t state, ContinuationId continuation) {
  const uint64_t hash = (uint64_t{state} << 32 | continuation) * 0x9E3779B97F4A7C15ull;
  static_assert(std::tuple_size_v<decltype(state_sets_)> == 128);
  StateSet& known = state_sets_[static_cast<size_t>(hash >> 57)];
  if (known.round != round_ || known.state != state || known.continuation != continuation) {
    const SetId set = parser_->AtState(state, continuation, 0);
    const EarleySet& at = parser_->set(set);
    known = {round_, state, continuation, {set, 0, at.first, at.accepting}};
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
        const EarleySet& next = parser_->set(after);
        DeferChildren(trie, read, {after, 0, next.first, next.accepting});
      }
    }
  }
}

}  // namespace xgrammar
