// TokenTrie: building the tree from sorted tokens.
//
// The tokens are sorted as byte strings; the tree then grows along its right edge only: each token
// shares with its predecessor the nodes of their common prefix and appends the rest, which is the
// sorted construction of a trie in one pass (Daciuk et al. 2000, without the minimisation). The
// first eight bytes of a token are held beside its index and size: sorting and growing touch the
// memory of the strings, which sorted order visits at random, only for tokens longer than that. A
// vocabulary of 250,000 tokens takes a few tens of milliseconds.
#include "tokenizer/token_trie.h"

#include <algorithm>
#include <bit>
#include <limits>

#include "support/error.h"
#include "tokenizer/byte_kind.h"

namespace xgrammar {

namespace {

constexpr size_t kPrefixBytes = 8;

struct SortKey {
  uint64_t prefix = 0;  ///< The first eight bytes, the first one most significant, padded by 0.
  uint32_t index = 0;
  uint32_t size = 0;
};

uint64_t PrefixOf(std::string_view bytes) {
  uint64_t prefix = 0;
  const size_t size = std::min(bytes.size(), kPrefixBytes);
  for (size_t i = 0; i < size; ++i) {
    prefix |= static_cast<uint64_t>(static_cast<unsigned char>(bytes[i])) << (56 - 8 * i);
  }
  return prefix;
}

using TokenList = std::vector<std::pair<std::string_view, int32_t>>;

uint8_t ByteAt(const TokenList& tokens, const SortKey& key, size_t i) {
  if (i < kPrefixBytes) return static_cast<uint8_t>(key.prefix >> (56 - 8 * i));
  return static_cast<unsigned char>(tokens[key.index].first[i]);
}

size_t CommonPrefixSize(const TokenList& tokens, const SortKey& a, const SortKey& b) {
  const size_t size = std::min(a.size, b.size);
  const auto equal_bits = static_cast<size_t>(std::countl_zero(a.prefix ^ b.prefix));
  size_t i = std::min(size, equal_bits / 8);
  if (i < kPrefixBytes) return i;
  const std::string_view a_bytes = tokens[a.index].first;
  const std::string_view b_bytes = tokens[b.index].first;
  while (i < size && a_bytes[i] == b_bytes[i]) ++i;
  return i;
}

// Sorts by bytes, then by position in the list. The first two bytes are sorted by counting, which
// leaves short runs that stay in the cache for the comparing sort.
void SortTokens(const TokenList& tokens, std::vector<SortKey>* keys) {
  const auto less = [&tokens](const SortKey& a, const SortKey& b) {
    if (a.prefix != b.prefix) return a.prefix < b.prefix;
    if (a.size > kPrefixBytes && b.size > kPrefixBytes) {
      const int compared = tokens[a.index].first.compare(tokens[b.index].first);
      if (compared != 0) return compared < 0;
    } else if (a.size != b.size) {  // The padding of one is zero bytes of the other.
      return a.size < b.size;
    }
    return a.index < b.index;
  };
  constexpr size_t kFewTokens = 4096;  // Not worth a table of 65,536 counts.
  if (keys->size() < kFewTokens) {
    std::sort(keys->begin(), keys->end(), less);
    return;
  }
  constexpr int kShift = 48;
  constexpr size_t kNumBuckets = size_t{1} << 16;
  std::vector<uint32_t> ends(kNumBuckets + 1, 0);
  for (const SortKey& key : *keys) ++ends[(key.prefix >> kShift) + 1];
  for (size_t b = 1; b <= kNumBuckets; ++b) ends[b] += ends[b - 1];
  std::vector<SortKey> sorted(keys->size());
  // Filling bucket b moves its start in `ends[b]` up to its end.
  for (const SortKey& key : *keys) sorted[ends[key.prefix >> kShift]++] = key;
  auto begin = sorted.begin();
  for (size_t b = 0; b < kNumBuckets; ++b) {
    const auto end = sorted.begin() + ends[b];
    if (end - begin > 1) std::sort(begin, end, less);
    begin = end;
  }
  keys->swap(sorted);
}

}  // namespace

TokenTrie::TokenTrie(std::vector<std::pair<std::string_view, int32_t>> tokens) {
  std::vector<SortKey> order(tokens.size());
  uint64_t total_bytes = 0;
  for (size_t i = 0; i < tokens.size(); ++i) {
    const std::string_view bytes = tokens[i].first;
    if (bytes.size() > kMaxTokenBytes) {
      ThrowFixedLimitError("the bytes of token " + std::to_string(tokens[i].second),
                           static_cast<int64_t>(bytes.size()), kMaxTokenBytes);
    }
    total_bytes += bytes.size();
    order[i] = {PrefixOf(bytes), static_cast<uint32_t>(i), static_cast<uint32_t>(bytes.size())};
    max_token_bytes_ = std::max(max_token_bytes_, static_cast<uint32_t>(bytes.size()));
  }
  if (total_bytes >= std::numeric_limits<uint32_t>::max()) {
    ThrowFixedLimitError("the bytes of a vocabulary", static_cast<int64_t>(total_bytes),
                         std::numeric_limits<uint32_t>::max() - 1);
  }
  SortTokens(tokens, &order);

  token_ids_.reserve(tokens.size());
  nodes_.reserve(tokens.size() + tokens.size() / 2);
  std::vector<uint32_t> path;  // The nodes of the previous token, outermost first.
  SortKey previous;
  for (const SortKey& key : order) {
    const size_t shared = CommonPrefixSize(tokens, previous, key);
    while (path.size() > shared) {
      nodes_[path.back()].subtree_end = num_nodes();
      path.pop_back();
    }
    for (size_t i = shared; i < key.size; ++i) {
      path.push_back(num_nodes());
      Node& node = nodes_.emplace_back();
      node.first_token = static_cast<uint32_t>(token_ids_.size());
      node.depth = static_cast<uint32_t>(i + 1) & kMaxTokenBytes;
      node.byte = ByteAt(tokens, key, i);
    }
    // Sorted order puts equal tokens side by side and a token before its extensions, so the list of
    // the newest node is still open here.
    token_ids_.push_back(tokens[key.index].second);
    previous = key;
  }
  for (uint32_t index : path) nodes_[index].subtree_end = num_nodes();
  nodes_.shrink_to_fit();
  IndexChildren(FindWhatIsBelow());
}

TokenTrie::TokenTrie(const TokenTrie& whole, std::span<const Pick> picks) {
  size_t num_picked = 0;
  for (const Pick& pick : picks)
    num_picked += pick.with_subtree ? whole.nodes_[pick.node].subtree_end - pick.node : 1;
  nodes_.reserve(num_picked);
  struct Step {
    uint32_t node;
    Utf8State state;  // After its byte.
  };
  std::vector<Step> path;  // Of single nodes.
  std::vector<uint32_t> with_fans;
  const auto leave_to = [&](size_t depth) {
    for (; path.size() > depth; path.pop_back()) {
      const Step& step = path.back();
      nodes_[step.node].subtree_end = num_nodes();
      if (SumUpChildren(step.node, step.state) >= kManyChildren) with_fans.push_back(step.node);
    }
  };
  for (const Pick& pick : picks) {
    const Node& from = whole.nodes_[pick.node];
    leave_to(from.depth - 1);
    if (pick.with_subtree) {
      CopySubtree(whole, pick.node, &with_fans);
      continue;
    }
    const Utf8State before = path.empty() ? Utf8State::kBoundary : path.back().state;
    path.push_back({num_nodes(), NextUtf8State(before, static_cast<uint8_t>(from.byte))});
    Node& node = nodes_.emplace_back();
    node.first_token = static_cast<uint32_t>(token_ids_.size());
    node.depth = from.depth;
    node.byte = from.byte;
  }
  leave_to(0);
  IndexChildren(std::move(with_fans));
}

void TokenTrie::CopySubtree(const TokenTrie& whole, uint32_t root,
                            std::vector<uint32_t>* with_fans) {
  const uint32_t first = num_nodes();
  const auto first_token = static_cast<uint32_t>(token_ids_.size());
  const uint32_t first_token_there = whole.nodes_[root].first_token;
  for (uint32_t i = root; i < whole.nodes_[root].subtree_end; ++i) {
    // What is below is the same.
    Node& node = nodes_.emplace_back(whole.nodes_[i]);
    node.subtree_end = node.subtree_end - root + first;
    node.first_token = node.first_token - first_token_there + first_token;
    max_token_bytes_ = std::max(max_token_bytes_, static_cast<uint32_t>(node.depth));
    if (node.has_fan) with_fans->push_back(num_nodes() - 1);
  }
  const auto tokens = whole.subtree_tokens(root);
  token_ids_.insert(token_ids_.end(), tokens.begin(), tokens.end());
}

uint32_t TokenTrie::SumUpChildren(uint32_t index, Utf8State state) {
  Node& node = nodes_[index];
  uint32_t num_children = 0;
  for (uint32_t i = index + 1; i < node.subtree_end; i = nodes_[i].subtree_end) {
    const Node& child = nodes_[i];
    const auto byte = static_cast<uint8_t>(child.byte);
    AddChild(child, NextUtf8State(state, byte) == Utf8State::kIllFormed, &node);
    ++num_children;
  }
  FinishNode(state, &node);
  return num_children;
}

void TokenTrie::AddChild(const Node& child, bool is_ill_formed, Node* parent) {
  parent->height_below = static_cast<uint8_t>(
      std::max<uint32_t>(parent->height_below, std::min(kMaxHeight, child.height_below + 1u)));
  parent->kinds_below |= KindBit(static_cast<uint8_t>(child.byte));
  // That the child stands within a character is its own matter.
  parent->kinds_below |= static_cast<uint16_t>(child.kinds_below & ~kIllFormedBelow);
  if (is_ill_formed || child.ill_formed_below) parent->kinds_below |= kIllFormedBelow;
}

void TokenTrie::FinishNode(Utf8State state, Node* node) {
  node->ill_formed_below = (node->kinds_below & kIllFormedBelow) != 0;
  if (state != Utf8State::kBoundary) node->kinds_below |= kIllFormedBelow;
}

TokenTrie::Fan TokenTrie::MakeFan(uint32_t begin, uint32_t end) {
  Fan fan;
  fan.first = static_cast<uint32_t>(fan_children_.size());
  for (uint32_t i = begin; i < end; i = nodes_[i].subtree_end) {
    const auto byte = static_cast<uint8_t>(nodes_[i].byte);
    fan_children_.push_back(i);
    fan.bytes[byte >> 6] |= uint64_t{1} << (byte & 63);
    for (size_t w = (byte >> 6) + size_t{1}; w < fan.rank.size(); ++w) ++fan.rank[w];
  }
  return fan;
}

void TokenTrie::IndexChildren(std::vector<uint32_t> parents) {
  roots_ = MakeFan(0, num_nodes());
  if (!parents.empty()) {
    fan_bits_.assign((nodes_.size() + 63) / 64, 0);
    fan_rank_.assign(fan_bits_.size(), 0);
    std::sort(parents.begin(), parents.end());
    for (uint32_t parent : parents) {
      fans_.push_back(MakeFan(parent + 1, nodes_[parent].subtree_end));
      nodes_[parent].has_fan = true;
      fan_bits_[parent >> 6] |= uint64_t{1} << (parent & 63);
    }
    for (size_t w = 1; w < fan_rank_.size(); ++w) {
      fan_rank_[w] = fan_rank_[w - 1] + static_cast<uint32_t>(std::popcount(fan_bits_[w - 1]));
    }
  }
  fan_children_.shrink_to_fit();
}

std::vector<uint32_t> TokenTrie::FindWhatIsBelow() {
  std::vector<uint32_t> with_fans;
  struct Step {
    uint32_t node;
    Utf8State state;
    uint32_t num_children;
  };
  std::vector<Step> path;
  // A node's kinds are complete when the scan leaves its subtree; then its parent takes them over.
  const auto leave = [&] {
    const Step child = path.back();
    path.pop_back();
    if (child.num_children >= kManyChildren) with_fans.push_back(child.node);
    FinishNode(child.state, &nodes_[child.node]);
    if (path.empty()) return;
    ++path.back().num_children;
    AddChild(nodes_[child.node], child.state == Utf8State::kIllFormed, &nodes_[path.back().node]);
  };
  for (uint32_t i = 0; i < num_nodes(); ++i) {
    while (path.size() >= nodes_[i].depth) leave();
    const Utf8State before = path.empty() ? Utf8State::kBoundary : path.back().state;
    path.push_back({i, NextUtf8State(before, static_cast<uint8_t>(nodes_[i].byte)), 0});
  }
  while (!path.empty()) leave();
  return with_fans;
}

std::array<uint64_t, 4> TokenTrie::BytesOf(uint32_t begin, uint32_t end) const {
  if (begin == 0 && end == num_nodes()) return roots_.bytes;
  if (IsAllChildren(begin, end) && HasFan(begin - 1)) return FanOf(begin - 1).bytes;
  std::array<uint64_t, 4> bytes{};
  for (uint32_t i = begin; i < end; i = nodes_[i].subtree_end) {
    bytes[nodes_[i].byte >> 6] |= uint64_t{1} << (nodes_[i].byte & 63);
  }
  return bytes;
}

int64_t TokenTrie::MemorySizeBytes() const {
  return static_cast<int64_t>(
      sizeof(*this) + nodes_.capacity() * sizeof(Node) + token_ids_.capacity() * sizeof(int32_t) +
      fan_bits_.capacity() * sizeof(uint64_t) + fans_.capacity() * sizeof(Fan) +
      (fan_rank_.capacity() + fan_children_.capacity()) * sizeof(uint32_t));
}

}  // namespace xgrammar
