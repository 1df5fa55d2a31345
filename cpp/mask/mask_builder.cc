// MaskBuilder: local masks, tails, and the walk through the parser's memo.
//
// Work is put off as (set, part of a tree) and done until nothing is left; a part that an ambiguous
// grammar reaches twice is read once. The cheapest way is chosen for each part: by the automaton,
// by exits, by keys, or byte by byte.
#include "mask/mask_builder.h"

#include <algorithm>
#include <bit>
#include <optional>
#include <span>
#include <utility>

#include "mask/copy_kinds.h"

namespace xgrammar {

namespace {

// Words after white space are most of a vocabulary: their letters are taken subtree by subtree.
constexpr uint32_t kManyNodes = 512;
// The height of a tree node stands for that many levels and more.
constexpr uint32_t kManyLevels = 255;

uint16_t KindsOf(const ByteSet& bytes) {
  // Bytes within characters are of no kind; no grammar has text that begins with one.
  uint16_t kinds = bytes.words[2] != 0 ? uint16_t{0xFFFF} : uint16_t{0};
  for (size_t w = 0; w < bytes.words.size(); ++w) {
    for (uint64_t rest = bytes.words[w]; rest != 0; rest &= rest - 1) {
      kinds |= kKindBits[w * 64 + static_cast<size_t>(std::countr_zero(rest))];
    }
  }
  return kinds;
}

CopyBounds CopiesLeft(const DfaItem& item) {
  CopyBounds copies;
  const Unit& unit = *item.unit;
  if (unit.kind == Unit::Kind::kCountedDfa) {
    if (unit.max != kUnbounded) copies.room = static_cast<uint32_t>(unit.max - item.count);
    copies.owed = static_cast<uint32_t>(std::max<int64_t>(unit.min - item.count, 0));
  } else if (unit.kind == Unit::Kind::kLimitedDfa) {
    if (unit.meter != nullptr) {
      copies.room = item.count;
    } else if (unit.IsUsedUp({item.count, item.tokens})) {
      copies.room = 0;
    } else if (unit.LimitsCodePoints()) {
      copies.room = static_cast<uint32_t>(unit.options.max_chars - item.count);
    }
  }
  return copies;
}

WalkRule RuleOf(const Unit& unit) {
  if (unit.kind == Unit::Kind::kCountedDfa) return WalkMode::kCopies;
  if (unit.kind != Unit::Kind::kLimitedDfa) return WalkMode::kPlain;
  if (unit.meter != nullptr) return {WalkMode::kLength, unit.meter.get()};
  return unit.LimitsCodePoints() ? WalkMode::kCodePoints : WalkMode::kUsedUp;
}

/// Whether no token of up to `horizon` bytes notices the limits of the item, if it has any.
bool IsFarFromLimits(const DfaItem& item, uint32_t horizon) {
  if (item.unit->kind != Unit::Kind::kLimitedDfa) return item.unit->kind == Unit::Kind::kDfa;
  const LengthMeter* meter = item.unit->meter.get();
  return meter != nullptr ? meter->IsFar(item.count, horizon) : CopiesLeft(item).room > horizon;
}

/// Whether all that is below a node stays inside, near a bound on the length, and nothing of it can
/// follow. `kinds_after`: of what follows.
bool TakesAllBelow(const TokenTrie& trie, uint32_t node, const DfaPosition& to,
                   const LengthMeter& meter, uint16_t kinds_after, LiveKinds* live) {
  constexpr uint32_t kWorthAsking = 16;
  if (trie.node(node).subtree_end - node < kWorthAsking) return false;
  const std::optional<LengthMeter::Room> room = meter.RoomAt(to.state, to.copies.room);
  const uint32_t height = trie.height_below(node);
  if (!room || height >= kManyLevels || height + room->needed > room->left) return false;
  if (!live->TakesAllBelow(trie, node, to.state)) return false;
  return !live->Of(to.state).may_end || (trie.kinds_below(node) & kinds_after) == 0;
}

}  // namespace

std::unique_ptr<const TokenMask> MaskBuilder::Build(Parser* parser, SetId set, TextRuns* runs) {
  parser_ = parser;
  runs_ = runs;
  bytes_of_runs_ = 0;
  num_runs_made_ = 0;
  nodes_of_runs_ = 0;
  parts_.clear();
  ids_.clear();
  fitting_.clear();
  locals_.clear();
  read_.clear();
  trees_.clear();
  seen_parts_.Clear();
  following_.Clear();
  ++round_;
  covered_.clear();
  key_parts_.clear();
  text_parts_.clear();
  text_ends_.clear();
  seen_ends_.Clear();
  in_run_ = false;
  num_filters_ = 0;
  current_filter_ = 0;
  num_parts_ = 0;
  gave_up_ = false;
  for (const DfaItem& item : parser_->set(set).dfa_items) AddLocal(item);
  AddTokenItems(set);
  for (const KeyItem& item : parser_->set(set).key_items) ReadByKeys(item, WholeTree(set));
  ReadByScan(WholeTree(set));
  ReadParts();
  if (gave_up_) ReadWhole(set);
  std::unique_ptr<const TokenMask> mask = Finish();
  locals_.clear();  // They belong to others.
  read_.clear();
  runs_in_use_.clear();
  return mask;
}

int64_t MaskBuilder::ScratchBytes() const {
  // `sizeof` is what tables of fixed size take, those of parts included.
  return static_cast<int64_t>(sizeof(MaskBuilder) + parts_.capacity() * sizeof(Part) +
                              (ids_.capacity() + excluded_.capacity()) * sizeof(int32_t) +
                              (fitting_.capacity() + unlimited_.capacity() + seen_ids_.capacity()) *
                                  sizeof(uint32_t) +
                              locals_.capacity() * sizeof(TokenMask::Part) +
                              read_.capacity() * sizeof(std::shared_ptr<const LocalMask>) +
                              trees_.capacity() * sizeof(const TokenTrie*) +
                              covered_.capacity() * sizeof(std::pair<SetId, uint64_t>) +
                              key_parts_.capacity() * sizeof(KeyPart) +
                              text_parts_.capacity() * sizeof(TextPart) +
                              stack_.capacity() * sizeof(DfaPosition)) +
         seen_parts_.MemorySizeBytes() + outer_.seen_parts.MemorySizeBytes() +
         seen_ends_.MemorySizeBytes() + outer_.seen_ends.MemorySizeBytes() +
         static_cast<int64_t>(outer_.parts.capacity() * sizeof(Part) +
                              outer_.ids.capacity() * sizeof(int32_t)) +
         plain_stack_.MemorySizeBytes() + local_builder_.ScratchBytes();
}

void MaskBuilder::ReadParts() {
  while (!parts_.empty() || !text_ends_.empty()) {
    if (gave_up_) {
      parts_.clear();
      text_ends_.clear();
      return;
    }
    if (!text_ends_.empty()) {
      const TextEnd end = text_ends_.back();
      text_ends_.pop_back();
      ReadTextEnd(end);
      continue;
    }
    const Part part = parts_.back();
    parts_.pop_back();
    const std::span<const DfaItem> items = parser_->set(part.set).dfa_items;
    // Of large automata the first bytes may have to be looked for.
    constexpr uint32_t kMaxStatesAsked = 64;
    for (size_t i = 0; i < items.size(); ++i) {
      if (i < 64 && (part.covered >> i & 1) != 0) continue;
      const ByteDfa& dfa = *items[i].unit->dfa;
      const bool is_dead = dfa.num_states() <= kMaxStatesAsked &&
                           !dfa.first_bytes(items[i].state).Intersects(part.bytes);
      if (!is_dead) ReadByAutomaton(items[i], part);
    }
    for (const KeyItem& item : parser_->set(part.set).key_items) ReadByKeys(item, part);
    ReadByScan(part);
  }
}

void MaskBuilder::AddLocal(const DfaItem& item) {
  const bool counted = item.unit->kind == Unit::Kind::kCountedDfa;
  CopyBounds bounds = CopiesLeft(item);
  const uint32_t horizon = tokenizer_.trie().max_token_bytes();
  const LengthMeter* meter = item.unit->meter.get();
  if (item.unit->kind == Unit::Kind::kLimitedDfa) {
    const bool is_near = meter != nullptr ? !meter->IsFar(item.count, horizon) &&
                                                !meter->TakesAllInside(item.count, horizon)
                                          : bounds.room <= horizon;
    if (is_near) {
      if (!AddFitting(item)) ReadByAutomaton(item, WholeTree(kDeadSet));
      return;
    }
    bounds = {};  // Too far off for any token to notice.
  }
  const std::shared_ptr<const LocalMask> local =
      local_masks_.Get(item.unit->dfa, item.state, counted, &local_builder_);
  const TokenMask::Part part{local, bounds.room};
  if (std::find(locals_.begin(), locals_.end(), part) == locals_.end()) locals_.push_back(part);
  if (item.continuation == kRootContinuation) return;
  if (meter != nullptr && !meter->IsFar(item.count, horizon)) {
    // Only the exits depend on how much of the least length is missing.
    if (meter->IsShort(item.count, horizon)) return;
    ReadExits(item, Outside(*local, bounds.room), following_.After(parser_, item));
    return;
  }
  if (!local->MayBeLeft()) return;
  const Following after = following_.After(parser_, item);
  if (local->soft_exits().Intersects(after.first)) {
    // What follows could also have been read inside (text before its closing marker), so where a
    // token leaves is not known beforehand.
    ReadExits(item, Outside(*local, bounds.room), after);
    return;
  }
  ReadTails(*local, false, bounds, after);
  if (local->base() != nullptr) ReadTails(*local, true, bounds, after);
}

MaskBuilder::Part MaskBuilder::Outside(const LocalMask& local, uint32_t room) {
  const TokenTrie* outside = local.OutsideTree(tokenizer_, room);
  if (outside == nullptr) return WholeTree(kDeadSet);
  NumberOf(*outside, &local);
  return {kDeadSet, outside, 0, outside->num_nodes(), {}};
}

void MaskBuilder::AddTokenItems(SetId set) {
  excluded_.clear();
  bool excludes = false;
  for (const TokenItem& item : parser_->set(set).token_items) {
    const std::vector<int32_t>& listed = item.tokens->ids;
    if (!item.tokens->is_excluding) {
      // Ids without text (padding) are never allowed.
      for (int32_t id : listed) {
        if (local_masks_.text_tokens().Contains(id)) ids_.push_back(id);
      }
    } else if (!excludes) {
      excludes = true;
      excluded_ = listed;
    } else {
      // What two items exclude is what both exclude.
      std::erase_if(excluded_, [&](int32_t id) {
        return !std::binary_search(listed.begin(), listed.end(), id);
      });
    }
  }
  takes_any_token_ = excludes;
}

void MaskBuilder::ReadTails(const LocalMask& local, bool of_base, const CopyBounds& bounds,
                            const Following& after) {
  const LocalMask& owner = of_base ? *local.base() : local;
  const bool filters = local.FiltersExits(of_base, bounds);
  if (filters) {
    // What earlier items left to read must not be taken for this one's.
    ReadParts();
    current_filter_ = ++num_filters_;
  }
  const size_t before = ids_.size();
  for (const TailGroup& group : owner.tail_groups()) {
    if (in_run_ && after.ends) {
      ByteSet byte;
      byte.Add(group.byte());
      AddRunExit({&group, nullptr, &owner, 0, 0, byte});
    }
    if (!after.first.Contains(group.byte())) continue;
    const TokenTrie& tree = group.Tree(tokenizer_);
    NumberOf(tree, &owner);
    const ByteSet bytes{tree.BytesOf(0, tree.num_nodes())};
    Defer({after.set, &tree, 0, tree.num_nodes(), bytes, after.covered});
  }
  // Bytes of soft exits do not begin what follows.
  for (uint32_t node : owner.wide_exits()) {
    DeferChildren(tokenizer_.trie(), node, after, owner.soft_exits());
  }
  if (in_run_ && after.ends) run_.soft_exits.Merge(local.soft_exits());
  if (!filters) return;
  ReadParts();
  current_filter_ = 0;
  const auto refused = [&](int32_t token) { return !local.HasExit(token, of_base, bounds); };
  ids_.erase(std::remove_if(ids_.begin() + static_cast<ptrdiff_t>(before), ids_.end(), refused),
             ids_.end());
}

void MaskBuilder::DeferChildren(const TokenTrie& trie, uint32_t node, const Following& after,
                                const ByteSet& soft) {
  const uint32_t end = trie.node(node).subtree_end;
  if (end == node + 1) return;
  // A name may end after each of its letters; what follows it rarely begins with the next.
  const ByteSet bytes{trie.BytesOf(node + 1, end)};
  if (in_run_ && after.ends) {
    ByteSet hard = bytes;
    for (size_t i = 0; i < bytes.words.size(); ++i) {
      hard.words[i] &= ~soft.words[i];
      run_.soft_exits.words[i] |= bytes.words[i] & soft.words[i];
    }
    if (!hard.empty()) AddRunExits(trie, node + 1, end, hard);
  }
  if (after.first.Intersects(bytes)) {
    Defer({after.set, &trie, node + 1, end, bytes, after.covered});
  }
}

void MaskBuilder::ReadByAutomaton(const DfaItem& item, const Part& part) {
  const TokenTrie::Node& first_node = part.trie->node(part.begin);
  // Tails all begin with one byte.
  if (first_node.subtree_end == part.end &&
      !item.unit->dfa->first_bytes(item.state).Contains(first_node.byte)) {
    return;
  }
  const Following after = following_.After(parser_, item);
  if (IsFarFromLimits(item, tokenizer_.trie().max_token_bytes())) {
    ReadByPlainAutomaton(item, part, after);
    return;
  }
  if (!in_run_ && ReadFittingBelow(item, part, after)) return;
  const TokenTrie& trie = *part.trie;
  const bool counts_copies = item.unit->kind == Unit::Kind::kCountedDfa;
  const bool is_large = part.end - part.begin >= kManyNodes;
  const uint16_t copies = counts_copies && is_large ? KindsOfCopies(*item.unit->dfa) : uint16_t{0};
  // Where what follows may begin, nodes are read.
  const bool is_opaque = in_run_ && after.ends;  // Anything may follow.
  const uint16_t first_kinds = KindsOf(after.first);
  const auto taken = is_opaque ? uint16_t{0} : static_cast<uint16_t>(copies & ~first_kinds);
  const LengthMeter* meter = item.unit->meter.get();
  std::optional<LiveKinds> live;
  if (meter != nullptr && is_large && !is_opaque) live.emplace(*item.unit->dfa);
  WalkDfa(
      trie, part.begin, part.end, *item.unit->dfa, RuleOf(*item.unit),
      {item.state, CopiesLeft(item)}, &stack_,
      [&](uint32_t node, const DfaPosition&) { Emit(trie, node); },
      [&](uint32_t node, const DfaPosition&) { DeferChildren(trie, node, after); },
      [&](uint32_t node, const DfaPosition& to) {
        const bool is_taken =
            live ? TakesAllBelow(trie, node, to, *meter, first_kinds, &*live)
                 // Between copies, with room for a copy for each byte below.
                 : taken != 0 && to.state == 0 && (trie.kinds_below(node) & ~taken) == 0 &&
                       trie.height_below(node) < std::min(to.copies.room, kManyLevels);
        if (is_taken) EmitBelow(trie, node);
        return is_taken;
      });
}

void MaskBuilder::ReadByPlainAutomaton(const DfaItem& item, const Part& part,
                                       const Following& after) {
  const TokenTrie& trie = *part.trie;
  if (trie.IsAllChildren(part.begin, part.end) &&
      ReadByLocal(item, item.state, trie, part.begin - 1, after)) {
    return;
  }
  const ByteDfa& dfa = *item.unit->dfa;
  std::optional<LiveKinds> live;
  if (part.end - part.begin >= kManyNodes) live.emplace(dfa);
  const uint16_t first_kinds = live ? KindsOf(after.first) : uint16_t{0};
  const bool is_opaque = in_run_ && after.ends;
  WalkPlainDfa(
      trie, part.begin, part.end, dfa, item.state, &plain_stack_,
      [&](uint32_t node, uint32_t) { Emit(trie, node); },
      [&](uint32_t node, uint32_t to) {
        DeferChildren(trie, node, after, is_opaque ? dfa.first_bytes(to) : ByteSet{});
      },
      [&](uint32_t node, uint32_t to) {
        // Finding out what a state takes costs more than reading a few nodes.
        constexpr uint32_t kWorthAsking = 64;
        if (ReadByLocal(item, to, trie, node, after)) return true;
        if (!live || trie.node(node).subtree_end - node < kWorthAsking) return false;
        if (!live->TakesAllBelow(trie, node, to)) return false;
        if (live->Of(to).may_end && (trie.kinds_below(node) & first_kinds) != 0) return false;
        // Where it may end, a caller could read what goes on.
        if (live->Of(to).may_end && is_opaque) run_soft_kinds_ |= trie.kinds_below(node);
        EmitBelow(trie, node);
        return true;
      });
}

bool MaskBuilder::ReadByLocal(const DfaItem& item, uint32_t state, const TokenTrie& trie,
                              uint32_t node, const Following& after) {
  const uint32_t end = trie.node(node).subtree_end;
  const PartSizes& sizes = local_masks_.part_sizes();
  if (end - node <= sizes.known || &trie != &tokenizer_.trie() || current_filter_ != 0)
    return false;
  if (item.unit->dfa->first_bytes(state).size() < sizes.bytes) return false;
  // Words after a space are read from the same few states (the start of a name) in most sets.
  std::shared_ptr<const LocalMask> local =
      local_masks_.GetBelow(item.unit->dfa, state, node, &local_builder_);
  if (local->is_dense()) {
    const TokenMask::Part part{local, CopyBounds::kManyCopies};
    if (std::find(locals_.begin(), locals_.end(), part) == locals_.end()) locals_.push_back(part);
  } else {
    local->AppendTo(&ids_);
  }
  if (local->soft_exits().Intersects(after.first)) {
    DfaItem at = item;
    at.state = state;
    ReadExits(at, {kDeadSet, &trie, node + 1, end, {}}, after);
  } else {
    ReadTails(*local, false, {}, after);
  }
  read_.push_back(std::move(local));
  return true;
}

void MaskBuilder::ReadExits(const DfaItem& item, const Part& part, const Following& after) {
  if (gave_up_) return;
  const TokenTrie& trie = *part.trie;
  const uint16_t first_kinds = KindsOf(after.first);
  const bool is_opaque = in_run_ && after.ends;
  WalkDfa(
      trie, part.begin, part.end, *item.unit->dfa, RuleOf(*item.unit),
      {item.state, CopiesLeft(item)}, &stack_, [](uint32_t, const DfaPosition&) {},
      [&](uint32_t node, const DfaPosition&) { DeferChildren(trie, node, after); },
      // Subtrees without a byte that could begin what follows hold no exit.
      [&](uint32_t node, const DfaPosition&) {
        return !is_opaque && (trie.kinds_below(node) & first_kinds) == 0;
      });
}

void MaskBuilder::Emit(const TokenTrie& trie, uint32_t node) {
  const auto tokens = trie.tokens(node);
  ids_.insert(ids_.end(), tokens.begin(), tokens.end());
}

void MaskBuilder::EmitBelow(const TokenTrie& trie, uint32_t node) {
  const auto below = trie.subtree_tokens(node).subspan(trie.tokens(node).size());
  ids_.insert(ids_.end(), below.begin(), below.end());
}

uint32_t MaskBuilder::NumberOf(const TokenTrie& trie, const LocalMask* owner) {
  if (last_tree_ < trees_.size() && trees_[last_tree_].trie == &trie) return last_tree_;
  const auto known = std::find_if(trees_.begin(), trees_.end(),
                                  [&](const Tree& tree) { return tree.trie == &trie; });
  last_tree_ = static_cast<uint32_t>(known - trees_.begin());
  if (known == trees_.end()) trees_.push_back({&trie, owner});
  return last_tree_;
}

void MaskBuilder::Defer(const Part& part) {
  if (part.begin >= part.end || part.set == kDeadSet || gave_up_) return;
  // Ambiguous grammars reach the same part from the same set in many ways.
  constexpr uint32_t kMaxTrees = 1u << 16;
  const uint32_t tree = NumberOf(*part.trie);
  uint64_t covered = part.covered;
  uint32_t reader = part.set;
  if (covered != 0) {
    // Ambiguous grammars leave to thousands of sets. Past a few, covered items are read as well:
    // that adds nothing, and costs less than looking for the pair.
    constexpr size_t kMaxCovered = 32;
    const auto pair = std::find(covered_.begin(), covered_.end(), std::pair{part.set, covered});
    if (pair != covered_.end() || covered_.size() < kMaxCovered) {
      // Not the id of a set: those count from zero.
      reader = ~static_cast<uint32_t>(pair - covered_.begin());
      if (pair == covered_.end()) covered_.emplace_back(part.set, covered);
    } else {
      covered = 0;
    }
  }
  if (!seen_parts_.Add({reader, tree + current_filter_ * kMaxTrees, part.begin})) return;
  parts_.push_back(part);
  parts_.back().covered = covered;
  CountPart();
}

std::unique_ptr<const TokenMask> MaskBuilder::Finish() {
  const size_t num_words = (static_cast<size_t>(tokenizer_.vocab_size()) + 31) / 32;
  // Up to this much, referring to shared parts and setting bits one by one is cheaper than words of
  // its own.
  constexpr size_t kMaxParts = 4;
  constexpr std::ptrdiff_t kMaxDenseParts = 2;
  const std::ptrdiff_t num_dense =
      std::count_if(locals_.begin(), locals_.end(),
                    [](const TokenMask::Part& part) { return part.local->is_dense(); });
  if (!takes_any_token_ && fitting_.empty() && locals_.size() <= kMaxParts &&
      num_dense <= kMaxDenseParts && ids_.size() <= num_words / 2 + 64) {
    return std::make_unique<TokenMask>(locals_, std::vector<int32_t>(ids_.begin(), ids_.end()),
                                       std::vector<uint32_t>());
  }
  std::vector<uint32_t> words(num_words, 0);
  if (takes_any_token_) {
    // Tokens that some other item allows come on top of what is not excluded.
    std::vector<uint32_t> any(local_masks_.text_tokens().words.begin(),
                              local_masks_.text_tokens().words.end());
    for (int32_t id : excluded_) {
      if (static_cast<size_t>(id) < any.size() * 32)
        any[static_cast<size_t>(id) >> 5] &= ~(1u << (id & 31));
    }
    TokenMask(locals_, ids_, std::move(any)).WriteTo(words);
  } else {
    TokenMask(locals_, ids_, {}).WriteTo(words);
  }
  for (size_t w = 0; w < fitting_.size(); ++w) words[w] |= fitting_[w];
  return std::make_unique<TokenMask>(std::vector<TokenMask::Part>(), std::vector<int32_t>(),
                                     std::move(words));
}

}  // namespace xgrammar
