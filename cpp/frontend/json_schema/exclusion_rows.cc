// ExclusionRows: the edges of a state from its number.
//
// Nodes are numbered name by name; node 0 is the empty beginning. Unlike the states of an
// automaton some numbers are led to from nowhere (names that do not go on need none within an
// escape), so their rows are never read.
#include "frontend/json_schema/exclusion_rows.h"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "automata/byte_dfa.h"
#include "automata/utf8_tree.h"
#include "frontend/json_schema/json_escapes.h"
#include "support/utf8.h"

namespace xgrammar::json_schema {

namespace {

constexpr uint32_t kMaxAscii = 0x7F;

/// The bytes of characters above U+007F, which all lead to one state.
struct WideCharacters {
  Utf8Tree tree;
  std::vector<Utf8Tree::Edge> lead_edges;

  WideCharacters() {
    constexpr std::array<Utf8Tree::LabelledRange, 2> kRanges = {
        {{kMaxAscii + 1, kSurrogateFirst - 1, 0}, {kSurrogateLast + 1, kMaxCodePoint, 0}}};
    lead_edges = tree.Add(kRanges);
  }
  static const WideCharacters& Get() {
    static const WideCharacters wide;
    return wide;
  }
};

bool IsAscii(const std::string& name) {
  return std::all_of(name.begin(), name.end(),
                     [](char c) { return static_cast<uint8_t>(c) <= kMaxAscii; });
}

bool IsRaw(uint8_t character) {
  return character >= kNumControls && character != '"' && character != '\\';
}

/// The escapes of one letter; the slash has one that is never needed.
template <typename Visit>
void ForEachShortEscape(Visit visit) {
  for (const ShortEscape& escape : kCanonicalEscapes) visit(escape);
  visit(ShortEscape{'/', '/'});
}

}  // namespace

// A row while it is written; later edges replace earlier ones.
class ExclusionRows::Row {
 public:
  Row(const ExclusionRows& rows, uint32_t* targets, ByteSet* first)
      : rows_(rows), targets_(targets), first_(*first) {
    std::fill_n(targets_, rows_.classes_.count, ByteDfa::kDead);
  }
  void Add(uint32_t lo, uint32_t hi, uint32_t target) {
    std::fill(targets_ + rows_.classes_.of[lo], targets_ + rows_.classes_.of[hi] + 1, target);
    first_.AddRange(static_cast<uint8_t>(lo), static_cast<uint8_t>(hi));
  }
  void Add(char c, uint32_t target) {
    Add(static_cast<uint8_t>(c), static_cast<uint8_t>(c), target);
  }
  /// A hexadecimal digit in either case.
  void AddDigit(uint32_t value, uint32_t target) {
    const char letter = HexLetter(value);
    Add(letter, target);
    if (value >= 10) Add(static_cast<char>(letter - 'a' + 'A'), target);
  }
  void AddAllDigits(uint32_t target) {
    Add('0', '9', target);
    Add('A', 'F', target);
    Add('a', 'f', target);
  }
  /// All characters that may stand as they are.
  void AddRaw(uint32_t escape, uint32_t target) {
    Add(kNumControls, '"' - 1, target);
    Add('"' + 1, '\\' - 1, target);
    Add('\\', escape);
    Add('\\' + 1, kMaxAscii, target);
    AddTree(WideCharacters::Get().lead_edges);
  }
  void AddTree(std::span<const Utf8Tree::Edge> edges) {
    for (const Utf8Tree::Edge& e : edges) {
      const bool ends = Utf8Tree::IsLabel(e.target);
      Add(e.lo, e.hi,
          ends ? rows_.OtherAt(kRead) : rows_.first_wide_state_ + static_cast<uint32_t>(e.target));
    }
  }

 private:
  const ExclusionRows& rows_;
  uint32_t* const targets_;
  ByteSet& first_;
};

std::unique_ptr<const RowsOnDemand> ExclusionRows::Make(std::string_view prefix,
                                                        const std::vector<std::string>& names,
                                                        std::string_view suffix) {
  const bool is_quoted = !prefix.empty() && !suffix.empty() && suffix[0] == '"';
  if (!is_quoted || names.empty() || !std::all_of(names.begin(), names.end(), IsAscii))
    return nullptr;
  return std::unique_ptr<const RowsOnDemand>(new ExclusionRows(prefix, names, suffix));
}

ExclusionRows::ExclusionRows(std::string_view prefix, std::vector<std::string> names,
                             std::string_view suffix)
    : prefix_(prefix),
      names_(std::move(names)),
      suffix_(suffix),
      machine_(static_cast<uint32_t>(prefix.size())) {
  common_.reserve(names_.size());
  first_node_.reserve(names_.size());
  uint32_t num_nodes = 1;
  std::string_view before;
  for (const std::string& name : names_) {
    const auto [here, there] = std::ranges::mismatch(name, before);
    common_.push_back(static_cast<uint32_t>(here - name.begin()));
    first_node_.push_back(num_nodes);
    num_nodes += static_cast<uint32_t>(name.end() - here);
    before = name;
  }
  first_suffix_state_ = machine_ + kNumShared + num_nodes * kNumPlaces;
  first_wide_state_ = first_suffix_state_ + static_cast<uint32_t>(suffix_.size());
  num_states_ = first_wide_state_ + static_cast<uint32_t>(WideCharacters::Get().tree.num_nodes());
  classes_ = FindClasses();
}

ByteClasses ExclusionRows::FindClasses() const {
  ByteSet bytes;
  const auto add_text = [&bytes](std::string_view text) {
    for (char c : text) bytes.Add(static_cast<uint8_t>(c));
  };
  for (const std::string& name : names_) add_text(name);
  const ByteSet characters = bytes;
  for (uint32_t c = 0; c <= kMaxAscii; ++c) {
    if (!characters.Contains(static_cast<uint8_t>(c))) continue;
    for (uint32_t value : {c >> 4, c & 15}) {
      const char digit = HexLetter(value);
      bytes.Add(static_cast<uint8_t>(digit));
      if (value >= 10) bytes.Add(static_cast<uint8_t>(digit - 'a' + 'A'));
    }
  }
  add_text(prefix_);
  add_text(suffix_);
  add_text("\"\\u0");  // The first two digits of each character are zeros.
  ForEachShortEscape(
      [&bytes](const ShortEscape& escape) { bytes.Add(static_cast<uint8_t>(escape.letter)); });
  ByteBoundaries boundaries;
  for (uint32_t b = 0; b < 256; ++b) {
    if (bytes.Contains(static_cast<uint8_t>(b))) boundaries.Add(b, b);
  }
  boundaries.Add('0', '9');
  boundaries.Add('A', 'F');
  boundaries.Add('a', 'f');
  boundaries.Add(kNumControls, kMaxAscii);
  const WideCharacters& wide = WideCharacters::Get();
  for (const Utf8Tree::Edge& e : wide.lead_edges) boundaries.Add(e.lo, e.hi);
  for (int32_t node = 0; node < wide.tree.num_nodes(); ++node) {
    for (const Utf8Tree::Edge& e : wide.tree.edges(node)) boundaries.Add(e.lo, e.hi);
  }
  return boundaries.Classes();
}

std::vector<uint8_t> ExclusionRows::StateFlags() const {
  std::vector<uint8_t> flags(num_states_, 0);
  flags[first_wide_state_ - 1] = kAccept | kFinal;
  return flags;
}

ExclusionRows::Node ExclusionRows::NodeOf(size_t name, size_t depth) const {
  Node node{name, name + 1, depth};
  while (node.end < names_.size() && common_[node.end] >= depth) ++node.end;
  return node;
}

template <typename Visit>
void ExclusionRows::ForEachChild(const Node& node, Visit visit) const {
  size_t name = node.first;
  while (name < node.end && names_[name].size() == node.depth) ++name;
  while (name < node.end) {
    const Node child = NodeOf(name, node.depth + 1);
    visit(child);
    name = child.end;
  }
}

uint32_t ExclusionRows::StateAt(const Node& node, Place place) const {
  const uint32_t number =
      node.depth == 0
          ? 0
          : first_node_[node.first] + static_cast<uint32_t>(node.depth) - common_[node.first] - 1;
  return machine_ + kNumShared + number * kNumPlaces + place;
}

uint32_t ExclusionRows::StateAfter(const Node& node) const {
  return IsLast(node) ? machine_ + kNameRead : StateAt(node, kRead);
}

void ExclusionRows::WriteRow(uint32_t state, uint32_t* targets, ByteSet* first) const {
  Row row(*this, targets, first);
  if (state < machine_) {
    // The start of the machine is node 0.
    row.Add(prefix_[state], state + 1 < machine_ ? state + 1 : StateAt({}, kRead));
  } else if (state >= first_wide_state_) {
    const auto node = static_cast<int32_t>(state - first_wide_state_);
    row.AddTree(WideCharacters::Get().tree.edges(node));
  } else if (state >= first_suffix_state_) {
    const uint32_t read = state + 1 - first_suffix_state_;
    if (read < suffix_.size()) row.Add(suffix_[read], state + 1);
  } else if (state < machine_ + kNumShared) {
    WriteShared(state - machine_, &row);
  } else {
    const uint32_t number = state - machine_ - kNumShared;
    WriteNode(number / kNumPlaces, static_cast<Place>(number % kNumPlaces), &row);
  }
}

void ExclusionRows::WriteShared(uint32_t number, Row* row) const {
  switch (number) {
    case kOther + kRead:
      row->AddRaw(OtherAt(kEscape), OtherAt(kRead));
      row->Add('"', first_suffix_state_);
      break;
    case kOther + kEscape:
      ForEachShortEscape(
          [&](const ShortEscape& escape) { row->Add(escape.letter, OtherAt(kRead)); });
      row->Add('u', OtherAt(kFourDigits));
      break;
    case kOther + kFourDigits:
    case kOther + kThreeDigits:
    case kOther + kTwoDigits:
      row->AddAllDigits(machine_ + number + 1);
      break;
    case kOther + kLastDigit:
      row->AddAllDigits(OtherAt(kRead));
      break;
    case kNameRead:
      row->AddRaw(OtherAt(kEscape), OtherAt(kRead));
      break;
    default:
      break;
  }
}

void ExclusionRows::WriteNode(uint32_t number, Place place, Row* row) const {
  Node node;
  if (number == 0) {
    node = {0, names_.size(), 0};
  } else {
    const auto after = std::upper_bound(first_node_.begin(), first_node_.end(), number);
    const auto name = static_cast<size_t>(after - first_node_.begin()) - 1;
    node = NodeOf(name, common_[name] + 1 + number - first_node_[name]);
  }
  switch (place) {
    case kRead:
      row->AddRaw(StateAt(node, kEscape), OtherAt(kRead));
      if (!IsName(node)) row->Add('"', first_suffix_state_);
      ForEachChild(node, [&](const Node& child) {
        if (IsRaw(Character(child))) row->Add(names_[child.first][node.depth], StateAfter(child));
      });
      break;
    case kEscape:
      ForEachShortEscape([&](const ShortEscape& escape) {
        row->Add(escape.letter, OtherAt(kRead));
        ForEachChild(node, [&](const Node& child) {
          if (Character(child) == escape.code_point) row->Add(escape.letter, StateAfter(child));
        });
      });
      row->Add('u', StateAt(node, kFourDigits));
      break;
    case kFourDigits:
      row->AddAllDigits(OtherAt(kThreeDigits));
      row->AddDigit(0, StateAt(node, kThreeDigits));
      break;
    case kThreeDigits:
      row->AddAllDigits(OtherAt(kTwoDigits));
      row->AddDigit(0, StateAt(node, kTwoDigits));
      break;
    case kTwoDigits: {
      row->AddAllDigits(OtherAt(kLastDigit));
      uint32_t before = kMaxAscii;
      ForEachChild(node, [&](const Node& child) {
        const uint32_t digit = Character(child) >> 4u;
        if (digit != before) row->AddDigit(digit, StateAt(child, kLastDigit));
        before = digit;
      });
      break;
    }
    case kLastDigit:
      WriteLastDigit(node, row);
      break;
  }
}

// The node is the first of those whose last characters have the digit before in common.
void ExclusionRows::WriteLastDigit(const Node& node, Row* row) const {
  row->AddAllDigits(OtherAt(kRead));
  if (node.depth == 0) return;
  const uint32_t digit = Character(node) >> 4u;
  Node sibling = node;
  while (true) {
    row->AddDigit(Character(sibling) & 15u, StateAfter(sibling));
    const size_t next = sibling.end;
    if (next >= names_.size() || common_[next] + 1 < node.depth) return;
    sibling = NodeOf(next, node.depth);
    if (Character(sibling) >> 4u != digit) return;
  }
}

int64_t ExclusionRows::MaxMemorySizeBytes() const {
  size_t names = 0;
  for (const std::string& name : names_) names += sizeof(name) + name.size() + 2 * sizeof(uint32_t);
  return static_cast<int64_t>(sizeof(*this) + names +
                              size_t{num_states_} * (kWordsOfFirstBytes + classes_.count) *
                                  sizeof(uint32_t));
}

}  // namespace xgrammar::json_schema
