// Parser of regular expressions: one pass with an explicit stack of open groups.
//
// Flags are resolved here (a letter under `i` becomes a class, `.` the class it stands for), group
// names are checked and dropped, and lazy quantifiers are read as plain ones, because none of these
// is visible in the language afterwards.
#include "frontend/regex/parser.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "frontend/regex/escape.h"
#include "frontend/regex/reader.h"
#include "support/error.h"
#include "support/utf8.h"
#include "unicode/property.h"

namespace xgrammar {

namespace {

using Dot = RegexOptions::Dot;

bool IsDigit(uint32_t c) { return c >= '0' && c <= '9'; }
bool IsAsciiLetter(uint32_t c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool StartsQuantifier(uint32_t c) { return c == '*' || c == '+' || c == '?' || c == '{'; }

CodePointSet DotSet(Dot dot) {
  switch (dot) {
    case Dot::kAny:
      return CodePointSet::All();
    case Dot::kNotLineEnd:
      return CodePointSet({{0x0A, 0x0A}, {0x0D, 0x0D}, {0x2028, 0x2029}}).Complement();
    case Dot::kNotNewline:
      return CodePointSet::Single(0x0A).Complement();
  }
  return CodePointSet::All();
}

bool HasUnicodeProperty(const char* name, uint32_t c) {
  const auto ranges = FindUnicodeProperty(name, {});
  return ranges && std::any_of(ranges->begin(), ranges->end(),
                               [c](const UnicodeRange& r) { return r.lo <= c && c <= r.hi; });
}

bool IsNameCharacter(uint32_t c, bool first) {
  if (c < 0x80) return IsAsciiLetter(c) || c == '_' || c == '$' || (!first && IsDigit(c));
  if (c > kMaxCodePoint) return false;
  return HasUnicodeProperty(first ? "ID_Start" : "ID_Continue", c) ||
         (!first && (c == 0x200C || c == 0x200D));
}

class Parser {
 public:
  Parser(std::string_view pattern, const RegexOptions& options, const Limits& limits)
      : reader_(pattern), limits_(limits), ast_(limits) {
    flags_.ignore_case = options.ignore_case;
    flags_.dot = options.dot;
    // Without `s` the dot means what the caller chose, and where the caller chose "any", what
    // ECMA-262 says.
    takes_lookbehind_ = options.takes_lookbehind;
    takes_letter_anchors_ = options.takes_letter_anchors;
    repeats_lookahead_ = options.repeats_lookahead;
    dot_without_s_ = options.dot == Dot::kAny ? Dot::kNotLineEnd : options.dot;
  }

  RegexAst Run() {
    frames_.emplace_back();
    while (!reader_.AtEnd()) {
      switch (reader_.Peek()) {
        case '(':
          OpenGroup();
          break;
        case ')':
          CloseGroup();
          break;
        case '|':
          reader_.Next();
          EndAlternative();
          break;
        default:
          ReadTerm();
      }
    }
    if (frames_.size() > 1) reader_.Fail(frames_.back().position, "the group is not closed");
    ast_.set_root(EndFrame());
    return std::move(ast_);
  }

 private:
  struct Flags {
    bool ignore_case = false;
    Dot dot = Dot::kAny;
  };
  struct Frame {
    std::optional<RegexNodeKind> assertion;  ///< None for a plain group.
    size_t position = 0;
    Flags outer_flags;
    std::vector<RegexNodeId> alternatives;
    std::vector<RegexNodeId> sequence;
    std::set<std::string> names;       ///< Of the alternatives that are done.
    std::set<std::string> names_here;  ///< Of the current alternative.
  };

  // Groups.

  void PushFrame(std::optional<RegexNodeKind> assertion, size_t position) {
    const auto depth = static_cast<int64_t>(frames_.size());
    if (depth > limits_.max_nesting)
      ThrowLimitError("max_nesting", depth, limits_.max_nesting, "regex");
    Frame& frame = frames_.emplace_back();
    frame.assertion = assertion;
    frame.position = position;
    frame.outer_flags = flags_;
  }

  void OpenGroup() {
    const size_t position = reader_.position();
    reader_.Next();
    if (!reader_.Accept('?')) return PushFrame(std::nullopt, position);
    if (reader_.Accept(':')) return PushFrame(std::nullopt, position);
    if (reader_.Accept('=')) return PushFrame(RegexNodeKind::kLookahead, position);
    if (reader_.Accept('!')) return PushFrame(RegexNodeKind::kNegativeLookahead, position);
    if (reader_.Accept("<=")) return OpenLookbehind(RegexNodeKind::kLookbehind, position);
    if (reader_.Accept("<!")) return OpenLookbehind(RegexNodeKind::kNegativeLookbehind, position);
    if (reader_.Accept('<') || reader_.Accept("P<")) {
      std::string name = ReadGroupName(position);
      if (!frames_.back().names_here.insert(name).second) {
        reader_.Fail(position, "the group name " + QuoteForMessage(name) + " is used twice");
      }
      return PushFrame(std::nullopt, position);
    }
    RefuseForeignGroup(position);
    ReadFlags(position);
  }

  void OpenLookbehind(RegexNodeKind kind, size_t position) {
    if (!takes_lookbehind_)
      reader_.Refuse(position, "look-behind assertions are",
                     "state the condition on the text itself");
    PushFrame(kind, position);
  }

  void RefuseForeignGroup(size_t position) const {
    const uint32_t c = reader_.Peek();
    if (c == '>') reader_.Refuse(position, "atomic groups are", "use (?:...)");
    if (c == '#') reader_.Refuse(position, "comments in patterns are", "leave the comment out");
    if (c == '|') reader_.Refuse(position, "branch reset groups are", "use (?:...)");
    if (c == '(') reader_.Refuse(position, "conditional groups are", "use alternatives");
    if (c == 'P' && reader_.Peek(1) == '=') {
      reader_.Refuse(position, "back-references are", "repeat the group's pattern instead");
    }
    if (c == 'R' || c == '&' || c == '+' || c == 'P' || IsDigit(c) ||
        (c == '-' && IsDigit(reader_.Peek(1)))) {
      reader_.Refuse(position, "recursion into groups is", "use a grammar with rules");
    }
  }

  std::string ReadGroupName(size_t position) {
    std::string name;
    while (!reader_.Accept('>')) {
      const uint32_t c = reader_.Peek();
      if (reader_.AtEnd() || !IsNameCharacter(c, name.empty())) {
        reader_.Fail(position, "the group name is not an identifier followed by '>'");
      }
      AppendUtf8(reader_.Next(), &name);
    }
    if (name.empty()) reader_.Fail(position, "the group name is empty");
    return name;
  }

  /// `(?i)`, `(?-s)`: to the end of the enclosing group; `(?i:...)`: for that group.
  void ReadFlags(size_t position) {
    Flags flags = flags_;
    bool on = true;
    while (reader_.Peek() != ')' && reader_.Peek() != ':') {
      const uint32_t c = reader_.Peek();
      if (c == 'i') {
        flags.ignore_case = on;
      } else if (c == 's') {
        flags.dot = on ? Dot::kAny : dot_without_s_;
      } else if (c == '-' && on) {
        on = false;
      } else if (c == 'm' || c == 'x') {
        reader_.Refuse(position, "the inline flags m and x are", "only i, s and u can be set");
      } else if (c != 'u') {
        reader_.Fail(position, "unknown group or flag after (?");
      }
      reader_.Next();
    }
    if (reader_.Peek(static_cast<size_t>(0)) == ')' && reader_.position() == position + 2) {
      reader_.Fail(position, "(?) is not a group");
    }
    const bool whole_group = reader_.Next() == ':';
    if (whole_group) PushFrame(std::nullopt, position);
    flags_ = flags;
    if (!whole_group && StartsQuantifier(reader_.Peek())) {
      reader_.Fail(reader_.position(), "nothing to repeat");
    }
  }

  void CloseGroup() {
    if (frames_.size() == 1) reader_.Fail(reader_.position(), "unmatched ')'");
    reader_.Next();
    const std::optional<RegexNodeKind> assertion = frames_.back().assertion;
    flags_ = frames_.back().outer_flags;
    const size_t position = frames_.back().position;
    const RegexNodeId body = EndFrame();
    std::set<std::string> names = std::move(frames_.back().names);
    frames_.pop_back();
    PassNamesUp(std::move(names), position);
    if (!assertion) return ReadQuantifier(body, true);
    ReadQuantifier(ast_.AddLookaround(*assertion, body),
                   repeats_lookahead_ && IsLookahead(*assertion));
  }

  /// Names may be used again in other alternatives, never in the same one.
  void PassNamesUp(std::set<std::string> names, size_t position) {
    std::set<std::string>& outer = frames_.back().names_here;
    if (outer.size() < names.size()) outer.swap(names);
    outer.merge(names);
    if (!names.empty()) {
      reader_.Fail(position,
                   "the group name " + QuoteForMessage(*names.begin()) + " is used twice");
    }
  }

  void EndAlternative() {
    Frame& frame = frames_.back();
    frame.alternatives.push_back(ast_.AddSequence(frame.sequence));
    frame.sequence.clear();
    frame.names.merge(frame.names_here);
    frame.names_here.clear();
  }

  RegexNodeId EndFrame() {
    EndAlternative();
    return ast_.AddChoice(frames_.back().alternatives);
  }

  // Terms.

  void ReadTerm() {
    const size_t position = reader_.position();
    const uint32_t c = reader_.Peek();
    if (c == '\\') return ReadEscapedTerm();
    if (c == '[')
      return ReadQuantifier(ast_.AddClass(ReadRegexClass(&reader_, flags_.ignore_case)), true);
    if (c == '{')
      reader_.Fail(position, "a quantifier has nothing to repeat; a literal brace is written \\{");
    if (StartsQuantifier(c)) reader_.Fail(position, "nothing to repeat");
    reader_.Next();
    if (c == '^') return ReadQuantifier(ast_.AddAssertion(RegexNodeKind::kTextStart), false);
    if (c == '$') return ReadQuantifier(ast_.AddAssertion(RegexNodeKind::kTextEnd), false);
    if (c == '.') return ReadQuantifier(ast_.AddClass(DotSet(flags_.dot)), true);
    ReadQuantifier(AddCharacter(c), true);
  }

  void ReadEscapedTerm() {
    const size_t position = reader_.position();
    const RegexEscape escape = ReadRegexEscape(&reader_, false, flags_.ignore_case);
    const bool is_anchor =
        escape.kind == RegexEscape::Kind::kTextStart || escape.kind == RegexEscape::Kind::kTextEnd;
    if (is_anchor && !takes_letter_anchors_) {
      reader_.Fail(position,
                   "ECMA-262 has no such anchor; ^ and $ are the start and the end of the text");
    }
    switch (escape.kind) {
      case RegexEscape::Kind::kChar:
        return ReadQuantifier(AddCharacter(escape.code_point), true);
      case RegexEscape::Kind::kSet:
        return ReadQuantifier(ast_.AddClass(escape.set), true);
      case RegexEscape::Kind::kTextStart:
        return ReadQuantifier(ast_.AddAssertion(RegexNodeKind::kTextStart), false);
      case RegexEscape::Kind::kTextEnd:
        return ReadQuantifier(ast_.AddAssertion(RegexNodeKind::kTextEnd), false);
      case RegexEscape::Kind::kWordBoundary:
        return ReadQuantifier(ast_.AddAssertion(RegexNodeKind::kWordBoundary), false);
      case RegexEscape::Kind::kNotWordBoundary:
        return ReadQuantifier(ast_.AddAssertion(RegexNodeKind::kNotWordBoundary), false);
    }
  }

  RegexNodeId AddCharacter(uint32_t c) {
    const bool surrogate = c >= kSurrogateFirst && c <= kSurrogateLast;
    if (!surrogate && !(flags_.ignore_case && IsAsciiLetter(c))) return ast_.AddChar(c);
    const CodePointSet set = CodePointSet::Single(c);  // Empty for a surrogate.
    return ast_.AddClass(FoldAsciiCase(set));
  }

  // Quantifiers.

  /// Appends the node to the sequence, with the quantifier that follows it.
  void ReadQuantifier(RegexNodeId node, bool repeatable) {
    const size_t position = reader_.position();
    int64_t min = 1;
    int64_t max = 1;
    if (!ReadBounds(&min, &max)) {
      frames_.back().sequence.push_back(node);
      return;
    }
    if (!repeatable) reader_.Fail(position, "nothing to repeat: an assertion cannot be repeated");
    if (max >= 0 && max < min)
      reader_.Fail(position, "the bounds of the quantifier are out of order");
    if (reader_.Peek() == '+') {
      reader_.Refuse(reader_.position(),
                     "possessive quantifiers and a quantifier after a quantifier are",
                     "put the repeated part into a group");
    }
    reader_.Accept('?');
    if (StartsQuantifier(reader_.Peek())) {
      reader_.Fail(reader_.position(),
                   "a quantifier cannot follow a quantifier; put the repeated part into a group");
    }
    // Asserted once or more is the same.
    if (IsLookahead(ast_.kind(node))) {
      frames_.back().sequence.push_back(min == 0 ? ast_.AddEmpty() : node);
    } else {
      frames_.back().sequence.push_back(ast_.AddRepeat(node, min, max));
    }
  }

  bool ReadBounds(int64_t* min, int64_t* max) {
    const size_t position = reader_.position();
    if (reader_.Accept('*')) {
      *min = 0;
      *max = -1;
    } else if (reader_.Accept('+')) {
      *max = -1;
    } else if (reader_.Accept('?')) {
      *min = 0;
    } else if (reader_.Accept('{')) {
      *min = ReadCount(position);
      *max = *min;
      if (reader_.Accept(',')) *max = reader_.Peek() == '}' ? -1 : ReadCount(position);
      if (!reader_.Accept('}')) FailBraces(position);
    } else {
      return false;
    }
    return true;
  }

  /// Saturates: AddRepeat compares with Limits::max_repeat.
  int64_t ReadCount(size_t position) {
    if (!IsDigit(reader_.Peek())) FailBraces(position);
    int64_t value = 0;
    while (IsDigit(reader_.Peek())) {
      const auto digit = static_cast<int64_t>(reader_.Next() - '0');
      if (value < std::numeric_limits<int64_t>::max() / 16) value = value * 10 + digit;
    }
    return value;
  }

  [[noreturn]] void FailBraces(size_t position) const {
    reader_.Fail(position, "expected {m}, {m,} or {m,n}; a literal brace is written \\{");
  }

  RegexReader reader_;
  const Limits& limits_;
  RegexAst ast_;
  Flags flags_;
  Dot dot_without_s_ = Dot::kNotLineEnd;
  bool takes_lookbehind_ = true;
  bool takes_letter_anchors_ = true;
  bool repeats_lookahead_ = true;
  std::vector<Frame> frames_;
};

}  // namespace

RegexAst ParseRegex(std::string_view pattern, const RegexOptions& options, const Limits& limits) {
  const auto bytes = static_cast<int64_t>(pattern.size());
  if (bytes > limits.max_source_bytes) {
    ThrowLimitError("max_source_bytes", bytes, limits.max_source_bytes, "regex");
  }
  return Parser(pattern, options, limits).Run();
}

}  // namespace xgrammar
