// Distinct items: comparing an item when it returns, and keeping out what could only become equal.
//
// An item is compared when its last byte is read: the text since its beginning is in the record of
// the set, the values before it are in the parameter of the item that waits. What is left after
// that may be an item from which every way to its end spells a value that was there. So each item
// of a new set is asked whether some text leads on to another value. As long as no value before is
// spelled like the text so far, any text does; else a search follows the bytes that still spell
// one of them, which are few, and ends at the first byte that does not (distinct_search.cc). Design
// note 0021.
#include <algorithm>
#include <string>
#include <utility>

#include "parser/parser.h"

namespace xgrammar {

namespace {

constexpr size_t kMaxNearEntries = 1 << 16;
constexpr size_t kMaxNearValues = 1 << 20;

}  // namespace

uint32_t Parser::RecordAfter(SetId set, uint8_t byte) {
  const uint32_t record = sets_[set].record;
  if (!has_distinct_ || record == DistinctValues::kUnchecked) return record;
  return values_.Extend(record, byte);
}

bool Parser::ComparesAny(std::span<const Item> kernel, uint32_t record) {
  if (!has_distinct_ || record == DistinctValues::kUnchecked) return false;
  return std::any_of(kernel.begin(), kernel.end(), [this](const Item& item) {
    const Chain& chain = ChainOf(item.continuation);
    return !chain.compared.empty() || !chain.next_items.empty();
  });
}

int64_t Parser::DistinctBytes() const {
  constexpr int64_t kEntryBytes = 256;
  const size_t entries = chains_.size() + cuts_.size() + near_values_.size();
  if (!has_distinct_) return 0;
  return values_.MemorySizeBytes() + kEntryBytes * static_cast<int64_t>(entries) +
         static_cast<int64_t>(num_near_ * sizeof(uint32_t));
}

void Parser::SettleDistinct(const Unit& unit, const Item& item, std::vector<Item>* settled,
                            std::vector<Item>* work) {
  const uint32_t local = item.state - unit.first_state;
  if (local == DistinctUnit::kReturned && compares_now_) {
    Item after = item;
    if (Compare(unit, &after)) work->push_back(after);
    return;
  }
  const bool only_ends =
      local == DistinctUnit::kAfter && !unit.distinct->MayGoOnAt(parameters_[item.count].count);
  if (only_ends) {
    Return(item.continuation, settled, work);
  } else {
    settled->push_back(item);
  }
}

void Parser::CloseDistinctItem(const Unit& unit, const Item& item) {
  const DistinctUnit& distinct = *unit.distinct;
  const uint32_t local = item.state - unit.first_state;
  compares_ = record_ != DistinctValues::kUnchecked;
  if (local == DistinctUnit::kReturned) {
    Item after = item;
    if (Compare(unit, &after)) Push(after);
    return;
  }
  DistinctSeen seen = DistinctSeen::Of(parameters_[item.count]);
  const bool is_after = local == DistinctUnit::kAfter;
  begins_list_ = begins_list_ || (!is_after && seen.count == 0);
  if ((is_after || seen.count == 0) && distinct.MayEndAt(seen.count)) Complete(item.continuation);
  if (!distinct.MayGoOnAt(seen.count)) return;
  if (is_after) {
    Call(distinct.separator,
         {unit.first_state + DistinctUnit::kBefore, item.continuation, item.count}, false);
    return;
  }
  seen.begin = record_ == DistinctValues::kUnchecked ? 0 : values_.SizeOf(record_);
  const uint64_t word = seen.Word();
  const uint32_t parameter = parameters_.Intern({seen.count, std::span(&word, word == 0 ? 0 : 1)});
  Call(distinct.ItemAt(seen.count),
       {unit.first_state + DistinctUnit::kReturned, item.continuation, parameter}, false);
}

bool Parser::Compare(const Unit& unit, Item* item) {
  DistinctSeen seen = DistinctSeen::Of(parameters_[item->count]);
  if (record_ == DistinctValues::kUnchecked) {
    seen = {unit.distinct->MaskCount(seen.count + 1, count_horizon_), 0, 0};
  } else {
    const uint32_t value = values_.ValueOf(values_.TextFrom(record_, seen.begin));
    if (values_.Contains(seen.values, value)) return false;
    seen = {seen.count + 1, values_.Append(seen.values, value), 0};
  }
  const uint64_t word = seen.Word();
  item->state = unit.first_state + DistinctUnit::kAfter;
  item->count = parameters_.Intern({seen.count, std::span(&word, word == 0 ? 0 : 1)});
  return true;
}

SetId Parser::InternLive(std::vector<Item>* kernel, uint32_t record, SetId before) {
  if (!has_distinct_ || record == DistinctValues::kUnchecked) return InternSet(*kernel, record);
  const bool is_full = near_values_.size() > kMaxNearEntries || num_near_ > kMaxNearValues;
  if (num_searches_ == 0 && is_full) {
    near_values_.clear();
    num_near_ = 0;
  }
  const bool is_inside = std::any_of(kernel->begin(), kernel->end(), [this](const Item& item) {
    return !ChainOf(item.continuation).compared.empty();
  });
  if (!is_inside) record = DistinctValues::kEmpty;
  // Where a set of which every item is alive leads on by one byte only, to one item, that one is.
  // Sets of a search need not be alive.
  const bool is_forced = num_searches_ == 0 && before != kDeadSet && kernel->size() == 1 &&
                         !sets_[before].accepting && sets_[before].token_items.empty() &&
                         sets_[before].first.size() == 1;
  if (!is_forced) std::erase_if(*kernel, [&](const Item& item) { return !IsAlive(item, record); });
  return InternSet(*kernel, record);
}

SetId Parser::NextLocked(SetId set, uint8_t byte) {
  const uint32_t known = edges_.Find(set, byte);
  return known != EdgeMap::kUnknown ? known : GrowLocked(set, byte, Step::kAny);
}

SetId Parser::AtItem(UnitId item) {
  const Unit& unit = units_.Get(item);
  std::vector<Item> kernel{{unit.first_state, kRootContinuation, StartCount(unit)}};
  record_ = DistinctValues::kEmpty;
  Settle(&kernel);
  return InternSet(kernel, DistinctValues::kEmpty);
}

bool Parser::IsAlive(const Item& item, uint32_t record) {
  if (item.state == kDoneState || item.state == kBoundaryState) return true;
  const Unit& unit = units_.UnitOfState(item.state);
  const bool begins_item = unit.kind == Unit::Kind::kDistinct &&
                           item.state == unit.first_state + DistinctUnit::kBefore &&
                           parameters_[item.count].count > 0;
  const Chain& chain = ChainOf(item.continuation);
  if (!begins_item && !chain.next_items.empty()) {
    const auto is_alive = [&](const Item& next) { return IsAlive(next, record); };
    if (std::any_of(chain.next_items.begin(), chain.next_items.end(), is_alive)) return true;
    if (!chain.is_elsewhere) return false;
  }
  if (chain.is_free) {
    if (!begins_item) return true;
    const DistinctSeen seen = DistinctSeen::Of(parameters_[item.count]);
    const UnitId next = unit.distinct->ItemAt(seen.count);
    if (VarietyOf(next).is_endless) return true;
    const SetId from = AtItem(next);
    return SearchOtherValue(from, {}, values_.ValuesOf(seen.values));
  }
  if (!begins_item && EndlessString(chain, record) != nullptr) return true;
  const auto is_far = [&](const Item& target) {
    const DistinctSeen seen = DistinctSeen::Of(parameters_[target.count]);
    return NearValues(record, seen.values, seen.begin).values.empty();
  };
  if (!begins_item && std::all_of(chain.compared.begin(), chain.compared.end(), is_far))
    return true;
  for (const Item& target : chain.outermost) {
    const DistinctSeen seen = DistinctSeen::Of(parameters_[target.count]);
    const NearList& known = NearValues(record, seen.values, seen.begin);
    const std::vector<uint32_t> near = known.values;
    const ByteSet near_bytes = known.bytes;
    const bool is_last = chain.compared.size() == 1 && !begins_item;
    const ContinuationId cut = Cut(item.continuation, target);
    if (cut == kNoCut) continue;
    const Item inner{item.state, cut, item.count};
    if (near.empty()) {
      if (IsAlive(inner, record)) return true;
      continue;
    }
    const SetId from = InternSet({inner}, is_last ? DistinctValues::kEmpty : record);
    if (LeadsElsewhere(from, record, near_bytes)) return true;
    if (SearchOtherValue(from, values_.TextFrom(record, seen.begin), near)) return true;
  }
  return false;
}

// The first step of the search, for which the values need not be looked at.
bool Parser::LeadsElsewhere(SetId from, uint32_t record, const ByteSet& near) {
  const bool in_string = values_.IsInString(record);
  const ByteSet first = sets_[from].first;
  for (uint32_t b = 0; b < 256; ++b) {
    const auto byte = static_cast<uint8_t>(b);
    if (!first.Contains(byte) || near.Contains(byte)) continue;
    if (!in_string && IsJsonSpace(static_cast<char>(byte))) continue;
    if (NextLocked(from, byte) != kDeadSet) return true;
  }
  return false;
}

const NearList& Parser::NearValues(uint32_t record, uint32_t list, uint32_t begin) {
  const auto key_of = [&](uint32_t r, uint32_t l) { return CutKey{r, {l, begin, 0}}; };
  const auto [place, is_new] = near_values_.try_emplace(key_of(record, list));
  NearList& near = place->second;
  if (!is_new || list == DistinctValues::kEmpty) return near;
  const ValuePrefix prefix(values_.TextFrom(record, begin));
  const auto add = [&](uint32_t value) {
    const ByteSet bytes = prefix.BytesTowards(values_.value(value));
    near.bytes.Merge(bytes);
    if (!bytes.empty()) near.values.push_back(value);
  };
  // Most is known of the list before the last value, or of the text before the last byte.
  const auto before = near_values_.find(key_of(record, values_.ShorterList(list)));
  const auto shorter = near_values_.find(key_of(values_.Shorter(record), list));
  if (before != near_values_.end()) {
    near = before->second;
    add(values_.LastOf(list));
  } else if (shorter != near_values_.end() && values_.SizeOf(record) > begin) {
    for (uint32_t value : shorter->second.values) add(value);
  } else {
    for (uint32_t value : values_.ValuesOf(list)) add(value);
  }
  num_near_ += near.values.size();
  return near;
}

const Item* Parser::EndlessString(const Chain& chain, uint32_t record) {
  if (chain.compared.size() != 1 || chain.is_free || !chain.next_items.empty()) return nullptr;
  if (!values_.IsInString(record) || values_.FirstByte(record) != '"') return nullptr;
  const Item& target = chain.compared.front();
  const DistinctSeen seen = DistinctSeen::Of(parameters_[target.count]);
  if (seen.begin != 0) return nullptr;
  const UnitId item = units_.UnitOfState(target.state).distinct->ItemAt(seen.count);
  return VarietyOf(item).has_endless_strings ? &target : nullptr;
}

}  // namespace xgrammar
