// What masks ask about distinct items: which bytes really lead on, along which a text may become
// equal, and whether items that come later have endless values.
//
// Part of Parser. Masks themselves are made by sets that do not compare (mask/distinct_filter.h
// takes out what these forbid).
#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "parser/parser.h"

namespace xgrammar {

ByteSet Parser::LiveBytes(SetId set) {
  const ByteSet first = sets_[set].first;
  if (!sets_[set].compares) return first;
  ByteSet live;
  for (uint32_t b = 0; b < 256; ++b) {
    const auto byte = static_cast<uint8_t>(b);
    if (first.Contains(byte) && Next(set, byte) != kDeadSet) live.Add(byte);
  }
  return live;
}

int32_t Parser::OnlyByte(SetId set) {
  const ByteSet first = sets_[set].first;
  if (!sets_[set].compares) return first.size() == 1 ? first.First() : -1;
  int32_t only = -1;
  for (uint32_t b = 0; b < 256; ++b) {
    const auto byte = static_cast<uint8_t>(b);
    if (!first.Contains(byte) || Next(set, byte) == kDeadSet) continue;
    if (only >= 0) return -1;
    only = static_cast<int32_t>(b);
  }
  return only;
}

bool Parser::LoopsOn(SetId set, uint8_t byte) {
  const SetId once = NextLocked(set, byte);
  return once != kDeadSet && NextLocked(once, byte) == once;
}

// A letter in a string and the digit 1 where a number begins make another value each time.
bool Parser::LeadsToEndless(SetId start) {
  constexpr size_t kMaxPlaces = 256;
  struct Place {
    SetId set;
    uint32_t record;
    uint8_t last;
  };
  std::vector<Place> places{{start, DistinctValues::kEmpty, ':'}};
  std::unordered_set<SetId> known{start};
  for (size_t i = 0; i < places.size() && places.size() <= kMaxPlaces; ++i) {
    const auto [set, record, last] = places[i];
    const bool is_in_string = values_.IsInString(record);
    if (is_in_string && last != '\\' && LoopsOn(set, 'a')) return true;
    const bool begins_value = last == ':' || last == ',' || last == '[';
    if (!is_in_string && begins_value && LoopsOn(set, '1')) return true;
    const ByteSet first = sets_[set].first;
    for (uint32_t b = 0; b < 256; ++b) {
      const auto byte = static_cast<uint8_t>(b);
      if (!first.Contains(byte)) continue;
      const SetId to = NextLocked(set, byte);
      if (to == kDeadSet || !known.insert(to).second) continue;
      const bool is_space = !is_in_string && IsJsonSpace(static_cast<char>(byte));
      places.push_back({to, values_.Extend(record, byte), is_space ? last : byte});
    }
  }
  return false;
}

// Endless strings: from the quote on, every place within the string leads to a loop.
Parser::ItemVariety Parser::VarietyOf(UnitId item) {
  // Items that hold lists of such items ask again while this is found out, and are told that their
  // values may be few: then each place is searched by itself.
  const auto [known, is_new] = varieties_.try_emplace(item, ItemVariety{false, false});
  if (!is_new) return known->second;
  constexpr size_t kMaxPlaces = 64;
  const SetId start = AtItem(item);
  std::vector<SetId> places{NextLocked(start, '"')};
  std::vector<std::vector<size_t>> before(1);
  std::vector<bool> leads(1, false);
  std::vector<size_t> work;
  for (size_t i = 0; i < places.size() && places.size() <= kMaxPlaces; ++i) {
    const ByteSet first = sets_[places[i]].first;
    for (uint32_t b = 0; b < 256; ++b) {
      if (!first.Contains(static_cast<uint8_t>(b))) continue;
      const SetId to = NextLocked(places[i], static_cast<uint8_t>(b));
      if (to == kDeadSet || sets_[to].accepting) continue;
      const auto at =
          static_cast<size_t>(std::find(places.begin(), places.end(), to) - places.begin());
      if (at == places.size()) {
        places.push_back(to);
        before.emplace_back();
        leads.push_back(false);
      }
      before[at].push_back(i);
      if (at == i && !leads[i]) {
        leads[i] = true;
        work.push_back(i);
      }
    }
  }
  while (!work.empty()) {
    const size_t place = work.back();
    work.pop_back();
    for (size_t from : before[place]) {
      if (leads[from]) continue;
      leads[from] = true;
      work.push_back(from);
    }
  }
  ItemVariety variety;
  variety.has_endless_strings = places.size() <= kMaxPlaces && places[0] != kDeadSet &&
                                std::find(leads.begin(), leads.end(), false) == leads.end();
  variety.is_endless = variety.has_endless_strings || LeadsToEndless(start);
  varieties_[item] = variety;
  return variety;
}

Parser::ItemVariety Parser::VarietyOfItems(SetId set) {
  const Growth growth(this);
  if (sets_[set].begins_list) return {false, false};
  ItemVariety all;
  const auto add = [&](const Item& item) {
    if (item.state == kDoneState || item.state == kBoundaryState) return;
    const Unit& unit = units_.UnitOfState(item.state);
    if (unit.kind != Unit::Kind::kDistinct) return;
    const ItemVariety one =
        unit.distinct->first.empty() && unit.distinct->rest != DistinctUnit::kNoUnit
            ? VarietyOf(unit.distinct->rest)
            : ItemVariety{false, false};
    all.is_endless = all.is_endless && one.is_endless;
    all.has_endless_strings = all.has_endless_strings && one.has_endless_strings;
  };
  for (const Item& item : sets_[set].kernel) {
    add(item);
    if (item.state == kDoneState || item.state == kBoundaryState) continue;
    const Chain& chain = ChainOf(item.continuation);
    for (const Item& target : chain.compared) add(target);
    for (const Item& next : chain.next_items) add(next);
  }
  return all;
}

// The list and the beginning that the text of a set is compared with, if they are the same for all
// its items. `comparison`: what an item returns to for that, or null.
template <typename Comparison>
std::optional<DistinctSeen> Parser::OnlyComparison(SetId set, Comparison comparison) {
  std::optional<DistinctSeen> place;
  for (const Item& item : sets_[set].kernel) {
    if (item.state == kDoneState || item.state == kBoundaryState) return std::nullopt;
    const Item* target = comparison(item);
    if (target == nullptr) return std::nullopt;
    const DistinctSeen seen = DistinctSeen::Of(parameters_[target->count]);
    if (place && (place->values != seen.values || place->begin != seen.begin)) return std::nullopt;
    place = seen;
  }
  return place;
}

std::optional<std::vector<std::string>> Parser::TakenStrings(SetId set) {
  if (!sets_[set].compares) return std::nullopt;
  const Growth growth(this);
  const uint32_t record = sets_[set].record;
  const std::optional<DistinctSeen> place = OnlyComparison(
      set, [&](const Item& item) { return EndlessString(ChainOf(item.continuation), record); });
  const ValuePrefix prefix(values_.TextFrom(record, 0));
  const std::optional<std::string_view> begun = prefix.OpenString();
  if (!begun || !place) return std::nullopt;
  std::vector<std::string> rests;
  for (uint32_t at = place->values; at != DistinctValues::kEmpty; at = values_.ShorterList(at)) {
    const ValuePrefix& value = values_.value(values_.LastOf(at));
    const auto text = value.IsComplete() ? value.StringText() : std::nullopt;
    if (!text || !text->starts_with(*begun)) continue;
    std::string& rest = rests.emplace_back(text->substr(begun->size()));
    const auto needs_escape = [](char c) {
      return c == '"' || c == '\\' || static_cast<unsigned char>(c) < 0x20;
    };
    const auto escape = std::find_if(rest.begin(), rest.end(), needs_escape);
    if (escape == rest.end()) {
      rest.push_back('"');
    } else {
      rest.erase(escape, rest.end());
    }
  }
  return rests;
}

std::optional<ItemText> Parser::TextOfItem(SetId set) {
  if (!sets_[set].compares) return std::nullopt;
  const Growth growth(this);
  const uint32_t record = sets_[set].record;
  const std::optional<DistinctSeen> place =
      OnlyComparison(set, [&](const Item& item) -> const Item* {
        const Chain& chain = ChainOf(item.continuation);
        const bool is_between = units_.UnitOfState(item.state).kind == Unit::Kind::kDistinct;
        return is_between || !chain.IsOne() ? nullptr : &chain.compared.front();
      });
  if (!place) return std::nullopt;
  ItemText item{values_.TextFrom(record, place->begin), {}};
  // Objects and arrays have much in common, and comparing their texts costs more than sets do.
  if (item.text.starts_with('{') || item.text.starts_with('[')) return std::nullopt;
  for (uint32_t value : NearValues(record, place->values, place->begin).values)
    item.near.push_back(&values_.value(value));
  return item;
}

ByteSet Parser::BytesInsideItem(SetId set) {
  const Growth growth(this);
  ByteSet bytes;
  for (const DfaItem& item : sets_[set].dfa_items) {
    const bool is_plain = item.unit->kind == Unit::Kind::kDfa;
    if (is_plain && ChainOf(item.continuation).IsOne())
      bytes.Merge(item.unit->dfa->first_bytes(item.state));
  }
  for (const ScanItem& item : sets_[set].scan_items) {
    if (!ChainOf(item.continuation).IsOne()) continue;
    for (const Fsm::ByteEdge& e : item.state->bytes()) bytes.AddRange(e.lo, e.hi);
  }
  return bytes;
}

bool Parser::IsInString(SetId set) {
  const Growth growth(this);
  return sets_[set].compares && values_.IsInString(sets_[set].record);
}

ByteSet Parser::BytesTowardsEqual(SetId set) {
  ByteSet bytes;
  if (!sets_[set].compares) return bytes;
  const Growth growth(this);
  const uint32_t record = sets_[set].record;
  for (const Item& item : sets_[set].kernel) {
    if (item.state == kDoneState || item.state == kBoundaryState) continue;
    const Chain& chain = ChainOf(item.continuation);
    const Unit& unit = units_.UnitOfState(item.state);
    const bool is_between = unit.kind == Unit::Kind::kDistinct && parameters_[item.count].count > 0;
    if (is_between || !chain.next_items.empty()) return sets_[set].first;
    for (const Item& target : chain.compared) {
      const DistinctSeen seen = DistinctSeen::Of(parameters_[target.count]);
      bytes.Merge(NearValues(record, seen.values, seen.begin).bytes);
    }
  }
  return bytes;
}

}  // namespace xgrammar
