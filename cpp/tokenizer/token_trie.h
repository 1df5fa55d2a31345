// TokenTrie: a prefix tree over token bytes in depth-first order, so that a walk is a scan with
// skips.
//
// Node i has a byte, a depth (1 for the first byte) and `subtree_end`: the index just past its last
// descendant. A dead prefix skips its subtree by jumping there. Ids that share their bytes are one
// node; `tokens(i)` lists them all. Immutable; safe to share.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "tokenizer/byte_kind.h"

namespace xgrammar {

class TokenTrie {
 public:
  /// Bytes of the longest token that a node's depth can express; a longer one raises kLimit.
  static constexpr uint32_t kMaxTokenBytes = (1u << 24) - 1;

  struct Node {
    uint32_t subtree_end = 0;
    /// Offset into the token list; the node's tokens end where the next node's begin.
    uint32_t first_token = 0;
    uint32_t depth : 24 = 0;
    uint32_t byte : 8 = 0;
    // Of what is below; beside the rest, because a walk that skips subtrees finds no two nodes in
    // one line of the cache.
    uint16_t kinds_below = 0;
    uint8_t height_below = 0;
    bool has_fan : 1 = false;
    /// As kIllFormedBelow, but that the node itself ends within a character does not count.
    bool ill_formed_below : 1 = false;
  };

  TokenTrie() = default;
  /// Pairs of bytes (non-empty; owned elsewhere for the time of the call) and token id. Cost:
  /// O(n log n) for n tokens, plus their bytes. Raises kLimit for tokens that do not fit 32-bit
  /// node indices or kMaxTokenBytes.
  explicit TokenTrie(std::vector<std::pair<std::string_view, int32_t>> tokens);

  /// A node of another tree: all of its subtree, or, without its tokens, only the byte that those
  /// below it begin with.
  struct Pick {
    uint32_t node = 0;
    bool with_subtree = false;
  };
  /// A part of another tree. `picks` are in order; before each stand those for the bytes above it.
  /// Cost: the nodes of the part.
  TokenTrie(const TokenTrie& whole, std::span<const Pick> picks);

  uint32_t num_nodes() const { return static_cast<uint32_t>(nodes_.size()); }
  const Node& node(uint32_t index) const { return nodes_[index]; }
  std::span<const int32_t> tokens(uint32_t index) const { return TokensBetween(index, index + 1); }
  /// All tokens of the subtree rooted at `index`, itself included: they are contiguous.
  std::span<const int32_t> subtree_tokens(uint32_t index) const {
    return TokensBetween(index, nodes_[index].subtree_end);
  }
  /// In the order of the nodes.
  std::span<const int32_t> all_tokens() const { return token_ids_; }
  /// Which kinds of bytes (byte_kind.h, one bit each) stand below a node, and kIllFormedBelow.
  uint16_t kinds_below(uint32_t index) const { return nodes_[index].kinds_below; }
  /// Levels of nodes below a node; 255 stands for that many and more.
  uint32_t height_below(uint32_t index) const { return nodes_[index].height_below; }
  /// The bytes of the siblings [begin, end), one bit for each of 256.
  std::array<uint64_t, 4> BytesOf(uint32_t begin, uint32_t end) const;
  /// Whether the children of the node can be found by their bytes: if there are many.
  bool HasFan(uint32_t index) const { return nodes_[index].has_fan; }
  /// Whether the siblings [begin, end) are the children of the node before them, all of them.
  bool IsAllChildren(uint32_t begin, uint32_t end) const {
    return begin > 0 && nodes_[begin - 1].subtree_end == end &&
           nodes_[begin - 1].depth + 1 == nodes_[begin].depth;
  }
  /// Calls `visit(node)` for the children whose byte is in `bytes`, in order. Costs what it finds.
  /// Precondition: HasFan(index).
  template <typename Visit>
  void ForEachChild(uint32_t index, const std::array<uint64_t, 4>& bytes, Visit visit) const {
    FanOf(index).ForEach(fan_children_.data(), bytes, visit);
  }
  /// Calls `visit(node)` for the nodes of depth 1 whose byte is in `bytes` (one bit for each of
  /// 256), in order. Costs what it finds: a state that few bytes may follow need not look at all of
  /// them.
  template <typename Visit>
  void ForEachRoot(const std::array<uint64_t, 4>& bytes, Visit visit) const {
    roots_.ForEach(fan_children_.data(), bytes, visit);
  }
  /// Bytes of the longest token.
  uint32_t max_token_bytes() const { return max_token_bytes_; }
  int64_t MemorySizeBytes() const;

 private:
  /// Reading past this many siblings costs more than looking one up.
  static constexpr uint32_t kManyChildren = 8;
  static constexpr uint32_t kMaxHeight = 255;

  /// Siblings by their bytes.
  struct Fan {
    std::array<uint64_t, 4> bytes{};
    std::array<uint16_t, 4> rank{};  ///< Siblings with bytes below those of a word.
    uint32_t first = 0;              ///< Of the siblings in fan_children_.

    template <typename Visit>
    void ForEach(const uint32_t* nodes, const std::array<uint64_t, 4>& wanted, Visit& visit) const {
      for (size_t w = 0; w < bytes.size(); ++w) {
        for (uint64_t rest = wanted[w] & bytes[w]; rest != 0; rest &= rest - 1) {
          const uint64_t below = (rest & (~rest + 1)) - 1;
          visit(nodes[first + rank[w] + static_cast<size_t>(std::popcount(bytes[w] & below))]);
        }
      }
    }
  };

  const Fan& FanOf(uint32_t index) const {
    const size_t word = index >> 6;
    const uint64_t before = fan_bits_[word] & ((uint64_t{1} << (index & 63)) - 1);
    return fans_[fan_rank_[word] + static_cast<size_t>(std::popcount(before))];
  }
  /// Appends the nodes that have a fan to the list.
  void CopySubtree(const TokenTrie& whole, uint32_t root, std::vector<uint32_t>* with_fans);
  /// Finds what is below a node from what is below its children; returns how many it has. `state`:
  /// after the node's byte.
  uint32_t SumUpChildren(uint32_t index, Utf8State state);
  static void AddChild(const Node& child, bool is_ill_formed, Node* parent);
  /// When all its children have been added.
  static void FinishNode(Utf8State state, Node* node);
  /// What a scan in order finds out about subtrees; returns the nodes that get a fan.
  std::vector<uint32_t> FindWhatIsBelow();
  Fan MakeFan(uint32_t begin, uint32_t end);
  void IndexChildren(std::vector<uint32_t> parents);
  std::span<const int32_t> TokensBetween(uint32_t begin_node, uint32_t end_node) const {
    const uint32_t begin = nodes_[begin_node].first_token;
    const uint32_t end = end_node < nodes_.size() ? nodes_[end_node].first_token
                                                  : static_cast<uint32_t>(token_ids_.size());
    return {token_ids_.data() + begin, end - begin};
  }

  std::vector<Node> nodes_;
  std::vector<int32_t> token_ids_;
  Fan roots_;                       ///< Nodes of depth 1.
  std::vector<uint64_t> fan_bits_;  ///< Nodes with a fan, a bit each.
  std::vector<uint32_t> fan_rank_;  ///< Fans of nodes below those of a word.
  std::vector<Fan> fans_;
  std::vector<uint32_t> fan_children_;
  uint32_t max_token_bytes_ = 0;
};

}  // namespace xgrammar
