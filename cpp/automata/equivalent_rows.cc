// Moore's refinement (1956) by rounds, made incremental: block ids never change their meaning, a
// split gives all parts but one new ids, and a round looks again only at states with a transition
// into a part that was renamed. Chains and tries, which take Moore as many rounds as they are deep,
// then cost little more than one look at each row.
//
// Within one block, states that were not looked at agree with each other, and differ from all that
// were: those point at an id that is new in this round.
#include "automata/equivalent_rows.h"

#include <algorithm>

#include "support/id_table.h"
#include "support/work_meter.h"

namespace xgrammar {

namespace {

class Refinement {
 public:
  Refinement(std::span<const uint32_t> targets, uint32_t num_classes,
             std::span<const uint8_t> accept, const RowSources& sources)
      : targets_(targets),
        width_(num_classes),
        num_states_(static_cast<uint32_t>(accept.size())),
        sources_(sources) {
    block_.resize(num_states_);
    for (uint32_t s = 0; s < num_states_; ++s) block_[s] = accept[s] != 0 ? 1 : 0;
    AddBlock(0);
    AddBlock(0);
    for (uint32_t b : block_) ++block_size_[b];
    CollectWeights();
  }

  std::vector<uint32_t> Run() {
    std::vector<uint32_t> looked_at(num_states_);
    for (uint32_t s = 0; s < num_states_; ++s) looked_at[s] = s;
    std::vector<uint8_t> is_next(num_states_, 0);
    while (!looked_at.empty()) {
      const std::vector<uint32_t> renamed = SplitBy(looked_at);
      looked_at.clear();
      for (uint32_t state : renamed) {
        for (uint32_t source : sources_.of(state)) {
          if (is_next[source] != 0) continue;
          is_next[source] = 1;
          looked_at.push_back(source);
        }
      }
      for (uint32_t state : looked_at) is_next[state] = 0;
    }
    CloseGaps();
    return std::move(block_);
  }

 private:
  struct Part {
    uint32_t block = 0;
    uint32_t representative = 0;
    uint32_t size = 0;
    uint32_t new_block = 0;
  };

  uint32_t Target(uint32_t state, uint32_t byte_class) const {
    return targets_[size_t{state} * width_ + byte_class];
  }

  /// A row's hash is the sum of its entries times odd weights: independent products, unlike a chain
  /// that waits for each one. Splitmix (Steele et al. 2014) spreads the weights.
  void CollectWeights() {
    uint64_t seed = 0;
    for (uint32_t c = 0; c < width_; ++c) {
      uint64_t z = (seed += 0x9E3779B97F4A7C15ull);
      z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
      z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
      weights_.push_back((z ^ (z >> 31)) | 1);
    }
  }

  uint64_t HashOf(uint32_t state) const {
    uint64_t sum = block_[state];
    for (uint32_t c = 0; c < width_; ++c) {
      const uint32_t target = Target(state, c);
      sum += (uint64_t{1} + (target == kNoRow ? kNoRow : block_[target])) * weights_[c];
    }
    sum ^= sum >> 32;
    return sum * 0x9E3779B97F4A7C15ull ^ (sum >> 29);
  }

  bool SameRow(uint32_t a, uint32_t b) const {
    if (block_[a] != block_[b]) return false;
    for (uint32_t c = 0; c < width_; ++c) {
      const uint32_t ta = Target(a, c);
      const uint32_t tb = Target(b, c);
      if (ta == tb) continue;
      if (ta == kNoRow || tb == kNoRow || block_[ta] != block_[tb]) return false;
    }
    return true;
  }

  /// Splits the blocks of the states by their rows. Returns the states with a new block id.
  std::vector<uint32_t> SplitBy(const std::vector<uint32_t>& states) {
    IdTable index;
    std::vector<Part> parts;
    std::vector<uint32_t> part_of(states.size());
    for (size_t i = 0; i < states.size(); ++i) {
      const uint32_t state = states[i];
      ++num_seen_[block_[state]];
      CountWork("minimising bytes", 1 + width_ / 16);
      const uint64_t hash = HashOf(state);
      uint32_t part =
          index.Find(hash, [&](uint32_t p) { return SameRow(state, parts[p].representative); });
      if (part == IdTable::kNotFound) {
        part = static_cast<uint32_t>(parts.size());
        index.Insert(hash, part);
        parts.push_back({block_[state], state, 0, 0});
      }
      ++parts[part].size;
      part_of[i] = part;
    }
    NameParts(&parts);
    std::vector<uint32_t> renamed;
    for (size_t i = 0; i < states.size(); ++i) {
      const Part& part = parts[part_of[i]];
      if (part.new_block == part.block) continue;
      block_[states[i]] = part.new_block;
      renamed.push_back(states[i]);
    }
    return renamed;
  }

  /// The part that keeps the block's id: the states not looked at, or else the largest part.
  void NameParts(std::vector<Part>* parts) {
    for (uint32_t p = 0; p < parts->size(); ++p) {
      const Part& part = (*parts)[p];
      if (num_seen_[part.block] < block_size_[part.block]) continue;
      uint32_t& best = keeper_[part.block];
      if (best == kNoRow || part.size > (*parts)[best].size) best = p;
    }
    for (uint32_t p = 0; p < parts->size(); ++p) {
      Part& part = (*parts)[p];
      part.new_block = part.block;
      if (keeper_[part.block] == p) continue;
      part.new_block = static_cast<uint32_t>(block_size_.size());
      block_size_[part.block] -= part.size;
      AddBlock(part.size);
    }
    for (const Part& part : *parts) {
      num_seen_[part.block] = 0;
      keeper_[part.block] = kNoRow;
    }
  }

  void AddBlock(uint32_t size) {
    block_size_.push_back(size);
    num_seen_.push_back(0);
    keeper_.push_back(kNoRow);
  }

  /// All states may accept, or none: one of the two first blocks is empty then.
  void CloseGaps() {
    if (num_states_ == 0) return;
    for (uint32_t empty : {1u, 0u}) {
      if (block_size_[empty] != 0) continue;
      for (uint32_t& b : block_) b -= b > empty ? 1 : 0;
    }
  }

  std::span<const uint32_t> targets_;
  uint32_t width_;
  uint32_t num_states_;
  const RowSources& sources_;
  std::vector<uint32_t> block_;
  std::vector<uint32_t> block_size_;
  // Of one round, by block: states looked at, and the part that keeps the id.
  std::vector<uint32_t> num_seen_;
  std::vector<uint32_t> keeper_;
  std::vector<uint64_t> weights_;
};

}  // namespace

std::vector<uint32_t> EquivalentRows(std::span<const uint32_t> targets, uint32_t num_classes,
                                     std::span<const uint8_t> accept, const RowSources& sources) {
  return Refinement(targets, num_classes, accept, sources).Run();
}

}  // namespace xgrammar
