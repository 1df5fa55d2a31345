// ByteDfa: from a table of rows to the automaton: trimming, minimisation, facts of states.
//
// Large automata are trimmed but not minimised. Tables come from the subset construction
// (determinize_bytes.cc) or, small ones, from a code point automaton between two literals
// (spelled_rows.h); the rows of large ones of that shape are made on demand.
#include "automata/byte_dfa.h"

#include <algorithm>
#include <utility>

#include "automata/equivalent_rows.h"
#include "automata/row_sources.h"
#include "automata/spelled_rows.h"

namespace xgrammar {

bool ByteDfa::Accepts(std::string_view bytes) const {
  uint32_t state = 0;
  for (char c : bytes) {
    state = Next(state, static_cast<uint8_t>(c));
    if (state == kDead) return false;
  }
  return IsAccept(state);
}

int64_t ByteDfa::MemorySizeBytes() const {
  return static_cast<int64_t>(sizeof(*this) + table_.size() * sizeof(uint32_t) + flags_.size() +
                              first_bytes_.size() * sizeof(ByteSet) +
                              num_states_ * sizeof(rows_[0])) +
         (on_demand_ == nullptr ? 0 : on_demand_->MaxMemorySizeBytes());
}

namespace {

// Above this, minimisation costs more than the smaller table saves.
constexpr uint32_t kMaxStatesToMinimize = 3000;

// Automata with more states than this, between two literals, get their rows on demand. Below, to
// make and minimise them costs no more than a mask, and equal states share what is learned of them.
constexpr uint32_t kMaxStatesAtOnce = 24;

std::vector<uint8_t> FirstBytesOfClasses(const ByteClasses& classes) {
  std::vector<uint8_t> runs;
  for (size_t b = 0; b < 256; ++b) {
    if (b == 0 || classes.of[b] != classes.of[b - 1]) runs.push_back(static_cast<uint8_t>(b));
  }
  return runs;
}

/// Marks states that can reach an accepting one, by walking edges backwards.
std::vector<uint8_t> LiveStates(const ByteTable& table, const RowSources& sources) {
  std::vector<uint8_t> live = table.accept;
  std::vector<uint32_t> work;
  for (uint32_t s = 0; s < table.num_states(); ++s) {
    if (live[s] != 0) work.push_back(s);
  }
  while (!work.empty()) {
    const uint32_t t = work.back();
    work.pop_back();
    for (uint32_t s : sources.of(t)) {
      if (live[s] != 0) continue;
      live[s] = 1;
      work.push_back(s);
    }
  }
  return live;
}

}  // namespace

class ByteDfaBuilder {
 public:
  /// Trims dead states, merges equal blocks and numbers what is left in breadth-first order.
  static ByteDfa Build(ByteTable table) {
    const uint32_t width = table.classes.count;
    // What is trimmed below leads to no state that stays, so the sources remain true.
    const RowSources sources(table.targets, width);
    const std::vector<uint8_t> live = LiveStates(table, sources);
    for (uint32_t& t : table.targets) {
      if (t != ByteDfa::kDead && live[t] == 0) t = ByteDfa::kDead;
    }
    std::vector<uint32_t> block(table.num_states());
    if (table.num_states() <= kMaxStatesToMinimize) {
      block = EquivalentRows(table.targets, width, table.accept, sources);
    } else {
      for (uint32_t s = 0; s < table.num_states(); ++s) block[s] = s;
    }
    std::vector<uint32_t> number(table.num_states(), ByteDfa::kDead);  // By block.
    std::vector<uint32_t> order{0};
    number[block[0]] = 0;
    ByteDfa out;
    out.classes_ = table.classes;
    out.byte_runs_ = FirstBytesOfClasses(table.classes);
    for (size_t i = 0; i < order.size(); ++i) {
      const uint32_t* row = table.targets.data() + size_t{order[i]} * width;
      out.table_.resize((i + 1) * width, ByteDfa::kDead);
      uint32_t* out_row = out.table_.data() + i * width;
      for (uint32_t c = 0; c < width; ++c) {
        const uint32_t t = row[c];
        if (t == ByteDfa::kDead) continue;
        if (c > 0 && t == row[c - 1]) {  // The common case: long runs lead to one state.
          out_row[c] = out_row[c - 1];
          continue;
        }
        if (number[block[t]] == ByteDfa::kDead) {
          number[block[t]] = static_cast<uint32_t>(order.size());
          order.push_back(t);
        }
        out_row[c] = number[block[t]];
      }
    }
    out.num_states_ = static_cast<uint32_t>(order.size());
    MakeRows(&out);
    FillStateFacts(table, order, &out);
    return out;
  }

  static ByteDfa OnDemand(std::unique_ptr<const RowsOnDemand> rows) {
    ByteDfa out;
    out.num_states_ = rows->num_states();
    out.classes_ = rows->classes();
    out.byte_runs_ = FirstBytesOfClasses(out.classes_);
    out.flags_ = rows->StateFlags();
    const auto goes_on = [](uint8_t flags) { return flags == ByteDfa::kAcceptFlag; };
    out.prefix_free_ = (out.flags_[0] & ByteDfa::kAcceptFlag) == 0 &&
                       std::none_of(out.flags_.begin(), out.flags_.end(), goes_on);
    MakeRows(&out);
    out.on_demand_ = std::move(rows);
    return out;
  }

 private:
  static void MakeRows(ByteDfa* out) {
    out->rows_ = std::make_unique<std::atomic<const uint32_t*>[]>(out->num_states_);
    if (out->table_.empty()) return;
    for (uint32_t s = 0; s < out->num_states_; ++s) {
      out->rows_[s].store(out->table_.data() + size_t{s} * out->classes_.count,
                          std::memory_order_relaxed);
    }
  }

  static void FillStateFacts(const ByteTable& table, const std::vector<uint32_t>& order,
                             ByteDfa* out) {
    const uint32_t width = table.classes.count;
    for (uint32_t s = 0; s < out->num_states_; ++s) {
      ByteSet first;
      const uint32_t* row = out->table_.data() + size_t{s} * width;
      for (uint32_t c = 0; c < width; ++c) {
        if (row[c] == ByteDfa::kDead) continue;
        const uint32_t begin = c;
        while (c + 1 < width && row[c + 1] != ByteDfa::kDead) ++c;
        const uint32_t end = c + 1 < width ? out->byte_runs_[c + 1] : 256;
        first.AddRange(out->byte_runs_[begin], static_cast<uint8_t>(end - 1));
      }
      AddFlags(table.accept[order[s]] != 0, !first.empty(), out);
      out->first_bytes_.push_back(first);
    }
  }

  static void AddFlags(bool accept, bool has_edges, ByteDfa* out) {
    if (out->flags_.empty()) out->prefix_free_ = !accept;
    if (accept && has_edges) out->prefix_free_ = false;
    out->flags_.push_back(static_cast<uint8_t>((accept ? ByteDfa::kAcceptFlag : 0) |
                                               (has_edges ? 0 : ByteDfa::kFinalFlag)));
  }
};

ByteDfa MakeByteDfa(ByteTable table) { return ByteDfaBuilder::Build(std::move(table)); }

std::optional<ByteDfa> DfaOnDemand(std::unique_ptr<const RowsOnDemand> rows, uint32_t max_states) {
  const uint32_t num_states = rows->num_states();
  if (num_states > max_states) return std::nullopt;
  // Few of the rows are ever made.
  constexpr size_t kMaxEntries = 2 * ByteTable::kMaxEntries;
  if (size_t{num_states} * rows->classes().count > kMaxEntries) return std::nullopt;
  return ByteDfaBuilder::OnDemand(std::move(rows));
}

std::optional<ByteDfa> SpellInBytes(std::string_view prefix, CodePointDfaPtr automaton,
                                    std::string_view suffix, uint32_t max_states) {
  std::unique_ptr<const SpelledRows> rows = SpelledRows::Make(prefix, std::move(automaton), suffix);
  if (rows == nullptr || rows->num_states() > max_states) return std::nullopt;
  if (rows->num_states() > kMaxStatesAtOnce) return DfaOnDemand(std::move(rows), max_states);
  const size_t width = rows->classes().count;
  ByteTable table;
  table.classes = rows->classes();
  table.targets.resize(rows->num_states() * width);
  for (uint32_t s = 0; s < rows->num_states(); ++s) {
    ByteSet first;
    rows->WriteRow(s, table.targets.data() + s * width, &first);
    table.accept.push_back(rows->IsAccept(s) ? 1 : 0);
  }
  return MakeByteDfa(std::move(table));
}

}  // namespace xgrammar
