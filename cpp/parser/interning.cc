// Parser: interning of sets and continuations.
//
// A set is found by its kernel or closed and stored (closure.cc); a continuation is found by its
// list. What waits for itself is found by its equation. Hash tables hold ids only, values live in
// the arena (hash-consing, Ershov 1958; see design note 0004).
#include <algorithm>
#include <utility>

#include "parser/item_list.h"
#include "parser/parser.h"
#include "support/error.h"

namespace xgrammar {

SetId Parser::InternSet(const std::vector<Item>& kernel, uint32_t record) {
  // Where a token ended is no place to go on from by itself.
  if (kernel.empty() || (kernel.size() == 1 && kernel[0].state == kBoundaryState)) return kDeadSet;
  const uint64_t hash = HashItems(kernel) ^ (uint64_t{record} * 0x9E3779B97F4A7C15ull);
  const uint32_t known = set_index_.Find(hash, [&](uint32_t id) {
    return sets_[id].record == record && SameItems(sets_[id].kernel, kernel);
  });
  if (known != IdTable::kNotFound) return known;
  if (sets_.size() >= EdgeMap::kMaxSetId) {
    ThrowFixedLimitError("the parser states of one grammar", sets_.size(), EdgeMap::kMaxSetId);
  }
  record_ = record;
  Close(kernel);
  ResolvePredictions();

  ByteSet first;
  ByteSet scan_first;
  FindDfaItems(&first);
  FindScanItems(&scan_first);
  first.Merge(scan_first);
  FindKeyItems(&first);
  FindTokenItems();

  const SetId id = sets_.Append();
  EarleySet& set = sets_[id];
  set.kernel = arena_.Copy(std::span<const Item>(kernel));
  set.dfa_items = arena_.Copy(std::span<const DfaItem>(dfa_items_));
  set.scan_items = arena_.Copy(std::span<const ScanItem>(scan_items_));
  set.key_items = arena_.Copy(std::span<const KeyItem>(key_items_));
  set.token_items = arena_.Copy(std::span<const TokenItem>(token_items_));
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

void Parser::FindDfaItems(ByteSet* first) {
  dfa_items_.clear();
  for (const Item& item : dfa_found_) {
    const Unit& unit = units_.UnitOfState(item.state);
    const uint32_t local = item.state - unit.first_state;
    LimitCounts used{item.count, 0};
    if (unit.kind == Unit::Kind::kLimitedDfa) {
      used = UsedLimits(unit, item.count);
      if (unit.IsUsedUp(used) && unit.dfa->IsAccept(local)) continue;
    }
    if (unit.meter != nullptr) {
      const ByteSet bytes = unit.meter->FirstBytes(*unit.dfa, local, item.count);
      if (bytes.empty()) continue;  // As long as it may be.
      first->Merge(bytes);
    } else {
      first->Merge(unit.dfa->first_bytes(local));
    }
    dfa_items_.push_back(
        {&unit, local, Resolved(item.continuation), used.code_points, used.tokens});
  }
}

void Parser::FindScanItems(ByteSet* first) {
  scan_items_.clear();
  for (const Item& item : scan_found_) {
    const Unit& unit = units_.UnitOfState(item.state);
    const Fsm::State& state = unit.fsm.state(item.state - unit.first_state);
    scan_items_.push_back({&unit.fsm, &state, unit.first_state, Resolved(item.continuation)});
    for (const Fsm::ByteEdge& e : state.bytes()) first->AddRange(e.lo, e.hi);
  }
}

void Parser::FindTokenItems() {
  token_items_.clear();
  for (const Item& item : token_found_) {
    const Unit& unit = units_.UnitOfState(item.state);
    for (const Fsm::TokenEdge& e : unit.fsm.state(item.state - unit.first_state).tokens()) {
      token_items_.push_back(
          {e.tokens, {unit.first_state + e.target, Resolved(item.continuation), 0}});
    }
  }
}

void Parser::FindKeyItems(ByteSet* first) {
  key_items_.clear();
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
    key_items_.push_back({&unit, local, Resolved(item.continuation), item.count,
                          arena_.Copy(std::span<const uint64_t>(allowed))});
  }
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

ContinuationId Parser::InternContinuation(std::vector<Item>* returns) {
  SortUnique(returns);
  const uint64_t hash = HashItems(*returns);
  const uint32_t known = continuation_index_.Find(
      hash, [&](uint32_t id) { return SameItems(continuations_[id].returns, *returns); });
  if (known != IdTable::kNotFound) return known;
  const ContinuationId id = AddContinuation(*returns);
  continuation_index_.Insert(hash, id);
  for (Item& item : *returns) item = MaskItem(item);
  if (!SameItems(*returns, continuations_[id].returns)) {
    // Normal items are fixed points, so this goes one deep.
    continuations_[id].mask_continuation = InternContinuation(returns);
  }
  return id;
}

ContinuationId Parser::InternEquation(std::vector<Item>* list) {
  SortUnique(list);
  const std::vector<Item>& equation = *list;
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

}  // namespace xgrammar
