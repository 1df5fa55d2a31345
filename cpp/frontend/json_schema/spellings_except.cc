// All spellings of all strings but some names (RFC 8259, section 7).
//
// Excluded names are a trie in which every character is followed by each of its spellings,
// surrogate pairs included, so that no spelling of a name slips through.
#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "frontend/json_schema/exclusion_rows.h"
#include "frontend/json_schema/json_escapes.h"
#include "frontend/json_schema/string_spelling.h"
#include "support/utf8.h"
#include "support/work_meter.h"

namespace xgrammar::json_schema {

namespace {

/// Builds SpellingsExcept: a trie of the names, in which each character is followed by every
/// spelling of it. States are numbered and written in the order in which edges lead to them, which
/// is the order of a finished machine.
class ExclusionBuilder {
 public:
  explicit ExclusionBuilder(const std::vector<std::string_view>& names) : names_(names) {
    std::sort(names_.begin(), names_.end());
    shared_.fill(-1);
  }

  CodePointDfa Build() {
    Lead({Kind::kNode, 0, names_.size(), 0});
    for (size_t i = 0; i < tasks_.size(); ++i) {
      CountWork("spelling names");
      table_.EndState(Write(tasks_[i]));
    }
    return CodePointDfa::FromNumbered(std::move(table_));
  }

 private:
  enum class Kind : uint8_t { kNode, kNameEnd, kEscape, kHex, kPair, kOther, kOtherEscape };
  // A state to be written. Ranges are of names for nodes, of `children_` for escapes, of `units_`
  // for hexadecimal digits and pairs. `count` is the bytes that a node has read, the digits left
  // for kHex, and for kOtherEscape the first of units that only digits lead to, if there are any.
  struct Task {
    Kind kind;
    size_t first;
    size_t end;
    size_t count;
  };
  // The state behind a code point; -1 until an edge leads to it.
  struct Child {
    uint32_t value;
    int32_t state;
    Task task;
  };
  // Four digits: those of a child, or of a high surrogate that low ones of `units_` may follow.
  struct Unit {
    uint32_t value;
    size_t child;
    size_t first_low;
    size_t end_low;
  };
  // States that are led to from all over: strings that are no name any more.
  enum Shared : size_t { kSharedOther, kSharedEscape, kSharedNameEnd, kSharedHex };

  int32_t Lead(const Task& task) {
    tasks_.push_back(task);
    return static_cast<int32_t>(tasks_.size() - 1);
  }

  int32_t LeadShared(size_t which, const Task& task) {
    if (shared_[which] < 0) shared_[which] = Lead(task);
    return shared_[which];
  }
  int32_t Other() { return LeadShared(kSharedOther, {Kind::kOther, 0, 0, 0}); }
  int32_t OtherEscape() { return LeadShared(kSharedEscape, {Kind::kOtherEscape, 0, 0, 0}); }
  int32_t OtherHex(size_t digits_left) {
    if (digits_left == 0) return Other();
    return LeadShared(kSharedHex + digits_left - 1, {Kind::kHex, 0, 0, digits_left});
  }
  int32_t LeadChild(size_t index) {
    Child& child = children_[index];
    if (child.state >= 0) return child.state;
    // Names that end here and do not go on are all alike.
    child.state = child.task.kind == Kind::kNameEnd ? LeadShared(kSharedNameEnd, child.task)
                                                    : Lead(child.task);
    return children_[index].state;
  }

  // Writes the edges; returns whether the state accepts.
  bool Write(const Task task) {
    switch (task.kind) {
      case Kind::kNode:
        return WriteNode(task);
      case Kind::kNameEnd:
      case Kind::kOther:
        WriteRaw(0, 0, [&] { return OtherEscape(); });
        return task.kind == Kind::kOther;
      case Kind::kEscape: {
        WriteEscape(task.first, task.end);
        const auto [first, end] = MakeUnits(task.first, task.end);
        AddEdge('u', 'u', Lead({Kind::kHex, first, end, 4}));
        return false;
      }
      case Kind::kHex:
        WriteHex(task);
        return false;
      case Kind::kPair:  // After an escaped high surrogate: alone it is no character of any name.
        WriteRaw(0, 0, [&] { return Lead({Kind::kOtherEscape, task.first, task.end, 0}); });
        return true;
      case Kind::kOtherEscape:
        WriteEscape(0, 0);
        AddEdge('u', 'u',
                task.first == task.end ? OtherHex(4) : Lead({Kind::kHex, task.first, task.end, 4}));
        return false;
    }
    return false;
  }

  void AddEdge(uint32_t lo, uint32_t hi, int32_t target) { table_.AppendEdge(lo, hi, target); }

  bool WriteNode(const Task& task) {
    size_t i = task.first;
    while (i < task.end && names_[i].size() == task.count) ++i;
    const bool is_name = i > task.first;
    const size_t first_child = children_.size();
    while (i < task.end) {
      const DecodedCodePoint decoded = DecodeUtf8(names_[i], task.count);
      const std::string_view character = names_[i].substr(task.count, decoded.size);
      const size_t first = i;
      while (i < task.end && names_[i].substr(task.count, decoded.size) == character) ++i;
      const size_t read = task.count + decoded.size;
      // The last name in order is the longest.
      const bool is_end = names_[i - 1].size() == read;
      children_.push_back(
          {decoded.code_point, -1, {is_end ? Kind::kNameEnd : Kind::kNode, first, i, read}});
    }
    const size_t end_child = children_.size();
    WriteRaw(first_child, end_child, [&] {
      return first_child == end_child ? OtherEscape()
                                      : Lead({Kind::kEscape, first_child, end_child, 0});
    });
    return !is_name;
  }

  // Raw characters: to the child if there is one, else to the state for all other strings.
  template <typename LeadEscape>
  void WriteRaw(size_t child, size_t end_child, const LeadEscape& lead_escape) {
    for (const CodePointRange& range : kRawRanges) {
      if (range.lo == '\\' + 1) AddEdge('\\', '\\', lead_escape());
      uint32_t next = range.lo;
      while (child < end_child && children_[child].value < range.lo) ++child;
      for (; child < end_child && children_[child].value <= range.hi; ++child) {
        const uint32_t value = children_[child].value;
        if (value > next) AddEdge(next, value - 1, Other());
        AddEdge(value, value, LeadChild(child));
        next = value + 1;
      }
      if (next <= range.hi) AddEdge(next, range.hi, Other());
    }
  }

  // Escapes of one letter.
  void WriteEscape(size_t first_child, size_t end_child) {
    constexpr std::array<ShortEscape, 8> kSorted = {{{'"', '"'},
                                                     {'/', '/'},
                                                     {'\\', '\\'},
                                                     {'b', 8},
                                                     {'f', 12},
                                                     {'n', 10},
                                                     {'r', 13},
                                                     {'t', 9}}};
    for (const ShortEscape& escape : kSorted) {
      size_t child = first_child;
      while (child < end_child && children_[child].value < escape.code_point) ++child;
      const bool is_child = child < end_child && children_[child].value == escape.code_point;
      const auto letter = static_cast<uint32_t>(escape.letter);
      AddEdge(letter, letter, is_child ? LeadChild(child) : Other());
    }
  }

  // The code units that lead to children, sorted.
  std::pair<size_t, size_t> MakeUnits(size_t first_child, size_t end_child) {
    std::vector<Unit> units;
    for (size_t child = first_child; child < end_child; ++child) {
      const uint32_t value = children_[child].value;
      if (value < 0x10000) {
        units.push_back({value, child, 0, 0});
        continue;
      }
      const uint32_t high = kSurrogateFirst + ((value - 0x10000) >> 10);
      const uint32_t low = 0xDC00 + ((value - 0x10000) & 0x3FF);
      if (units.empty() || units.back().value != high)
        units.push_back({high, child, units_.size(), units_.size()});
      units_.push_back({low, child, 0, 0});
      units.back().end_low = units_.size();
    }
    std::sort(units.begin(), units.end(),
              [](const Unit& a, const Unit& b) { return a.value < b.value; });
    const size_t first = units_.size();
    units_.insert(units_.end(), units.begin(), units.end());
    return {first, units_.size()};
  }

  int32_t LeadUnit(size_t index) {
    const Unit& unit = units_[index];
    if (unit.first_low == unit.end_low) return LeadChild(unit.child);
    return Lead({Kind::kPair, unit.first_low, unit.end_low, 0});
  }

  // One hexadecimal digit in either case.
  void WriteHex(const Task& task) {
    struct Digit {
      uint32_t value;
      size_t first;
      size_t end;
      int32_t state;
    };
    std::array<Digit, 16> digits;
    size_t num_digits = 0;
    const size_t shift = (task.count - 1) * 4;
    for (size_t i = task.first; i < task.end; ++i) {
      const uint32_t value = (units_[i].value >> shift) & 15;
      if (num_digits == 0 || digits[num_digits - 1].value != value)
        digits[num_digits++] = {value, i, i, -1};
      digits[num_digits - 1].end = i + 1;
    }
    const auto write = [&](uint32_t zero, uint32_t from, uint32_t to) {
      uint32_t next = from;
      for (size_t i = 0; i < num_digits; ++i) {
        Digit& digit = digits[i];
        if (digit.value < from || digit.value > to) continue;
        if (digit.value > next)
          AddEdge(zero + next, zero + digit.value - 1, OtherHex(task.count - 1));
        if (digit.state < 0) {
          digit.state = task.count == 1
                            ? LeadUnit(digit.first)
                            : Lead({Kind::kHex, digit.first, digit.end, task.count - 1});
        }
        AddEdge(zero + digit.value, zero + digit.value, digit.state);
        next = digit.value + 1;
      }
      if (next <= to) AddEdge(zero + next, zero + to, OtherHex(task.count - 1));
    };
    write('0', 0, 9);
    write('A' - 10, 10, 15);
    write('a' - 10, 10, 15);
  }

  std::vector<std::string_view> names_;
  std::vector<Task> tasks_;      ///< By state.
  std::vector<Child> children_;  ///< Of all nodes, by code point.
  std::vector<Unit> units_;
  DfaTable table_;
  std::array<int32_t, kSharedHex + 4> shared_;  ///< By `Shared`; -1 until an edge leads there.
};

}  // namespace

CodePointDfa SpellingsExcept(const std::vector<std::string_view>& names) {
  return ExclusionBuilder(names).Build();
}

int64_t NumBeginnings(const std::vector<std::string_view>& names) {
  int64_t count = 1;
  std::string_view before;
  for (const std::string_view name : names) {
    const auto [here, there] = std::ranges::mismatch(name, before);
    count += name.end() - here;
    before = name;
  }
  return count;
}

LateAutomatonPtr SpellingsExceptLater(const std::vector<std::string_view>& names) {
  constexpr int64_t kSmallNodes = 8;  // Such automata are made in a few microseconds.
  constexpr int64_t kNodeSize = 64;   // States and edges for one byte of a name and its escapes.
  const int64_t num_nodes = NumBeginnings(names);
  size_t longest = 0;
  for (const std::string_view name : names)
    longest = std::max(longest, static_cast<size_t>(CountCodePoints(name)));
  if (static_cast<int64_t>(longest) < kSmallNodes) return nullptr;
  const auto kept = std::make_shared<const std::vector<std::string>>(names.begin(), names.end());
  LateAutomaton::Source source;
  source.make = [kept]() -> CodePointDfaPtr {
    return std::make_shared<const CodePointDfa>(SpellingsExcept({kept->begin(), kept->end()}));
  };
  source.make_rows = [kept](std::string_view prefix, std::string_view suffix) {
    return ExclusionRows::Make(prefix, *kept, suffix);
  };
  source.name = "keys";
  for (const std::string_view name : names)
    source.name.append(" ").append(std::to_string(name.size())).append(":").append(name);
  const bool accepts_empty = !names.front().empty();
  return std::make_shared<const LateAutomaton>(std::move(source), accepts_empty,
                                               kNodeSize * (num_nodes + 1));
}

}  // namespace xgrammar::json_schema
