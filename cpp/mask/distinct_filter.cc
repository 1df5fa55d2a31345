// DistinctFilter: a walk of the token tree along what may become equal.
//
// Every step is one of the parser, so that nothing is decided here: the walk only leaves out what
// cannot be refused.
#include "mask/distinct_filter.h"

#include <algorithm>
#include <array>
#include <functional>
#include <numeric>
#include <string>
#include <string_view>

namespace xgrammar {

namespace {

// Follows texts through the token tree: `on_quote` is called for nodes whose byte is the quote that
// ends one of them, `on_escape` for nodes that begin an escape instead of what comes next, with the
// bytes before it. At each node the texts that lead there stand side by side, by their next byte.
class TextWalk {
 public:
  using OnQuote = std::function<void(uint32_t)>;
  using OnEscape = std::function<void(uint32_t, std::string_view)>;

  TextWalk(const TokenTrie& trie, const std::vector<std::string>& texts)
      : trie_(trie), texts_(texts), order_(texts.size()) {
    std::iota(order_.begin(), order_.end(), 0u);
  }

  void Run(const OnQuote& on_quote, const OnEscape& on_escape) {
    if (texts_.empty()) return;
    Read({kRoot, 0, 0, order_.size()}, on_quote, on_escape);
    while (!parts_.empty()) {
      const Part part = parts_.back();
      parts_.pop_back();
      Read(part, on_quote, on_escape);
    }
  }

 private:
  static constexpr uint32_t kRoot = 0xFFFFFFFF;
  static constexpr size_t kNoByte = 256;  ///< Of texts that end here.
  struct Part {
    uint32_t node;
    size_t depth;
    size_t begin;  ///< In order_.
    size_t end;
  };

  size_t NextByte(uint32_t text, size_t depth) const {
    return depth < texts_[text].size() ? static_cast<uint8_t>(texts_[text][depth]) : kNoByte;
  }

  void Read(const Part& part, const OnQuote& on_quote, const OnEscape& on_escape) {
    // Counting sort: from ends[b - 1] to ends[b] are the texts that go on with b.
    std::array<size_t, kNoByte + 1> ends{};
    for (size_t i = part.begin; i < part.end; ++i) ++ends[NextByte(order_[i], part.depth)];
    std::partial_sum(ends.begin(), ends.end(), ends.begin());
    std::array<size_t, kNoByte + 1> places = ends;
    sorted_.resize(part.end - part.begin);
    for (size_t i = part.begin; i < part.end; ++i)
      sorted_[--places[NextByte(order_[i], part.depth)]] = order_[i];
    std::copy(sorted_.begin(), sorted_.end(),
              order_.begin() + static_cast<std::ptrdiff_t>(part.begin));
    ByteSet bytes;
    bytes.Add('\\');
    for (size_t b = 0; b < kNoByte; ++b) {
      if (places[b] < ends[b]) bytes.Add(static_cast<uint8_t>(b));
    }
    const std::string_view before = std::string_view(texts_[order_[part.begin]]);
    const auto visit = [&](uint32_t node) {
      const size_t byte = trie_.node(node).byte;
      if (byte == '\\') return on_escape(node, before.substr(0, part.depth));
      if (byte == '"') return on_quote(node);
      if (node + 1 == trie_.node(node).subtree_end) return;
      parts_.push_back({node, part.depth + 1, part.begin + places[byte], part.begin + ends[byte]});
    };
    if (part.node == kRoot) return trie_.ForEachRoot(bytes.words, visit);
    if (trie_.HasFan(part.node)) return trie_.ForEachChild(part.node, bytes.words, visit);
    const uint32_t end = trie_.node(part.node).subtree_end;
    for (uint32_t node = part.node + 1; node < end; node = trie_.node(node).subtree_end) {
      if (bytes.Contains(static_cast<uint8_t>(trie_.node(node).byte))) visit(node);
    }
  }

  const TokenTrie& trie_;
  const std::vector<std::string>& texts_;
  std::vector<uint32_t> order_;
  std::vector<uint32_t> sorted_;
  std::vector<Part> parts_;
};

}  // namespace

std::vector<int32_t> DistinctFilter::RefusedTokens(SetId set, std::span<const uint32_t> row) const {
  std::vector<int32_t> refused;
  const auto is_set = [&](int32_t token) {
    return ((row[static_cast<size_t>(token) >> 5] >> (token & 31)) & 1u) != 0;
  };
  const auto read_whole = [&](const std::vector<int32_t>& tokens) {
    for (int32_t token : tokens) {
      if (!is_set(token)) continue;
      SetId after = set;
      for (char c : tokenizer_.decoded_vocab()[static_cast<size_t>(token)]) {
        after = parser_.Next(after, static_cast<uint8_t>(c));
        if (after == kDeadSet) break;
      }
      if (after == kDeadSet) refused.push_back(token);
    }
  };
  if (!parser_.set(set).compares) {
    read_whole(spanning_.opening);
    return refused;
  }
  const SpanningTokens::Kinds& kinds =
      parser_.IsInString(set) ? spanning_.in_string : spanning_.outside;
  const Parser::ItemVariety variety = parser_.VarietyOfItems(set);
  read_whole(kinds.other);
  if (!variety.has_endless_strings) read_whole(kinds.to_strings);
  if (!variety.is_endless) read_whole(kinds.ending);
  const TokenTrie& trie = tokenizer_.trie();
  struct Part {
    SetId set;
    uint32_t begin;
    uint32_t end;
  };
  std::vector<Part> parts;
  const auto read = [&](SetId from, uint32_t node) {
    const SetId after = parser_.Next(from, static_cast<uint8_t>(trie.node(node).byte));
    if (after == kDeadSet) {
      for (int32_t token : trie.subtree_tokens(node)) {
        if (is_set(token)) refused.push_back(token);
      }
    } else if (node + 1 < trie.node(node).subtree_end) {
      parts.push_back({after, node + 1, trie.node(node).subtree_end});
    }
  };
  if (const auto taken = parser_.TakenStrings(set)) {
    TextWalk(trie, *taken)
        .Run(
            [&](uint32_t node) {
              for (int32_t token : trie.subtree_tokens(node)) {
                if (is_set(token)) refused.push_back(token);
              }
            },
            [&](uint32_t node, std::string_view before) {
              SetId from = set;
              for (char c : before) from = parser_.Next(from, static_cast<uint8_t>(c));
              if (from != kDeadSet) read(from, node);
            });
  } else {
    trie.ForEachRoot(parser_.BytesTowardsEqual(set).words, [&](uint32_t node) { read(set, node); });
  }
  while (!parts.empty()) {
    const Part part = parts.back();
    parts.pop_back();
    const ByteSet bytes = parser_.BytesTowardsEqual(part.set);
    if (bytes.empty()) continue;
    for (uint32_t node = part.begin; node < part.end; node = trie.node(node).subtree_end) {
      if (bytes.Contains(static_cast<uint8_t>(trie.node(node).byte))) read(part.set, node);
    }
  }
  return refused;
}

}  // namespace xgrammar
