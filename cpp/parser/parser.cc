// Parser: transitions, interning of sets and continuations. The closure of a kernel (predict,
// complete) is in closure.cc, the normal form of counts for masks in mask_counts.cc, what is
// particular to distinct items in distinct.cc.
//
// A transition is scan, step and settle: bytes of edges, states of automata and counts, then what
// ends returns to those who wait. Sources and reasons are in parser.h and in design notes 0004,
// 0017 and 0018.
#include "parser/parser.h"

#include <algorithm>
#include <utility>

#include "support/error.h"

namespace xgrammar {

namespace {

// A matcher that holds an old generation may go on growing it this far past the budget.
constexpr int64_t kHardMemoryFactor = 2;

// Stands for "this continuation has been returned to" in a SeenItems.
constexpr uint32_t kReturnedMark = 0xFFFFFFFE;

uint64_t HashItems(std::span<const Item> items) {
  uint64_t h = items.size() * 0x9E3779B97F4A7C15ull;
  for (const Item& item : items) {
    h = (h ^ HashItem(item)) * 0xFF51AFD7ED558CCDull;
    h ^= h >> 29;
  }
  return h;
}

bool SameItems(std::span<const Item> a, std::span<const Item> b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end());
}

void SortUnique(std::vector<Item>* items) {
  std::sort(items->begin(), items->end());
  items->erase(std::unique(items->begin(), items->end()), items->end());
}

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
  start_ = InternLive(&kernel, 0);
  has_marker_literals_ = units_.has_marker_literals();
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
  std::vector<Item> kernel;
  Scan(sets_[set], byte, step == Step::kLiteral, &kernel);
  if (step != Step::kScan) StepKeys(sets_[set], byte, step == Step::kLiteral, &kernel);
  if (step == Step::kAny) StepAutomata(sets_[set], byte, &kernel);
  const uint32_t record = RecordAfter(set, byte);
  record_ = record;
  Settle(&kernel);
  const SetId target = InternLive(&kernel, record);
  edges.Insert(set, byte, target);
  return target;
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
  return InternLive(&kernel, record);
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

SetId Parser::AtKey(const KeyItem& item, uint32_t state) {
  const Growth growth(this);
  CheckMemory();
  std::vector<Item> kernel{{item.unit->first_state + state, item.continuation, item.parameter}};
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
    if (!item.state->first.Contains(byte)) continue;
    for (const Fsm::ByteEdge& e : item.state->bytes) {
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

void Parser::Settle(std::vector<Item>* items) {
  settle_seen_.Clear();
  std::vector<Item> work;
  work.swap(*items);
  std::vector<Item>& settled = *items;
  while (!work.empty()) {
    const Item item = work.back();
    work.pop_back();
    if (!settle_seen_.Add(item)) continue;
    if (item.state == kDoneState || item.state == kBoundaryState) {
      settled.push_back(item);
      continue;
    }
    const Unit& unit = units_.UnitOfState(item.state);
    const uint32_t local = item.state - unit.first_state;
    switch (unit.kind) {
      case Unit::Kind::kDfa:
      case Unit::Kind::kLimitedDfa:
        if (unit.dfa->IsFinal(local)) {
          Return(item.continuation, &settled, &work);
        } else {
          settled.push_back(item);
        }
        break;
      case Unit::Kind::kCountedDfa:
        // Prefix-free: an accepting state has no edges, so the copy ends here and nowhere else.
        if (unit.dfa->IsAccept(local)) {
          SettleCount(unit, item, &settled, &work);
        } else {
          settled.push_back(item);
        }
        break;
      case Unit::Kind::kAnyOrder:
        SettleAnyOrder(unit, item, &settled, &work);
        break;
      case Unit::Kind::kDistinct:
        SettleDistinct(unit, item, &settled, &work);
        break;
      case Unit::Kind::kCountedCall:
        if (local == kCountedCallAfter) {
          SettleCount(unit, item, &settled, &work);
        } else {
          settled.push_back(item);
        }
        break;
      case Unit::Kind::kFsm: {
        const Fsm::State& state = unit.fsm.state(local);
        if (state.IsWaiting()) {
          settled.push_back(item);
          break;
        }
        if (state.accept) Return(item.continuation, &settled, &work);
        for (uint32_t target : state.epsilons) {
          work.push_back({unit.first_state + target, item.continuation, 0});
        }
        break;
      }
    }
  }
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

SetId Parser::InternSet(const std::vector<Item>& kernel, uint32_t record) {
  // Where a token ended is no place to go on from by itself.
  if (kernel.empty() || (kernel.size() == 1 && kernel[0].state == kBoundaryState)) return kDeadSet;
  const uint64_t hash = HashItems(kernel) ^ (uint64_t{record} * 0x9E3779B97F4A7C15ull);
  const uint32_t known = set_index_.Find(hash, [&](uint32_t id) {
    return sets_[id].record == record && SameItems(sets_[id].kernel, kernel);
  });
  if (known != IdTable::kNotFound) return known;
  if (sets_.size() >= EdgeMap::kMaxSetId) {
    ThrowLimitError("max_state_bytes", MemorySizeBytesLocked(), limits_.max_state_bytes);
  }
  record_ = record;
  Close(kernel);
  ResolvePredictions();

  std::vector<DfaItem> dfa_items;
  ByteSet first;
  const auto resolve = [this](uint32_t continuation) {
    return (continuation & kLocalBit) != 0 ? prediction_ids_[continuation & ~kLocalBit]
                                           : continuation;
  };
  for (const Item& item : dfa_found_) {
    const Unit& unit = units_.UnitOfState(item.state);
    const uint32_t local = item.state - unit.first_state;
    LimitCounts used{item.count, 0};
    if (unit.kind == Unit::Kind::kLimitedDfa) {
      used = UsedLimits(unit, item.count);
      if (unit.IsUsedUp(used) && unit.dfa->IsAccept(local)) continue;
    }
    const ByteSet bytes = unit.meter != nullptr
                              ? unit.meter->FirstBytes(*unit.dfa, local, item.count)
                              : unit.dfa->first_bytes(local);
    if (unit.meter != nullptr && bytes.empty()) continue;  // As long as it may be.
    first.Merge(bytes);
    dfa_items.push_back({&unit, local, resolve(item.continuation), used.code_points, used.tokens});
  }
  std::vector<ScanItem> scan_items;
  ByteSet scan_first;
  for (const Item& item : scan_found_) {
    const Unit& unit = units_.UnitOfState(item.state);
    const Fsm::State& state = unit.fsm.state(item.state - unit.first_state);
    scan_items.push_back({&state, unit.first_state, resolve(item.continuation)});
    scan_first.Merge(state.first);
  }
  first.Merge(scan_first);
  const std::vector<KeyItem> key_items = MakeKeyItems(&first);
  std::vector<TokenItem> token_items;
  for (const Item& item : token_found_) {
    const Unit& unit = units_.UnitOfState(item.state);
    for (const Fsm::TokenEdge& e : unit.fsm.state(item.state - unit.first_state).tokens) {
      token_items.push_back(
          {e.tokens, {unit.first_state + e.target, resolve(item.continuation), 0}});
    }
  }

  const SetId id = sets_.Append();
  EarleySet& set = sets_[id];
  set.kernel = arena_.Copy(std::span<const Item>(kernel));
  set.dfa_items = arena_.Copy(std::span<const DfaItem>(dfa_items));
  set.scan_items = arena_.Copy(std::span<const ScanItem>(scan_items));
  set.key_items = arena_.Copy(std::span<const KeyItem>(key_items));
  set.token_items = arena_.Copy(std::span<const TokenItem>(token_items));
  set.first = first;
  set.scan_first = scan_first;
  set.accepting = accepting_;
  set.begins_list = begins_list_;
  set.record = record;
  set.compares = compares_ || ComparesAny(kernel, record);
  set_index_.Insert(hash, id);
  set.mask_set = MaskSetOf(id, set.kernel);
  return id;
}

std::vector<KeyItem> Parser::MakeKeyItems(ByteSet* first) {
  std::vector<KeyItem> key_items;
  for (const Item& item : key_found_) {
    const Unit& unit = units_.UnitOfState(item.state);
    const AnyOrderUnit& parts = *unit.any_order;
    const uint32_t local = item.state - unit.first_state;
    const std::vector<uint64_t> allowed = parts.Allowed(parameters_[item.count]);
    const auto [begin, end] = parts.Children(local);
    bool is_open = false;
    for (uint32_t node = begin; node < end; node = parts.keys().node(node).subtree_end) {
      if (!parts.IsOpen(node, allowed)) continue;
      first->Add(static_cast<uint8_t>(parts.keys().node(node).byte));
      is_open = true;
    }
    if (!is_open) continue;
    const bool is_local = (item.continuation & kLocalBit) != 0;
    key_items.push_back(
        {&unit, local,
         is_local ? prediction_ids_[item.continuation & ~kLocalBit] : item.continuation, item.count,
         arena_.Copy(std::span<const uint64_t>(allowed))});
  }
  return key_items;
}

SetId Parser::MaskSetOf(SetId id, std::span<const Item> kernel) {
  if (sets_[id].record == NoRecord() &&
      std::all_of(kernel.begin(), kernel.end(),
                  [this](const Item& item) { return MaskItem(item) == item; })) {
    return id;
  }
  std::vector<Item> normal;
  normal.reserve(kernel.size());
  for (const Item& item : kernel) normal.push_back(MaskItem(item));
  SortUnique(&normal);
  // Normal counts and continuations are fixed points, so this interns at most one more set.
  return InternSet(normal, NoRecord());
}

ContinuationId Parser::AddContinuation(std::span<const Item> returns) {
  const ContinuationId id = continuations_.Append();
  continuations_[id].returns = arena_.Copy(returns);
  continuations_[id].mask_continuation = id;
  return id;
}

ContinuationId Parser::InternContinuation(std::vector<Item> returns) {
  SortUnique(&returns);
  const uint64_t hash = HashItems(returns);
  const uint32_t known = continuation_index_.Find(
      hash, [&](uint32_t id) { return SameItems(continuations_[id].returns, returns); });
  if (known != IdTable::kNotFound) return known;
  const ContinuationId id = AddContinuation(returns);
  continuation_index_.Insert(hash, id);
  std::vector<Item> normal;
  for (const Item& item : returns) normal.push_back(MaskItem(item));
  if (!SameItems(normal, returns)) {
    continuations_[id].mask_continuation = InternContinuation(std::move(normal));
  }
  return id;
}

ContinuationId Parser::InternEquation(std::vector<Item> equation) {
  SortUnique(&equation);
  const auto with_self = [&equation](ContinuationId self) {
    std::vector<Item> returns = equation;
    for (Item& item : returns) {
      if (item.continuation == kSelfContinuation) item.continuation = self;
    }
    SortUnique(&returns);
    return returns;
  };
  // A continuation that the list mentions and that solves the equation is its least solution: so
  // `root ::= root root | "a"` comes back to the same set after every `a`.
  constexpr int kMaxCandidates = 8;
  int num_candidates = 0;
  ContinuationId last = kSelfContinuation;
  for (const Item& item : equation) {
    const ContinuationId candidate = item.continuation;
    if (candidate == kSelfContinuation || candidate == last) continue;
    if (++num_candidates > kMaxCandidates) break;
    last = candidate;
    if (SameItems(with_self(candidate), continuations_[candidate].returns)) return candidate;
  }
  const uint64_t hash = HashItems(equation);
  const uint32_t known = continuation_index_.Find(
      hash, [&](uint32_t id) { return SameItems(continuations_[id].equation, equation); });
  if (known != IdTable::kNotFound) return known;
  const ContinuationId id = AddContinuation({});
  const std::vector<Item> returns = with_self(id);
  continuations_[id].returns = arena_.Copy(std::span<const Item>(returns));
  continuations_[id].equation = arena_.Copy(std::span<const Item>(equation));
  continuation_index_.Insert(hash, id);
  return id;
}

std::span<const Item> Parser::SettledReturns(ContinuationId continuation) {
  Continuation& c = continuations_[continuation];
  if (!c.is_settled) {
    std::vector<Item> items(c.returns.begin(), c.returns.end());
    compares_now_ = false;  // What returns to a comparison depends on the text.
    Settle(&items);
    compares_now_ = true;
    c.settled = arena_.Copy(std::span<const Item>(items));
    c.is_settled = true;
  }
  return c.settled;
}

void Parser::CheckMemory() const {
  const int64_t bytes = MemorySizeBytesLocked();
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
