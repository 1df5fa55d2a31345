// MaskBuilder: local masks, tails, and the walk through the parser's memo.
#include "mask/mask_builder.h"

#include <algorithm>
#include <utility>

namespace xgrammar {

namespace {

bool Intersects(const ByteSet& a, const ByteSet& b) {
  for (size_t i = 0; i < a.words.size(); ++i) {
    if ((a.words[i] & b.words[i]) != 0) return true;
  }
  return false;
}

LocalMask::CopyBounds CopiesLeft(const DfaItem& item) {
  LocalMask::CopyBounds copies;
  if (item.unit->kind != Unit::Kind::kCountedDfa) return copies;
  if (item.unit->max != kUnbounded) copies.room = static_cast<uint32_t>(item.unit->max - item.count);
  copies.owed = static_cast<uint32_t>(std::max<int64_t>(item.unit->min - item.count, 0));
  return copies;
}

}  // namespace

std::unique_ptr<const TokenMask> MaskBuilder::Build(SetId set) {
  const TokenTrie& trie = tokenizer_.trie();
  parts_.clear();
  ids_.clear();
  locals_.clear();
  trees_.clear();
  seen_parts_.Clear();
  for (const DfaItem& item : parser_.set(set).dfa_items) AddLocal(item);
  ReadByScan({set, &trie, 0, trie.num_nodes()});
  while (!parts_.empty()) {
    const Part part = parts_.back();
    parts_.pop_back();
    for (const DfaItem& item : parser_.set(part.set).dfa_items) ReadByAutomaton(item, part);
    ReadByScan(part);
  }
  return Finish();
}

void MaskBuilder::AddLocal(const DfaItem& item) {
  std::shared_ptr<const LocalMask> local;
  bool may_exit = true;
  if (item.unit->kind == Unit::Kind::kCountedDfa) {
    LocalMaskCache::CountedMask counted = local_masks_.GetCounted(item.unit->dfa, item.state, CopiesLeft(item));
    local = std::move(counted.mask);
    may_exit = counted.may_exit;
  } else {
    local = local_masks_.Get(item.unit->dfa, item.state);
  }
  if (std::find(locals_.begin(), locals_.end(), local) == locals_.end()) locals_.push_back(local);
  if (!may_exit || item.continuation == kRootContinuation) return;
  if (local->tail_groups().empty() && local->soft_exits().empty()) return;
  const SetId after = parser_.AfterReturn(item.continuation);
  if (Intersects(local->soft_exits(), parser_.set(after).first)) {
    // Rare: what follows could also have been read inside. The whole walk finds every way to leave.
    const TokenTrie& trie = tokenizer_.trie();
    ReadByAutomaton(item, {kDeadSet, &trie, 0, trie.num_nodes()});
    return;
  }
  for (const TailGroup& group : local->tail_groups()) {
    if (!parser_.set(after).first.Contains(group.byte())) continue;
    const TokenTrie& tree = group.Tree(tokenizer_);
    Defer(after, tree, 0, tree.num_nodes());
  }
}

void MaskBuilder::ReadByAutomaton(const DfaItem& item, const Part& part) {
  const bool counted = item.unit->kind == Unit::Kind::kCountedDfa;
  const SetId after =
      item.continuation == kRootContinuation ? kDeadSet : parser_.AfterReturn(item.continuation);
  const TokenTrie& trie = *part.trie;
  WalkDfa(
      trie, part.begin, part.end, *item.unit->dfa, counted, {item.state, CopiesLeft(item)}, &stack_,
      [&](uint32_t node, const DfaPosition&) { Emit(trie, node); },
      [&](uint32_t node, const DfaPosition&) {
        if (after != kDeadSet) Defer(after, trie, node + 1, trie.node(node).subtree_end);
      },
      [](uint32_t, const DfaPosition&) { return false; });
}

void MaskBuilder::ReadByScan(const Part& part) {
  // Copied: the reference may not stay valid while the parser grows, the ids do.
  const ByteSet first = parser_.set(part.set).scan_first;
  if (first.empty()) return;
  const TokenTrie& trie = *part.trie;
  for (uint32_t i = part.begin; i < part.end; i = trie.node(i).subtree_end) {
    const TokenTrie::Node& node = trie.node(i);
    if (!first.Contains(node.byte)) continue;
    const SetId next = parser_.NextByScan(part.set, node.byte);
    if (next == kDeadSet) continue;
    Emit(trie, i);
    if (i + 1 < node.subtree_end) Defer(next, trie, i + 1, node.subtree_end);
  }
}

void MaskBuilder::Emit(const TokenTrie& trie, uint32_t node) {
  const auto tokens = trie.tokens(node);
  ids_.insert(ids_.end(), tokens.begin(), tokens.end());
}

void MaskBuilder::Defer(SetId set, const TokenTrie& trie, uint32_t begin, uint32_t end) {
  if (begin >= end) return;
  const EarleySet& target = parser_.set(set);
  if (target.first.empty()) return;
  // Ambiguous grammars reach the same part from the same set in many ways.
  const auto known = std::find(trees_.begin(), trees_.end(), &trie);
  const auto tree = static_cast<uint32_t>(known - trees_.begin());
  if (known == trees_.end()) trees_.push_back(&trie);
  if (!seen_parts_.Add({set, tree, begin})) return;
  parts_.push_back({set, &trie, begin, end});
}

std::unique_ptr<const TokenMask> MaskBuilder::Finish() {
  const size_t num_words = (static_cast<size_t>(tokenizer_.vocab_size()) + 31) / 32;
  // Up to this much, referring to shared parts and setting bits one by one is cheaper than words of its own.
  constexpr size_t kMaxParts = 4;
  if (locals_.size() <= kMaxParts && ids_.size() <= num_words / 2 + 64) {
    return std::make_unique<TokenMask>(locals_, std::vector<int32_t>(ids_.begin(), ids_.end()),
                                       std::vector<uint32_t>());
  }
  std::vector<uint32_t> words(num_words, 0);
  TokenMask(locals_, ids_, {}).WriteTo(words);
  return std::make_unique<TokenMask>(std::vector<std::shared_ptr<const LocalMask>>(), std::vector<int32_t>(),
                                     std::move(words));
}

}  // namespace xgrammar
