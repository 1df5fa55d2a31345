// DistinctFilter: a walk of the token tree along what may become equal.
//
// The walk leaves out what cannot be refused. Inside an item that is compared with one list, it
// goes by the text and by the sets of masks, which all texts share: as long as some byte leads on
// to none of the values, nothing ends there. What that does not decide, the parser does, by a step
// to a set of its own.
#include "mask/distinct_filter.h"

#include <algorithm>
#include <array>
#include <functional>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

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

// The text of an item along the token tree, and the values that it may still become.
struct NearBytes;
struct ItemWalk {
  SetId set = kDeadSet;  ///< That does not compare.
  std::string path;      ///< The bytes since the set of the parser.
  std::string text;
  std::vector<const ValuePrefix*> near;
  std::shared_ptr<const NearBytes> bytes;  ///< Of text and values.
  uint32_t begin = 0;
  uint32_t end = 0;
};

/// Where a text of an item leads on to the values.
struct NearBytes {
  NearBytes(const std::string& text, const std::vector<const ValuePrefix*>& near) : prefix(text) {
    for (const ValuePrefix* value : near) {
      of.push_back(prefix.BytesTowards(*value));
      all.Merge(of.back());
    }
  }
  bool IsSpace(uint8_t byte) const {
    return !prefix.IsInString() && IsJsonSpace(static_cast<char>(byte));
  }
  /// The step by one byte; the node is the caller's.
  ItemWalk After(const ItemWalk& from, SetId set, uint8_t byte) const {
    ItemWalk to{set, from.path + static_cast<char>(byte), from.text, {}, nullptr, 0, 0};
    if (IsSpace(byte)) {
      to.near = from.near;
      return to;
    }
    to.text.push_back(static_cast<char>(byte));
    for (size_t i = 0; i < of.size(); ++i) {
      if (of[i].Contains(byte)) to.near.push_back(from.near[i]);
    }
    return to;
  }

  ValuePrefix prefix;
  std::vector<ByteSet> of;
  ByteSet all;
};

/// Whether some text goes on to another value, as far as a few steps show.
bool LeadsElsewhere(Parser* parser, ItemWalk* start) {
  constexpr size_t kMaxSteps = 8;
  start->bytes = std::make_shared<const NearBytes>(start->text, start->near);
  std::vector<ItemWalk> walks{*start};
  for (size_t i = 0; i < walks.size() && i < kMaxSteps; ++i) {
    const ItemWalk walk = walks[i];
    const auto bytes = walk.bytes != nullptr
                           ? walk.bytes
                           : std::make_shared<const NearBytes>(walk.text, walk.near);
    const NearBytes& near = *bytes;
    const ByteSet inside = parser->BytesInsideItem(walk.set);
    for (uint32_t b = 0; b < 256; ++b) {
      const auto byte = static_cast<uint8_t>(b);
      if (!inside.Contains(byte) || near.IsSpace(byte)) continue;
      if (!near.all.Contains(byte)) return true;
      if (walks.size() >= kMaxSteps) continue;
      const SetId set = parser->Next(walk.set, byte);
      if (set != kDeadSet) walks.push_back(near.After(walk, set, byte));
    }
  }
  return false;
}

/// One walk: collects the tokens of the row that cannot follow.
class RefusalWalk {
 public:
  RefusalWalk(Parser* parser, const TokenizerInfo& tokenizer, std::span<const uint32_t> row)
      : parser_(*parser), tokenizer_(tokenizer), trie_(tokenizer.trie()), row_(row) {}

  void ReadWhole(SetId set, const std::vector<int32_t>& tokens) {
    for (int32_t token : tokens) {
      if (!IsInRow(token)) continue;
      const std::string_view text = tokenizer_.decoded_vocab()[static_cast<size_t>(token)];
      if (parser_.NextText(set, text) == kDeadSet) refused_.push_back(token);
    }
  }

  /// Reads the whole tree along what may become equal.
  void ReadTree(SetId set) {
    if (const auto taken = parser_.TakenStrings(set)) {
      TextWalk(trie_, *taken)
          .Run([this](uint32_t node) { RefuseBelow(node); },
               [&](uint32_t node, std::string_view before) {
                 const SetId from = parser_.NextText(set, before);
                 if (from != kDeadSet) Read(from, node);
               });
    } else if (auto item = TextOfItem(set)) {
      const ItemWalk walk = BeginWalk(set, std::move(*item));
      const NearBytes near(walk.text, walk.near);
      trie_.ForEachRoot(near.all.words, [&](uint32_t node) { Step(set, walk, near, node); });
      ReadWalks(set);
    } else {
      trie_.ForEachRoot(parser_.BytesTowardsEqual(set).words,
                        [&](uint32_t node) { Read(set, node); });
    }
    while (!parts_.empty()) {
      const Part part = parts_.back();
      parts_.pop_back();
      ReadPart(part);
    }
  }

  std::vector<int32_t> Take() { return std::move(refused_); }

 private:
  /// Sibling nodes [begin, end) and what is below, to be read from a set.
  struct Part {
    SetId set;
    uint32_t begin;
    uint32_t end;
  };

  bool IsInRow(int32_t token) const {
    return ((row_[static_cast<size_t>(token) >> 5] >> (token & 31)) & 1u) != 0;
  }
  uint8_t ByteOf(uint32_t node) const { return static_cast<uint8_t>(trie_.node(node).byte); }

  /// Along text without a choice the sets of the parser are few, and what they know of the values
  /// is known from the item before.
  bool IsForced(SetId set) const { return parser_.set(set).first.size() == 1; }
  std::optional<ItemText> TextOfItem(SetId set) {
    return IsForced(set) ? std::nullopt : parser_.TextOfItem(set);
  }

  void RefuseBelow(uint32_t node) {
    for (int32_t token : trie_.subtree_tokens(node)) {
      if (IsInRow(token)) refused_.push_back(token);
    }
  }

  void Read(SetId from, uint32_t node) {
    const SetId after = parser_.Next(from, ByteOf(node));
    if (after == kDeadSet) {
      RefuseBelow(node);
    } else {
      Defer(after, node);
    }
  }

  void Defer(SetId after, uint32_t node) {
    const uint32_t end = trie_.node(node).subtree_end;
    if (node + 1 < end) parts_.push_back({after, node + 1, end});
  }

  void ReadPart(const Part& part) {
    if (auto item = TextOfItem(part.set)) {
      ItemWalk walk = BeginWalk(part.set, std::move(*item));
      walk.begin = part.begin;
      walk.end = part.end;
      walks_.push_back(std::move(walk));
      ReadWalks(part.set);
      return;
    }
    const ByteSet bytes = parser_.BytesTowardsEqual(part.set);
    if (bytes.empty()) return;
    for (uint32_t node = part.begin; node < part.end; node = trie_.node(node).subtree_end) {
      if (bytes.Contains(ByteOf(node))) Read(part.set, node);
    }
  }

  ItemWalk BeginWalk(SetId set, ItemText item) const {
    return {
        parser_.set(set).mask_set, "", std::move(item.text), std::move(item.near), nullptr, 0, 0};
  }

  void ReadWalks(SetId from) {
    while (!walks_.empty()) {
      const ItemWalk walk = std::move(walks_.back());
      walks_.pop_back();
      const auto bytes = walk.bytes != nullptr
                             ? walk.bytes
                             : std::make_shared<const NearBytes>(walk.text, walk.near);
      const NearBytes& near = *bytes;
      if (near.all.empty()) continue;
      for (uint32_t node = walk.begin; node < walk.end; node = trie_.node(node).subtree_end) {
        if (near.all.Contains(ByteOf(node))) Step(from, walk, near, node);
      }
    }
  }

  /// One step of a walk that began at a set of the parser.
  void Step(SetId from, const ItemWalk& walk, const NearBytes& near, uint32_t node) {
    const SetId after = parser_.Next(walk.set, ByteOf(node));
    if (after == kDeadSet) return;  // No token below is in the row.
    ItemWalk to = near.After(walk, after, ByteOf(node));
    const bool has_ended = ValuePrefix(to.text).HasEnded();
    const bool leaves = has_ended || IsForced(after);
    if (leaves || !LeadsElsewhere(&parser_, &to)) {
      const SetId exact = parser_.NextText(from, to.path);
      if (exact == kDeadSet) return RefuseBelow(node);
      if (leaves) return Defer(exact, node);
    }
    to.begin = node + 1;
    to.end = trie_.node(node).subtree_end;
    if (to.begin < to.end) walks_.push_back(std::move(to));
  }

  Parser& parser_;
  const TokenizerInfo& tokenizer_;
  const TokenTrie& trie_;
  const std::span<const uint32_t> row_;
  std::vector<int32_t> refused_;
  std::vector<Part> parts_;
  std::vector<ItemWalk> walks_;
};

}  // namespace

std::vector<int32_t> DistinctFilter::RefusedTokens(SetId set, std::span<const uint32_t> row) const {
  RefusalWalk walk(&parser_, tokenizer_, row);
  if (!parser_.set(set).compares) {
    walk.ReadWhole(set, spanning_.opening);
    return walk.Take();
  }
  const SpanningTokens::Kinds& kinds =
      parser_.IsInString(set) ? spanning_.in_string : spanning_.outside;
  const Parser::ItemVariety variety = parser_.VarietyOfItems(set);
  walk.ReadWhole(set, kinds.other);
  if (!variety.has_endless_strings) walk.ReadWhole(set, kinds.to_strings);
  if (!variety.is_endless) walk.ReadWhole(set, kinds.ending);
  walk.ReadTree(set);
  return walk.Take();
}

}  // namespace xgrammar
