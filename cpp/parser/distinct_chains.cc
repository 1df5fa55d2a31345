// Who waits for distinct items: what the items along a continuation compare, and a continuation cut
// off where one of them does.
//
// Part of Parser. Both are found once for a continuation, outer ones first, without recursion; a
// list that waits for itself says nothing about its own part.
#include <algorithm>
#include <set>
#include <utility>

#include "parser/parser.h"

namespace xgrammar {

namespace {

// Lists around a place that are asked about before their items return; only text that closes more
// at once, or lists of few values inside as many others, would need more.
constexpr size_t kMaxLevels = 32;

// Calls `make` for a continuation and those around it, outer ones first, but not for known ones.
template <typename Continuations, typename IsKnown, typename Make>
void VisitOuterFirst(const Continuations& continuations, ContinuationId continuation,
                     const IsKnown& is_known, const Make& make) {
  std::vector<std::pair<ContinuationId, bool>> work{{continuation, false}};
  std::set<ContinuationId> begun;
  while (!work.empty()) {
    const auto [id, is_ready] = work.back();
    work.pop_back();
    if (is_known(id)) continue;
    if (is_ready) {
      make(id);
    } else if (begun.insert(id).second) {
      work.push_back({id, true});
      for (const Item& item : continuations[id].returns) work.push_back({item.continuation, false});
    }
  }
}

}  // namespace

void Parser::AddToChain(const Item& item, Chain* chain) const {
  const auto add = [](const std::vector<Item>& from, std::vector<Item>* to) {
    for (const Item& i : from) {
      if (std::find(to->begin(), to->end(), i) == to->end()) to->push_back(i);
    }
  };
  if (item.state == kDoneState || item.state == kBoundaryState) {
    chain->is_free = true;
    return;
  }
  const auto found = chains_.find(item.continuation);
  if (found == chains_.end()) return;  // A list that waits for itself.
  const Chain& outer = found->second;
  const Unit& unit = units_.UnitOfState(item.state);
  const uint32_t local = item.state - unit.first_state;
  const bool is_distinct = unit.kind == Unit::Kind::kDistinct;
  add(outer.compared, &chain->compared);
  add(outer.outermost, &chain->outermost);
  if (is_distinct && local == DistinctUnit::kReturned) {
    add({item}, &chain->compared);
    if (outer.is_free) add({item}, &chain->outermost);
    if (chain->compared.size() > kMaxLevels) {
      chain->compared.erase(chain->compared.begin(), chain->compared.end() - kMaxLevels);
      chain->outermost.assign(1, chain->compared.front());
    }
    chain->is_elsewhere = true;
    return;
  }
  chain->is_free = chain->is_free || outer.is_free;
  if (is_distinct && local == DistinctUnit::kBefore) {
    add({item}, &chain->next_items);
  } else {
    add(outer.next_items, &chain->next_items);
    chain->is_elsewhere = chain->is_elsewhere || outer.is_elsewhere;
  }
}

const Parser::Chain& Parser::ChainOf(ContinuationId continuation) {
  const auto found = chains_.find(continuation);
  if (found != chains_.end()) return found->second;
  Chain root;
  root.is_free = root.is_elsewhere = true;
  chains_.try_emplace(kRootContinuation, root);
  const auto is_known = [this](ContinuationId id) { return chains_.contains(id); };
  VisitOuterFirst(continuations_, continuation, is_known, [this](ContinuationId id) {
    Chain chain;
    for (const Item& item : continuations_[id].returns) AddToChain(item, &chain);
    chains_.try_emplace(id, std::move(chain));
  });
  return chains_.find(continuation)->second;
}

ContinuationId Parser::Cut(ContinuationId continuation, const Item& target) {
  const auto is_known = [&](ContinuationId id) {
    return id == kRootContinuation || cuts_.contains({id, target});
  };
  VisitOuterFirst(continuations_, continuation, is_known, [&](ContinuationId id) {
    std::vector<Item> kept;
    for (const Item& item : continuations_[id].returns) {
      if (item == target) {
        kept.push_back({kDoneState, kRootContinuation, 0});
        continue;
      }
      const auto outer = cuts_.find({item.continuation, target});
      if (outer != cuts_.end() && outer->second != kNoCut)
        kept.push_back({item.state, outer->second, item.count});
    }
    cuts_[{id, target}] = kept.empty() ? kNoCut : InternContinuation(&kept);
  });
  const auto found = cuts_.find({continuation, target});
  return found == cuts_.end() ? kNoCut : found->second;
}

}  // namespace xgrammar
