// The closure of a kernel: predict and complete until nothing new follows (Earley 1970), then give
// every rule predicted on the way its continuation.
//
// While the closure runs, a predicted rule's items carry the prediction's index instead of a
// continuation id (kLocalBit), because the list of who waits for it is still growing. Afterwards
// predictions are resolved innermost first: one whose waiting items hold only known continuations
// is interned by value. What remains waits for itself (left recursion) and gets an identity of its
// own.
#include <algorithm>
#include <utility>

#include "parser/item_list.h"
#include "parser/parser.h"
#include "support/error.h"

namespace xgrammar {

void Parser::Close(std::span<const Item> kernel) {
  seen_.Clear();
  work_.clear();
  dfa_found_.clear();
  scan_found_.clear();
  key_found_.clear();
  token_found_.clear();
  num_predictions_ = 0;
  if (++closure_ == 0) {  // Numbers are used up: forget who had them.
    std::fill(prediction_of_unit_.begin(), prediction_of_unit_.end(), PredictionOfUnit());
    closure_ = 1;
  }
  accepting_ = false;
  compares_ = begins_list_ = false;
  // Known before anything is predicted: what begins here begins with a token, or within one.
  at_token_end_ = std::any_of(kernel.begin(), kernel.end(),
                              [](const Item& item) { return item.state == kBoundaryState; });
  for (const Item& item : kernel) Push(item);
  while (!work_.empty()) {
    const Item item = work_.back();
    work_.pop_back();
    CloseItem(item);
    if (static_cast<int64_t>(seen_.size()) > limits_.max_items) {
      ThrowLimitError("max_items", static_cast<int64_t>(seen_.size()), limits_.max_items);
    }
  }
}

void Parser::Push(const Item& item) {
  if (seen_.Add(item)) work_.push_back(item);
}

void Parser::CloseItem(const Item& item) {
  if (item.state == kDoneState) {
    accepting_ = true;
    return;
  }
  if (item.state == kBoundaryState) return;
  const Unit& unit = units_.UnitOfState(item.state);
  const uint32_t local = item.state - unit.first_state;
  switch (unit.kind) {
    case Unit::Kind::kDfa:
    case Unit::Kind::kLimitedDfa:
      if (unit.dfa->IsAccept(local) && (unit.meter == nullptr || unit.meter->MayEnd(item.count)))
        Complete(item.continuation);
      dfa_found_.push_back(item);
      break;
    case Unit::Kind::kCountedDfa:
      if (local == 0 && unit.MayEndAt(item.count)) Complete(item.continuation);
      if (local != 0 || unit.MayGoOnAt(item.count)) dfa_found_.push_back(item);
      break;
    case Unit::Kind::kFsm:
      CloseFsmItem(unit, item);
      break;
    case Unit::Kind::kAnyOrder:
      CloseAnyOrderItem(unit, item);
      break;
    case Unit::Kind::kDistinct:
      CloseDistinctItem(unit, item);
      break;
    case Unit::Kind::kCountedCall:
      if (unit.MayEndAt(item.count)) Complete(item.continuation);
      // An empty copy is never made: `min` is 0 where copies can be empty.
      if (unit.MayGoOnAt(item.count)) {
        Call(unit.child, {unit.first_state + kCountedCallAfter, item.continuation, item.count},
             false);
      }
      break;
  }
}

void Parser::CloseFsmItem(const Unit& unit, const Item& item) {
  const Fsm::State& state = unit.fsm.state(item.state - unit.first_state);
  if (state.accept()) Complete(item.continuation);
  if (!state.bytes().empty()) scan_found_.push_back(item);
  if (!state.tokens().empty()) token_found_.push_back(item);
  for (uint32_t target : state.epsilons()) Push({unit.first_state + target, item.continuation, 0});
  for (const Fsm::CallEdge& call : state.calls()) {
    const Item after{unit.first_state + call.target, item.continuation, 0};
    const bool step_over = units_.IsNullable(call.unit);
    if (unit.fsm.state(call.target).OnlyReturns()) {
      // Tail call: the callee's end is this rule's end.
      const Unit& callee = units_.Get(call.unit);
      Push({callee.first_state, item.continuation, StartCount(callee)});
      if (step_over) Push(after);
    } else {
      Call(call.unit, after, step_over);
    }
  }
}

Item Parser::AfterMember(const Unit& unit, const Item& item, uint32_t part) {
  std::vector<uint64_t> words;
  const MemberSet seen = unit.any_order->After(parameters_[item.count], part, &words);
  return {unit.first_state + unit.any_order->after_state(), item.continuation,
          parameters_.Intern(seen)};
}

void Parser::CloseAnyOrderItem(const Unit& unit, const Item& item) {
  const AnyOrderUnit& parts = *unit.any_order;
  const uint32_t local = item.state - unit.first_state;
  const MemberSet seen = parameters_[item.count];
  if (local == parts.after_state()) {
    if (parts.MayEnd(seen)) Complete(item.continuation);
    if (!parts.MayGoOn(seen)) return;
    const Item before{unit.first_state + AnyOrderUnit::kBefore, item.continuation, item.count};
    if (parts.separator() == AnyOrderUnit::kNoUnit) {
      Push(before);
    } else {
      Call(parts.separator(), before, units_.IsNullable(parts.separator()));
    }
    return;
  }
  if (local == AnyOrderUnit::kBefore && seen.count == 0 && parts.MayEnd(seen))
    Complete(item.continuation);
  const std::vector<uint64_t> allowed = parts.Allowed(seen);
  const auto [first, end] = parts.EndsAt(local);
  for (uint32_t part = first; part < end; ++part) {
    if (!HasBitIn(allowed, part, part + 1)) continue;
    const Item after = AfterMember(unit, item, part);
    const UnitId rest = parts.part(part).rest;
    if (rest == AnyOrderUnit::kNoUnit) {
      Push(after);
    } else {
      Call(rest, after, units_.IsNullable(rest));
    }
  }
  const auto [begin_node, end_node] = parts.Children(local);
  if (begin_node < end_node) key_found_.push_back(item);
}

uint32_t Parser::StartCount(const Unit& unit) {
  return unit.LimitsTokens() && at_token_end_ ? CountOfLimits(unit, {0, 1}) : 0;
}

void Parser::Call(UnitId unit, const Item& return_item, bool step_over) {
  if (prediction_of_unit_.size() <= unit) {
    prediction_of_unit_.resize(static_cast<size_t>(units_.num_units()));
  }
  PredictionOfUnit& known = prediction_of_unit_[unit];
  if (known.closure != closure_) {
    known = {closure_, static_cast<uint32_t>(num_predictions_)};
    if (predictions_.size() <= num_predictions_) predictions_.emplace_back();
    predictions_[num_predictions_].unit = unit;
    predictions_[num_predictions_].returns.clear();
    ++num_predictions_;
    const Unit& callee = units_.Get(unit);
    Push({callee.first_state, kLocalBit | known.prediction, StartCount(callee)});
  }
  predictions_[known.prediction].returns.push_back(return_item);
  if (step_over) Push(return_item);
}

void Parser::Complete(uint32_t continuation) {
  // A rule that began in this very set and has already ended is nullable: its callers were stepped
  // over it.
  if ((continuation & kLocalBit) != 0) return;
  if (continuation == kRootContinuation) {
    accepting_ = true;
    return;
  }
  for (const Item& item : SettledReturns(continuation)) Push(item);
}

void Parser::ResolvePredictions() {
  if (num_predictions_ == 0) return;
  prediction_ids_.assign(num_predictions_, 0);
  // Kahn's topological order (Kahn 1962): `missing` counts the mentions of other predictions in a
  // list. A list that mentions only itself besides known continuations is an equation of its own.
  waiting_.assign(num_predictions_, Waiting());
  uses_.assign(1, Use());
  for (uint32_t p = 0; p < num_predictions_; ++p) {
    for (const Item& item : predictions_[p].returns) {
      if ((item.continuation & kLocalBit) == 0) continue;
      const uint32_t mentioned = item.continuation & ~kLocalBit;
      if (mentioned == p) {
        waiting_[p].is_mentioned_by_itself = true;
        prediction_ids_[p] = kSelfContinuation;
      } else {
        uses_.push_back({p, waiting_[mentioned].first_use});
        waiting_[mentioned].first_use = static_cast<uint32_t>(uses_.size() - 1);
        ++waiting_[p].missing;
      }
    }
  }
  ready_.clear();
  for (uint32_t p = 0; p < num_predictions_; ++p) {
    if (waiting_[p].missing == 0) ready_.push_back(p);
  }
  while (!ready_.empty()) {
    const uint32_t p = ready_.back();
    ready_.pop_back();
    waiting_[p].is_done = true;
    prediction_ids_[p] = waiting_[p].is_mentioned_by_itself
                             ? InternEquation(ResolvedReturns(p))
                             : InternContinuation(ResolvedReturns(p));
    for (uint32_t use = waiting_[p].first_use; use != 0; use = uses_[use].next) {
      if (--waiting_[uses_[use].user].missing == 0) ready_.push_back(uses_[use].user);
    }
  }
  // Rules that wait for each other in a circle: ids first, then the lists that mention them.
  for (uint32_t p = 0; p < num_predictions_; ++p) {
    if (!waiting_[p].is_done) prediction_ids_[p] = AddContinuation({});
  }
  for (uint32_t p = 0; p < num_predictions_; ++p) {
    if (waiting_[p].is_done) continue;
    std::vector<Item>* returns = ResolvedReturns(p);
    SortUnique(returns);
    continuations_[prediction_ids_[p]].returns = arena_.Copy(std::span<const Item>(*returns));
  }
}

std::vector<Item>* Parser::ResolvedReturns(uint32_t prediction) {
  const std::vector<Item>& returns = predictions_[prediction].returns;
  returns_.assign(returns.begin(), returns.end());
  for (Item& item : returns_) item.continuation = Resolved(item.continuation);
  return &returns_;
}

}  // namespace xgrammar
