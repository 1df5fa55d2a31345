// RowSources: the transitions of a table read backwards; for the algorithms on byte automata that
// walk from the accepting states (liveness in byte_dfa.cc) or from what changed
// (equivalent_rows.cc).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace xgrammar {

/// Marks a missing transition in a table.
inline constexpr uint32_t kNoRow = 0xFFFFFFFF;

/// Immutable. Built by counting sort, because a vector for each state would dominate the cost.
class RowSources {
 public:
  /// `targets` holds num_classes entries for each state, row by row: states, or kNoRow.
  RowSources(std::span<const uint32_t> targets, uint32_t num_classes)
      : begin_(targets.size() / num_classes + 1, 0) {
    const size_t num_states = targets.size() / num_classes;
    const auto for_each_run = [&](auto visit) {
      const uint32_t* row = targets.data();
      for (uint32_t s = 0; s < num_states; ++s, row += num_classes) {
        uint32_t last = kNoRow;
        for (uint32_t c = 0; c < num_classes; ++c) {
          if (row[c] != last && row[c] != kNoRow) visit(s, row[c]);
          last = row[c];
        }
      }
    };
    for_each_run([this](uint32_t, uint32_t target) { ++begin_[target + 1]; });
    for (size_t i = 1; i < begin_.size(); ++i) begin_[i] += begin_[i - 1];
    sources_.resize(begin_.back());
    std::vector<uint32_t> next(begin_.begin(), begin_.end() - 1);
    for_each_run([&](uint32_t source, uint32_t target) { sources_[next[target]++] = source; });
  }

  /// States with a transition to `target`, some of them more than once.
  std::span<const uint32_t> of(uint32_t target) const {
    return {sources_.data() + begin_[target], begin_[target + 1] - begin_[target]};
  }

 private:
  std::vector<uint32_t> begin_;
  std::vector<uint32_t> sources_;
};

}  // namespace xgrammar
