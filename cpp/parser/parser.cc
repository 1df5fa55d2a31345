// Parser: transitions. The closure of a kernel (predict, complete) is in closure.cc, interning in
// interning.cc, the normal form of counts for masks in mask_counts.cc, what is particular to
// distinct items in distinct.cc.
//
// A transition is scan, step and settle: bytes of edges, states of automata and counts, then what
// ends returns to those who wait. Sources and reasons are in parser.h and in design notes 0004,
// 0017 and 0018.
#include "parser/parser.h"

#include <algorithm>
#include <utility>

#include "parser/item_list.h"
#include "support/error.h"

namespace xgrammar {

namespace {

// A matcher that holds an old generation may go on growing it this far past the budget.
constexpr int64_t kHardMemoryFactor = 2;

// Stands for "this continuation has been returned to" in a SeenItems.
constexpr uint32_t kReturnedMark = 0xFFFFFFFE;

}  // namespace

Parser::Parser(GrammarPtr grammar, std::shared_ptr<DfaCache> dfa_cache, const TokenTrie* markers,
               uint32_t count_horizon, const Limits& limits, ByteAccount* account)
    : limits_(limits),
      count_horizon_(count_horizon),
      dfa_cache_(std::move(dfa_cache)),
      account_(account),
      units_(std::move(grammar), dfa_cache_.get(), markers) {
  const Growth growth(this);
  sets_.Append();  // kDeadSet.
  AddContinuation({});
  // The start rule is called by nobody: its first item stands in the kernel with the root
  // continuation.
  const Unit& root = units_.Get(units_.root());
  has_token_limits_ = units_.has_token_limits();
  has_distinct_ = units_.has_distinct();
  at_token_end_ = has_token_limits_;
  std::vector<Item> kernel{{root.first_state, kRootContinuation, StartCount(root)}};
  if (has_token_limits_) kernel.push_back({kBoundaryState, kRootContinuation, 0});
  Settle(&kernel);
  start_ = InternLive(&kernel, 0, kDeadSet);
  has_marker_literals_ = units_.has_marker_literals();
  units_.BuildAhead();
}

SetId Parser::Grow(SetId set, uint8_t byte, Step step) {
  const Growth growth(this);
  return GrowLocked(set, byte, step);
}

SetId Parser::GrowLocked(SetId set, uint8_t byte, Step step) {
  EdgeMap& edges = step == Step::kAny ? edges_ : step == Step::kScan ? scan_edges_ : literal_edges_;
  const uint32_t known = edges.Find(set, byte);
  if (known != EdgeMap::kUnknown) return known;
  CheckMemory();
  // Taken, since a search among distinct items takes steps of its own.
  std::vector<Item> kernel = std::move(kernel_);
  kernel.clear();
  Scan(sets_[set], byte, step == Step::kLiteral, &kernel);
  if (step != Step::kScan) StepKeys(sets_[set], byte, step == Step::kLiteral, &kernel);
  if (step == Step::kAny) StepAutomata(sets_[set], byte, &kernel);
  const uint32_t record = RecordAfter(set, byte);
  record_ = record;
  Settle(&kernel);
  const SetId target = InternLive(&kernel, record, step == Step::kAny ? set : kDeadSet);
  kernel_ = std::move(kernel);
  edges.Insert(set, byte, target);
  return target;
}

SetId Parser::NextText(SetId set, std::string_view bytes) {
  // A section is short, so a long token takes the lock more than once.
  constexpr size_t kBytesOfOneSection = 32;
  size_t i = 0;
  while (i < bytes.size() && set != kDeadSet) {
    const uint32_t known = edges_.Find(set, static_cast<uint8_t>(bytes[i]));
    if (known != EdgeMap::kUnknown) {
      set = known;
      ++i;
      continue;
    }
    const Growth growth(this);
    const size_t end = std::min(bytes.size(), i + kBytesOfOneSection);
    for (; i < end && set != kDeadSet; ++i) {
      set = GrowLocked(set, static_cast<uint8_t>(bytes[i]), Step::kAny);
    }
  }
  return set;
}

SetId Parser::NextByToken(SetId set, int32_t token, bool named_only) {
  if (sets_[set].token_items.empty()) return kDeadSet;
  const Growth growth(this);
  CheckMemory();
  std::vector<Item> kernel;
  for (const TokenItem& item : sets_[set].token_items) {
    if (named_only && item.tokens->is_excluding) continue;
    if (item.tokens->Contains(token)) kernel.push_back(item.after);
  }
  const uint32_t record = sets_[set].record;
  record_ = record;
  Settle(&kernel);
  return InternLive(&kernel, record, kDeadSet);
}

SetId Parser::Unite(SetId a, SetId b) {
  if (a == b || b == kDeadSet) return a;
  if (a == kDeadSet) return b;
  const uint32_t record = std::max(sets_[a].record, sets_[b].record);
  // Two texts of one item: it is read as text.
  if (std::min(sets_[a].record, sets_[b].record) != 0 && sets_[a].record != sets_[b].record)
    return a;
  const Growth growth(this);
  CheckMemory();
  std::vector<Item> kernel(sets_[a].kernel.begin(), sets_[a].kernel.end());
  kernel.insert(kernel.end(), sets_[b].kernel.begin(), sets_[b].kernel.end());
  SortUnique(&kernel);
  return InternSet(kernel, record);
}

SetId Parser::AtState(uint32_t state, ContinuationId continuation, uint32_t count) {
  const Growth growth(this);
  CheckMemory();
  std::vector<Item> kernel{{state, continuation, count}};
  record_ = NoRecord();
  Settle(&kernel);
  return InternSet(kernel, NoRecord());
}

SetId Parser::AtTokenEnd(SetId set, bool counts) {
  if (!has_token_limits_ || set == kDeadSet) return set;
  const Growth growth(this);
  CheckMemory();
  std::vector<Item> kernel;
  for (const Item& item : sets_[set].kernel) {
    kernel.push_back(item);
    if (item.state == kDoneState || item.state == kBoundaryState) continue;
    const Unit& unit = units_.UnitOfState(item.state);
    if (!unit.LimitsTokens()) continue;
    LimitCounts used = UsedLimits(unit, item.count);
    used.tokens = unit.TokensAfterToken(used.tokens, counts);
    kernel.back().count = CountOfLimits(unit, used);
  }
  kernel.push_back({kBoundaryState, kRootContinuation, 0});
  SortUnique(&kernel);
  return InternSet(kernel, sets_[set].record);
}

SetId Parser::AfterReturn(ContinuationId continuation) {
  Continuation& c = continuations_[continuation];
  const SetId known = c.after.load(std::memory_order_acquire);
  if (known != kUnknownSet) return known;
  const Growth growth(this);
  CheckMemory();
  std::vector<Item> kernel;
  if (continuation == kRootContinuation) {
    kernel.push_back({kDoneState, kRootContinuation, 0});
  } else {
    const auto settled = SettledReturns(continuation);
    kernel.assign(settled.begin(), settled.end());
  }
  if (has_distinct_) {
    record_ = NoRecord();
    Settle(&kernel);
  }
  const SetId after = InternSet(kernel, NoRecord());
  c.after.store(after, std::memory_order_release);
  return after;
}

void Parser::Scan(const EarleySet& set, uint8_t byte, bool literal_only,
                  std::vector<Item>* out) const {
  if (!set.scan_first.Contains(byte)) return;
  for (const ScanItem& item : set.scan_items) {
    for (const Fsm::ByteEdge& e : item.state->bytes()) {
      if (byte < e.lo) break;  // Sorted by lo.
      if (byte > e.hi || (literal_only && !e.literal)) continue;
      out->push_back({item.unit_first_state + e.target, item.continuation, 0});
    }
  }
}

void Parser::StepKeys(const EarleySet& set, uint8_t byte, bool literal_only,
                      std::vector<Item>* out) const {
  for (const KeyItem& item : set.key_items) {
    if (literal_only && item.unit->rule_kind != RuleKind::kAuto) continue;
    const uint32_t node = item.unit->any_order->Next(item.state, byte, item.allowed);
    if (node == AnyOrderUnit::kNoNode) continue;
    out->push_back({item.unit->first_state + AnyOrderUnit::StateOfNode(node), item.continuation,
                    item.parameter});
  }
}

LimitCounts Parser::UsedLimits(const Unit& unit, uint32_t count) const {
  if (!unit.LimitsTokens()) return {count, 0};
  if (!unit.LimitsCodePoints()) return {0, count};
  const MemberSet& both = parameters_[count];
  return {both.count, static_cast<uint32_t>(both.word(0))};
}

uint32_t Parser::CountOfLimits(const Unit& unit, const LimitCounts& used) {
  if (!unit.LimitsTokens()) return used.code_points;
  if (!unit.LimitsCodePoints()) return used.tokens;
  const uint64_t tokens = used.tokens;
  return parameters_.Intern({used.code_points, std::span(&tokens, tokens == 0 ? 0 : 1)});
}

void Parser::StepAutomata(const EarleySet& set, uint8_t byte, std::vector<Item>* out) {
  for (const DfaItem& item : set.dfa_items) {
    const Unit& unit = *item.unit;
    const uint32_t target = unit.dfa->Next(item.state, byte);
    if (target == ByteDfa::kDead) continue;
    uint32_t count = item.count;
    if (unit.meter != nullptr) {
      if (!unit.meter->Read(target, byte, &count)) continue;
    } else if (unit.kind == Unit::Kind::kLimitedDfa) {
      LimitCounts used{item.count, item.tokens};
      const bool is_used_up = unit.IsUsedUp(used);
      if (is_used_up && unit.dfa->IsAccept(item.state)) continue;
      const bool begins_code_point = (byte & 0xC0) != 0x80;
      if (unit.LimitsCodePoints() && begins_code_point && !is_used_up) ++used.code_points;
      count = CountOfLimits(unit, used);
    }
    out->push_back({unit.first_state + target, item.continuation, count});
  }
}

bool Parser::IsSettled(const Item& item) const {
  if (item.state == kDoneState || item.state == kBoundaryState) return true;
  const Unit& unit = units_.UnitOfState(item.state);
  const uint32_t local = item.state - unit.first_state;
  switch (unit.kind) {
    case Unit::Kind::kDfa:
    case Unit::Kind::kLimitedDfa:
      return !unit.dfa->IsFinal(local);
    case Unit::Kind::kCountedDfa:
      // Prefix-free: an accepting state has no edges, so the copy ends here and nowhere else.
      return !unit.dfa->IsAccept(local);
    case Unit::Kind::kFsm:
      return unit.fsm.state(local).IsWaiting();
    case Unit::Kind::kCountedCall:
      return local != kCountedCallAfter;
    case Unit::Kind::kAnyOrder:
    case Unit::Kind::kDistinct:
      break;
  }
  return false;
}

void Parser::Settle(std::vector<Item>* items) {
  std::vector<Item>& settled = *items;
  if (std::all_of(settled.begin(), settled.end(),
                  [this](const Item& item) { return IsSettled(item); })) {
    SortUnique(&settled);
    return;
  }
  settle_seen_.Clear();
  std::vector<Item> work = std::move(settle_work_);
  work.assign(settled.begin(), settled.end());
  settled.clear();
  while (!work.empty()) {
    const Item item = work.back();
    work.pop_back();
    if (!settle_seen_.Add(item)) continue;
    if (IsSettled(item)) {
      settled.push_back(item);
      continue;
    }
    const Unit& unit = units_.UnitOfState(item.state);
    switch (unit.kind) {
      case Unit::Kind::kDfa:
      case Unit::Kind::kLimitedDfa:
        Return(item.continuation, &settled, &work);
        break;
      case Unit::Kind::kCountedDfa:
      case Unit::Kind::kCountedCall:
        SettleCount(unit, item, &settled, &work);
        break;
      case Unit::Kind::kAnyOrder:
        SettleAnyOrder(unit, item, &settled, &work);
        break;
      case Unit::Kind::kDistinct:
        SettleDistinct(unit, item, &settled, &work);
        break;
      case Unit::Kind::kFsm: {
        const Fsm::State& state = unit.fsm.state(item.state - unit.first_state);
        if (state.accept()) Return(item.continuation, &settled, &work);
        for (uint32_t target : state.epsilons()) {
          work.push_back({unit.first_state + target, item.continuation, 0});
        }
        break;
      }
    }
  }
  settle_work_ = std::move(work);
  SortUnique(&settled);
}

void Parser::SettleCount(const Unit& unit, const Item& item, std::vector<Item>* settled,
                         std::vector<Item>* work) {
  const uint32_t count = unit.NextCount(item.count);
  if (unit.MayGoOnAt(count)) {
    // If it may also end here, the closure sees that by the count.
    settled->push_back({unit.first_state, item.continuation, count});
  } else {
    Return(item.continuation, settled, work);
  }
}

void Parser::SettleAnyOrder(const Unit& unit, const Item& item, std::vector<Item>* settled,
                            std::vector<Item>* work) {
  const AnyOrderUnit& parts = *unit.any_order;
  const uint32_t local = item.state - unit.first_state;
  if (local == parts.after_state()) {
    if (parts.MayGoOn(parameters_[item.count])) {
      settled->push_back(item);
    } else {
      Return(item.continuation, settled, work);
    }
    return;
  }
  const auto [begin_node, end_node] = parts.Children(local);
  const auto [first, end] = parts.EndsAt(local);
  bool only_ends = local != AnyOrderUnit::kBefore && begin_node == end_node;
  for (uint32_t part = first; part < end; ++part)
    only_ends = only_ends && parts.part(part).rest == AnyOrderUnit::kNoUnit;
  if (!only_ends) {
    settled->push_back(item);
    return;
  }
  const std::vector<uint64_t> allowed = parts.Allowed(parameters_[item.count]);
  for (uint32_t part = first; part < end; ++part) {
    if (HasBitIn(allowed, part, part + 1)) work->push_back(AfterMember(unit, item, part));
  }
}

void Parser::Return(ContinuationId continuation, std::vector<Item>* settled,
                    std::vector<Item>* work) {
  if (continuation == kRootContinuation) {
    settled->push_back({kDoneState, kRootContinuation, 0});
    return;
  }
  if (!settle_seen_.Add({kReturnedMark, continuation, 0})) return;
  const auto returns = continuations_[continuation].returns;
  work->insert(work->end(), returns.begin(), returns.end());
}

void Parser::CheckMemory() const {
  // As of the last step; one step more is no matter, but a search among distinct items is many.
  const int64_t bytes =
      has_distinct_ ? MemorySizeBytesLocked() : reported_bytes_.load(std::memory_order_relaxed);
  if (bytes > kHardMemoryFactor * limits_.max_state_bytes) {
    ThrowLimitError("max_state_bytes", bytes, kHardMemoryFactor * limits_.max_state_bytes);
  }
}

int64_t Parser::MemorySizeBytesLocked() const {
  return arena_.size_bytes() + edges_.MemorySizeBytes() + scan_edges_.MemorySizeBytes() +
         literal_edges_.MemorySizeBytes() +
         int64_t{sets_.size()} * static_cast<int64_t>(sizeof(EarleySet)) +
         int64_t{continuations_.size()} * static_cast<int64_t>(sizeof(Continuation)) +
         parameters_.MemorySizeBytes() + DistinctBytes() + set_index_.MemorySizeBytes() +
         continuation_index_.MemorySizeBytes() + units_.MemorySizeBytes();
}

void Parser::ReportBytes() {
  const int64_t bytes = MemorySizeBytesLocked();
  const int64_t before = reported_bytes_.exchange(bytes, std::memory_order_relaxed);
  if (account_ != nullptr && bytes != before) account_->Add(bytes - before);
}

int64_t Parser::num_automaton_states() const {
  std::lock_guard<ForkSafeMutex> lock(mutex_);
  return units_.num_states();
}

std::string Parser::DebugString(SetId id) const {
  std::lock_guard<ForkSafeMutex> lock(mutex_);
  std::string out = "set " + std::to_string(id);
  if (id == kDeadSet) return out + " (dead)";
  const EarleySet& set = sets_[id];
  out += set.accepting ? " (complete):" : ":";
  for (const Item& item : set.kernel) {
    if (item.state == kDoneState) {
      out += " done";
      continue;
    }
    if (item.state == kBoundaryState) continue;
    out += " (unit " + std::to_string(units_.UnitIdOfState(item.state)) + " state " +
           std::to_string(item.state - units_.UnitOfState(item.state).first_state) +
           " continuation " + std::to_string(item.continuation) + " count " +
           std::to_string(item.count) + ")";
  }
  return out;
}

}  // namespace xgrammar
