// MaskBuilder: reading on after a text of a rule by what is known of the rule alone (text_runs.h).
//
// A run is made by the ordinary reading, with the end of the start rule in the place of the caller:
// where that may have been reached, the caller goes on. Runs are not made within runs, so nothing
// is recursive; those that are known are used.
#include <algorithm>
#include <tuple>
#include <utility>

#include "mask/mask_builder.h"
#include "tokenizer/byte_kind.h"

namespace xgrammar {

namespace {

// A run costs as much as the reading that it saves later, and more for its sets: making all of
// them at once would make the first masks after a state is shared the slowest of all.
constexpr uint32_t kMaxRunsOfMask = 4;
constexpr uint32_t kMaxNodesOfRuns = 1024;

}  // namespace

void MaskBuilder::ReadTextEnd(const TextEnd& end) {
  TextRuns::Answer known = runs_->Find({end.state, end.node, end.trie}, end.continuation, round_);
  if (known.run == nullptr && known.is_shared) {
    const Following alone = AtState(end.state, kRootContinuation);
    // Nothing is read: the caller's set is not needed.
    if (!alone.ends && !alone.first.Intersects(BytesBelow(end))) return;
    const bool makes_more = num_runs_made_ < kMaxRunsOfMask && nodes_of_runs_ < kMaxNodesOfRuns;
    if (!in_run_ && makes_more) known.run = MakeRun(end, alone);
  }
  if (known.run == nullptr) {
    DeferChildren(*end.trie, end.node, AtState(end.state, end.continuation));
  } else {
    TakeRun(std::move(known.run), end);
  }
}

ByteSet MaskBuilder::BytesBelow(const TextEnd& end) {
  return {end.trie->BytesOf(end.node + 1, end.trie->node(end.node).subtree_end)};
}

std::shared_ptr<const TextRun> MaskBuilder::MakeRun(const TextEnd& end, const Following& alone) {
  std::shared_ptr<const LocalMask> owner;
  if (end.trie != &tokenizer_.trie()) {
    const LocalMask* mask = trees_[NumberOf(*end.trie)].owner;
    if (mask != nullptr) owner = mask->weak_from_this().lock();
    if (owner == nullptr) return nullptr;
  }
  ++num_runs_made_;
  nodes_of_runs_ += end.trie->node(end.node).subtree_end - end.node;
  SwapRun();
  ids_.clear();
  locals_.clear();
  read_.clear();
  seen_parts_.Clear();
  seen_ends_.Clear();
  run_ = TextRun();
  run_soft_kinds_ = 0;
  num_merged_ = 0;
  in_run_ = true;
  DeferChildren(*end.trie, end.node, alone);
  ReadParts();
  in_run_ = false;
  MergeRunExits();
  for (uint32_t b = 0; b < 256 && run_soft_kinds_ != 0; ++b) {
    if ((run_soft_kinds_ & kKindBits[b]) != 0) run_.soft_exits.Add(static_cast<uint8_t>(b));
  }
  TakeDistinct(ids_, &run_.ids);
  run_.locals = std::move(locals_);
  run_.kept = std::move(read_);
  SwapRun();
  if (gave_up_) return nullptr;  // It is not complete.
  auto run = std::make_shared<const TextRun>(std::move(run_));
  bytes_of_runs_ += runs_->Keep({end.state, end.node, end.trie}, run, std::move(owner));
  return run;
}

void MaskBuilder::TakeDistinct(std::span<const int32_t> ids, std::vector<int32_t>* distinct) {
  seen_ids_.resize((static_cast<size_t>(tokenizer_.vocab_size()) + 31) / 32, 0);
  distinct->reserve(ids.size());
  for (int32_t id : ids) {
    uint32_t& word = seen_ids_[static_cast<size_t>(id) >> 5];
    const uint32_t bit = 1u << (id & 31);
    if ((word & bit) == 0) distinct->push_back(id);
    word |= bit;
  }
  for (int32_t id : *distinct) seen_ids_[static_cast<size_t>(id) >> 5] = 0;
  distinct->shrink_to_fit();
}

void MaskBuilder::SwapRun() {
  std::swap(parts_, outer_.parts);
  std::swap(text_ends_, outer_.text_ends);
  std::swap(ids_, outer_.ids);
  std::swap(locals_, outer_.locals);
  std::swap(read_, outer_.read);
  std::swap(seen_parts_, outer_.seen_parts);
  std::swap(seen_ends_, outer_.seen_ends);
}

void MaskBuilder::TakeRun(std::shared_ptr<const TextRun> run, const TextEnd& end) {
  const bool is_outermost = end.continuation == kRootContinuation;
  Following after;
  if (is_outermost) {
    after.ends = true;
  } else if (!run->exits.empty() || !run->soft_exits.empty()) {
    after.set = parser_->AfterReturn(end.continuation);
    after.first = parser_->set(after.set).first;
    after.ends = parser_->set(after.set).accepting;
  }
  if (run->soft_exits.Intersects(after.first)) {
    DeferChildren(*end.trie, end.node, AtState(end.state, end.continuation));
    return;
  }
  ids_.insert(ids_.end(), run->ids.begin(), run->ids.end());
  for (const TokenMask::Part& part : run->locals) {
    if (std::find(locals_.begin(), locals_.end(), part) == locals_.end()) locals_.push_back(part);
  }
  if (in_run_) {
    read_.insert(read_.end(), run->kept.begin(), run->kept.end());
    if (after.ends) {
      for (const TextRun::Exit& exit : run->exits) AddRunExit(exit);
      run_.soft_exits.Merge(run->soft_exits);
    }
  }
  for (const TextRun::Exit& exit : run->exits) {
    if (!exit.bytes.Intersects(after.first)) continue;
    const TokenTrie& trie = exit.group != nullptr ? exit.group->Tree(tokenizer_) : *exit.trie;
    NumberOf(trie, exit.owner);
    const uint32_t siblings_end = exit.group != nullptr ? trie.num_nodes() : exit.end;
    Defer({after.set, &trie, exit.begin, siblings_end, exit.bytes, 0});
  }
  if (!run->exits.empty()) runs_in_use_.push_back(std::move(run));
}

void MaskBuilder::AddRunExits(const TokenTrie& trie, uint32_t begin, uint32_t end,
                              const ByteSet& bytes) {
  const LocalMask* owner = &trie == &tokenizer_.trie() ? nullptr : trees_[NumberOf(trie)].owner;
  AddRunExit({nullptr, &trie, owner, begin, end, bytes});
}

void MaskBuilder::AddRunExit(const TextRun::Exit& exit) {
  constexpr size_t kMinExits = 64;
  if (run_.exits.size() >= num_merged_ * 2 + kMinExits) MergeRunExits();
  run_.exits.push_back(exit);
}

void MaskBuilder::MergeRunExits() {
  std::vector<TextRun::Exit>& exits = run_.exits;
  const auto place = [](const TextRun::Exit& e) { return std::tuple(e.group, e.trie, e.begin); };
  std::sort(exits.begin(), exits.end(),
            [&](const TextRun::Exit& a, const TextRun::Exit& b) { return place(a) < place(b); });
  size_t last = 0;
  for (size_t i = 1; i < exits.size(); ++i) {
    if (place(exits[i]) == place(exits[last])) {
      exits[last].bytes.Merge(exits[i].bytes);
    } else {
      exits[++last] = exits[i];
    }
  }
  if (!exits.empty()) exits.resize(last + 1);
  num_merged_ = exits.size();
}

void MaskBuilder::AddTextEnd(const TextEnd& end) {
  // Read twice where the numbers do not fit.
  constexpr uint32_t kMaxTrees = 1u << 8;
  constexpr uint32_t kMaxNodes = 1u << 24;
  const uint32_t tree = NumberOf(*end.trie);
  const bool fits = tree < kMaxTrees && end.node < kMaxNodes;
  if (fits && !seen_ends_.Add({end.state, end.continuation, tree * kMaxNodes + end.node})) return;
  text_ends_.push_back(end);
  CountPart();
}

}  // namespace xgrammar
