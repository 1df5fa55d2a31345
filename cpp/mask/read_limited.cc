// MaskBuilder: near the end of a limit on characters.
//
// A state takes the tokens that it takes without the limit, unless they are too long, which their
// order by length tells. Between the lengths that always fit and those that never do stand tokens
// after which some characters more may be needed: where those end decides. Where the least length
// is not reached yet, every token is read with its count.
#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "mask/length_order.h"
#include "mask/mask_builder.h"
#include "support/prefetch.h"

namespace xgrammar {

namespace {

/// What the limit leaves, if lengths alone decide but for a few tokens.
std::optional<LengthMeter::Room> RoomOf(const DfaItem& item) {
  const Unit& unit = *item.unit;
  if (unit.kind != Unit::Kind::kLimitedDfa) return std::nullopt;
  if (unit.meter != nullptr) return unit.meter->RoomAt(item.state, item.count);
  if (!unit.LimitsCodePoints() || unit.IsUsedUp({item.count, item.tokens})) return std::nullopt;
  if (!unit.ends_anywhere) return std::nullopt;
  return LengthMeter::Room{static_cast<uint32_t>(unit.options.max_chars - item.count), 0};
}

bool CountsEscapes(const DfaItem& item) {
  return item.unit->meter != nullptr && item.unit->meter->counts_escapes();
}

/// Whether the bytes stay inside with their count.
bool StaysInside(const DfaItem& item, std::string_view bytes) {
  const Unit& unit = *item.unit;
  uint32_t state = item.state;
  uint32_t count = item.count;
  return std::all_of(bytes.begin(), bytes.end(), [&](char c) {
    const auto byte = static_cast<uint8_t>(c);
    state = unit.dfa->Next(state, byte);
    return state != ByteDfa::kDead && unit.meter->Read(state, byte, &count);
  });
}

/// The same for a token that stays inside without the limit and leaves room for `left` characters.
/// If the end of the token is near enough to an end of the text, so is every place within it.
bool LeavesRoom(const DfaItem& item, std::string_view bytes, uint32_t left) {
  uint32_t state = item.state;
  for (const char c : bytes) {
    if (c == '\\') return StaysInside(item, bytes);  // It may end within an escape.
    state = item.unit->dfa->Next(state, static_cast<uint8_t>(c));
  }
  return item.unit->meter->LeastFrom(state) <= left;
}

}  // namespace

bool MaskBuilder::AddFitting(const DfaItem& item) {
  const std::optional<LengthMeter::Room> room = RoomOf(item);
  if (!room) return false;
  std::shared_ptr<const LocalMask> local =
      local_masks_.Get(item.unit->dfa, item.state, false, &local_builder_);
  TakeFitting(*local, item, *room, {});
  if (item.continuation != kRootContinuation && local->MayBeLeft()) {
    const Following after = following_.After(parser_, item);
    // A token that stays inside without the limit may have to leave with it.
    const bool only_outside = !local->soft_exits().Intersects(after.first);
    const Part part = only_outside ? Outside(*local, CopyBounds::kManyCopies) : WholeTree(kDeadSet);
    ReadExits(item, part, after);
  }
  read_.push_back(std::move(local));
  return true;
}

bool MaskBuilder::ReadFittingBelow(const DfaItem& item, const Part& part, const Following& after) {
  const TokenTrie& trie = *part.trie;
  const PartSizes& sizes = local_masks_.part_sizes();
  if (!trie.IsAllChildren(part.begin, part.end) || &trie != &tokenizer_.trie()) return false;
  if (part.end - part.begin < sizes.known || current_filter_ != 0) return false;
  if (item.unit->dfa->first_bytes(item.state).size() < sizes.bytes) return false;
  const std::optional<LengthMeter::Room> room = RoomOf(item);
  if (!room) return false;
  const uint32_t node = part.begin - 1;
  const auto some = static_cast<size_t>(trie.subtree_tokens(node).back());
  const auto before =
      std::string_view(tokenizer_.decoded_vocab()[some]).substr(0, trie.node(node).depth);
  // Where an escape is one character, it would have to begin with the token.
  if (before.find('\\') != std::string_view::npos) return false;
  std::shared_ptr<const LocalMask> local =
      local_masks_.GetBelow(item.unit->dfa, item.state, node, &local_builder_);
  TakeFitting(*local, item, *room, before);
  if (local->MayBeLeft()) ReadExits(item, part, after);
  read_.push_back(std::move(local));
  return true;
}

void MaskBuilder::TakeFitting(const LocalMask& local, const DfaItem& item,
                              const LengthMeter::Room& room, std::string_view before) {
  const LengthOrder& order = local_masks_.length_order(CountsEscapes(item));
  // What was read before counts in the lengths of the tokens.
  const auto read_before =
      static_cast<uint32_t>(std::count_if(before.begin(), before.end(), [](char c) {
        return (static_cast<uint8_t>(c) & 0xC0) != 0x80;
      }));
  // Where more may be needed than is left, no length is short enough by itself: the last bytes of a
  // character begin none, and decide what has to follow.
  const bool some_fit = room.needed <= room.left;
  const uint32_t fits = some_fit ? room.left + read_before - room.needed : 0;
  const size_t num_fitting = some_fit ? order.Fitting(fits).size() : 0;
  const uint32_t most = room.left + read_before;

  const size_t num_words = (static_cast<size_t>(tokenizer_.vocab_size()) + 31) / 32;
  unlimited_.assign(num_words, 0);
  local.AddTo(unlimited_, true, CopyBounds::kManyCopies);
  if (fitting_.empty()) fitting_.assign(num_words, 0);
  const auto word_of = [](int32_t token) { return static_cast<size_t>(token) >> 5; };
  const auto bit_of = [](int32_t token) { return 1u << (token & 31); };
  const auto text_of = [this](int32_t token) -> const std::string& {
    return tokenizer_.decoded_vocab()[static_cast<size_t>(token)];
  };
  // Those of which the length does not tell, by length, so that the room they leave is known.
  size_t num_read = num_fitting;
  for (uint32_t chars = some_fit ? fits + 1 : 0; chars <= most; ++chars) {
    const std::span<const int32_t> doubtful = order.Fitting(chars).subspan(num_read);
    num_read += doubtful.size();
    for (size_t i = 0; i < doubtful.size(); ++i) {
      constexpr size_t kAhead = 16;
      if (i + kAhead < doubtful.size()) Prefetch(&text_of(doubtful[i + kAhead]));
      const int32_t token = doubtful[i];
      if ((unlimited_[word_of(token)] & bit_of(token)) == 0) continue;
      const std::string_view bytes = text_of(token);
      if (LeavesRoom(item, bytes.substr(before.size()), most - chars))
        fitting_[word_of(token)] |= bit_of(token);
    }
  }
  // Whichever are fewer are looked at.
  if (order.Beyond(fits).size() < num_fitting) {
    for (int32_t token : order.Beyond(fits)) unlimited_[word_of(token)] &= ~bit_of(token);
    for (size_t w = 0; w < num_words; ++w) fitting_[w] |= unlimited_[w];
  } else {
    for (int32_t token : order.Fitting(fits).first(num_fitting)) {
      fitting_[word_of(token)] |= unlimited_[word_of(token)] & bit_of(token);
    }
  }
}

}  // namespace xgrammar
