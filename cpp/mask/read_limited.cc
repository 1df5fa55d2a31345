// MaskBuilder: near the end of a limit on characters.
//
// A state whose texts may end anywhere takes the tokens that it takes without the limit, unless
// they are too long, which their order by length tells. Where texts cannot end anywhere, or the
// least length is not reached yet, every token is read with its count.
#include <optional>

#include "mask/length_order.h"
#include "mask/mask_builder.h"

namespace xgrammar {

namespace {

/// Whether a text of the automaton may end after each of its characters.
bool EndsAnywhere(const ByteDfa& dfa) {
  // Larger ones are read with a count rather than looked at for each mask.
  constexpr uint32_t kMaxStates = 256;
  if (dfa.num_states() > kMaxStates) return false;
  for (uint32_t state = 0; state < dfa.num_states(); ++state) {
    if (dfa.IsAccept(state)) continue;
    const ByteSet& first = dfa.first_bytes(state);
    // Within a character.
    if (first.words[0] != 0 || first.words[1] != 0 || first.words[3] != 0) return false;
  }
  return true;
}

/// The characters that are left, if a text of so many stays inside for that alone.
std::optional<uint32_t> CharactersLeft(const DfaItem& item) {
  const Unit& unit = *item.unit;
  if (unit.kind != Unit::Kind::kLimitedDfa) return std::nullopt;
  if (unit.meter != nullptr) return unit.meter->CharactersLeft(item.count);
  if (!unit.LimitsCodePoints() || unit.IsUsedUp({item.count, item.tokens})) return std::nullopt;
  if (!EndsAnywhere(*unit.dfa)) return std::nullopt;
  return static_cast<uint32_t>(unit.options.max_chars - item.count);
}

bool CountsEscapes(const DfaItem& item) {
  return item.unit->meter != nullptr && item.unit->meter->counts_escapes();
}

}  // namespace

bool MaskBuilder::AddFitting(const DfaItem& item) {
  const std::optional<uint32_t> left = CharactersLeft(item);
  if (!left) return false;
  std::shared_ptr<const LocalMask> local =
      local_masks_.Get(item.unit->dfa, item.state, false, &local_builder_);
  TakeFitting(*local, local_masks_.length_order(CountsEscapes(item)), *left);
  if (item.continuation != kRootContinuation && local->MayBeLeft()) {
    ReadExits(item, WholeTree(kDeadSet), following_.After(parser_, item));
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
  const std::optional<uint32_t> left = CharactersLeft(item);
  if (!left) return false;
  // What was read before counts in the lengths of the tokens.
  const uint32_t node = part.begin - 1;
  const auto some = static_cast<size_t>(trie.subtree_tokens(node).back());
  uint32_t before = 0;
  for (uint32_t i = 0; i < trie.node(node).depth; ++i) {
    const auto byte = static_cast<uint8_t>(tokenizer_.decoded_vocab()[some][i]);
    if (byte == '\\') return false;
    if ((byte & 0xC0) != 0x80) ++before;
  }
  std::shared_ptr<const LocalMask> local =
      local_masks_.GetBelow(item.unit->dfa, item.state, node, &local_builder_);
  TakeFitting(*local, local_masks_.length_order(CountsEscapes(item)), *left + before);
  if (local->MayBeLeft()) ReadExits(item, part, after);
  read_.push_back(std::move(local));
  return true;
}

void MaskBuilder::TakeFitting(const LocalMask& local, const LengthOrder& order, uint32_t room) {
  const size_t num_words = (static_cast<size_t>(tokenizer_.vocab_size()) + 31) / 32;
  unlimited_.assign(num_words, 0);
  local.AddTo(unlimited_, true, CopyBounds::kManyCopies);
  if (fitting_.empty()) fitting_.assign(num_words, 0);
  const auto word_of = [](int32_t token) { return static_cast<size_t>(token) >> 5; };
  const auto bit_of = [](int32_t token) { return 1u << (token & 31); };
  // Whichever are fewer are looked at.
  if (order.Beyond(room).size() < order.Fitting(room).size()) {
    for (int32_t token : order.Beyond(room)) unlimited_[word_of(token)] &= ~bit_of(token);
    for (size_t w = 0; w < num_words; ++w) fitting_[w] |= unlimited_[w];
  } else {
    for (int32_t token : order.Fitting(room)) {
      fitting_[word_of(token)] |= unlimited_[word_of(token)] & bit_of(token);
    }
  }
}

}  // namespace xgrammar
