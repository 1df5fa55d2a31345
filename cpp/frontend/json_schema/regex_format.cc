// The subset is put together from the automata of its flat parts (one character class, one
// quantifier), with one copy for each depth of nesting: a pushdown automaton with a bounded stack.
//
// Source: ECMA-262, Patterns (syntax and early errors). Left out: named groups, back-references,
// `\0`, escaped surrogates, `{n,m}` with m < n as far as it would need long numbers to be compared,
// class ranges between neighbouring characters above U+007F.
#include "frontend/json_schema/regex_format.h"

#include <string>

#include "frontend/regex/parser.h"
#include "support/error.h"

namespace xgrammar::json_schema {

namespace {

using Text = std::string;

constexpr int kMaxDepth = 3;
constexpr int kLookAroundDepth = 0;  // Groups inside a look-around.

Text Group(const Text& body) { return "(?:" + body + ")"; }

CodePointDfa FullMatch(const Text& regex) {
  RegexOptions options;
  options.dot = RegexOptions::Dot::kAny;
  return RegexToDfa(regex, options, Limits());
}

Text DigitsFrom(int first) { return "[" + std::to_string(first) + "-9]"; }

// `n,m` with n <= m: n of one or two digits, or m with more digits than n.
Text OrderedCounts() {
  Text out = "0,[0-9]+";
  for (int n = 1; n <= 99; ++n) {
    const int tens = n / 10;
    const int ones = n % 10;
    Text bound;
    if (tens == 0) {
      bound = DigitsFrom(ones) + "|[1-9][0-9]+";
    } else {
      bound = std::to_string(tens) + DigitsFrom(ones) + "|[1-9][0-9]{2,}";
      if (tens < 9) bound += "|" + DigitsFrom(tens + 1) + "[0-9]";
    }
    out += "|" + std::to_string(n) + "," + Group(bound);
  }
  for (int digits = 3; digits <= 9; ++digits) {
    const Text more = std::to_string(digits);
    out += "|[1-9][0-9]{" + std::to_string(digits - 1) + "},[1-9][0-9]{" + more + ",}";
  }
  return Group(out);
}

Text QuantifierRegex() { return "(?:[*+?]|\\{(?:[0-9]+,?|" + OrderedCounts() + ")\\})\\??"; }

Text HexDigit(int value) {
  if (value < 10) return std::to_string(value);
  const auto upper = static_cast<char>('A' + value - 10);
  const auto lower = static_cast<char>('a' + value - 10);
  return Text("[") + upper + lower + "]";
}

Text HexDigitsFrom(int first) {
  Text out = "[";
  for (int value = first; value < 16; ++value) {
    out += value < 10
               ? std::to_string(value)
               : Text(1, static_cast<char>('A' + value - 10)) + static_cast<char>('a' + value - 10);
  }
  return out + "]";
}

// Two escapes with the code point of the first not above that of the second, by their first digits.
Text HexRanges(const Text& prefix, int more_digits) {
  const Text any = "[0-9A-Fa-f]";
  const Text rest = any + "{" + std::to_string(more_digits) + "}";
  const Text tail = more_digits == 0 ? "" : rest;
  Text out;
  const auto add = [&](const Text& first, const Text& second) {
    if (!out.empty()) out += "|";
    out += prefix + first + tail + "-" + prefix + second + tail;
  };
  for (int high = 0; high < 16; ++high) {
    if (high < 15) add(HexDigit(high) + any, HexDigitsFrom(high + 1) + any);
    // Long escapes: the second digit is looked at in the common scripts only.
    constexpr int kCommonScripts = 4;
    if (more_digits > 0 && high >= kCommonScripts) continue;
    for (int low = 0; low < (more_digits == 0 ? 16 : 15); ++low) {
      const int least = more_digits == 0 ? low : low + 1;
      add(HexDigit(high) + HexDigit(low), HexDigit(high) + HexDigitsFrom(least));
    }
  }
  return out;
}

Text Literal(uint32_t code_point) {
  constexpr char kDigits[] = "0123456789abcdef";
  Text out = "\\u{";
  for (int shift = 20; shift >= 0; shift -= 4) out += kDigits[(code_point >> shift) & 15];
  return out + "}";
}

// Ranges between characters that stand for themselves.
Text RawRanges() {
  Text out;
  for (uint32_t first = 0x20; first < 0x7F; ++first) {
    if (first == '\\' || first == ']' || first == '-') continue;
    if (!out.empty()) out += "|";
    // The last character: any from `first` on but `\`, `]` and `-`.
    Text last = "[";
    uint32_t from = first;
    for (const uint32_t special : {uint32_t{'-'}, uint32_t{'\\'}, uint32_t{']'}}) {
      if (special < from) continue;
      if (special > from) last += Literal(from) + "-" + Literal(special - 1);
      from = special + 1;
    }
    last += Literal(from) + "-\\u{10ffff}]";
    out += Literal(first) + "-" + last;
  }
  // Above ASCII: the first characters of blocks and alphabets divide the code points; two
  // characters of different parts are in order.
  constexpr uint32_t kParts[] = {
      0x80,   0xA1,   0xC0,   0xE0,   0x100,  0x180,   0x250,   0x370,   0x391,  0x3AA,
      0x3B1,  0x3CA,  0x400,  0x410,  0x430,  0x44F,   0x500,   0x530,   0x590,  0x5D0,
      0x5EA,  0x600,  0x700,  0x900,  0xE00,  0xE80,   0x1000,  0x1E00,  0x2000, 0x2070,
      0x3000, 0x3041, 0x3096, 0x30A1, 0x30FA, 0x3400,  0x4E00,  0x9FA5,  0xA000, 0xAC00,
      0xD7A3, 0xF900, 0xFE00, 0xFF00, 0xFFFF, 0x10000, 0x20000, 0x10FFFF};
  constexpr size_t kNumParts = sizeof(kParts) / sizeof(kParts[0]);
  for (size_t i = 0; i + 1 < kNumParts; ++i) {
    out += "|[" + Literal(kParts[i]) + "-" + Literal(kParts[i + 1] - 1) + "]-[" +
           Literal(kParts[i + 1]) + "-\\u{10ffff}]";
  }
  return out;
}

Text SharedEscapes() {
  const Text hex = "[0-9A-Fa-f]";
  const Text category = "(?:L[ulmto]?|M[nce]?|N[dlo]?|P[cdseifo]?|S[mcko]?|Z[slp]?|C[cfson]?)";
  return "[dDsSwW]|[tnvfr]|c[A-Za-z]|x" + hex + "{2}|u(?:[0-9A-CEFa-cef]" + hex + "{3}|[dD][0-7]" +
         hex + "{2})|u\\{(?:0{0,4}" + hex + "{1,5}|0?10" + hex + "{4})\\}|[pP]\\{" + category +
         "\\}|[\\^$\\\\.*+?()\\[\\]{}|\\/]";
}

// From `[` to `]`. A `-` that makes no range stands first or last.
Text ClassRegex() {
  const Text escape = "\\\\(?:" + SharedEscapes() + "|[b\\-])";
  const Text single = Group("[^\\\\\\]\\-]|" + escape);
  const Text range = Group(RawRanges() + "|" + HexRanges("\\\\x", 0) + "|" + HexRanges("\\\\u", 2));
  return "\\[\\^?-?" + Group(range + "|" + single) + "*-?\\]";
}

// One atom without brackets.
Text SimpleAtomRegex() {
  return Group("[^\\^$\\\\.*+?()\\[\\]{}|]|\\.|\\\\" + Group(SharedEscapes()));
}

// A letter after a backslash that means nothing. The parser of patterns is more tolerant than
// ECMA-262 there.
bool HasUnknownEscape(std::string_view text) {
  for (size_t i = 0; i + 1 < text.size(); ++i) {
    if (text[i] != '\\') continue;
    const char escaped = text[++i];
    const bool is_letter = (escaped >= 'a' && escaped <= 'z') || (escaped >= 'A' && escaped <= 'Z');
    constexpr std::string_view kKnown = "dDsSwWbBtnvfrcxupPk";
    if (is_letter && kKnown.find(escaped) == std::string_view::npos) return true;
  }
  return false;
}

class NestingBuilder {
 public:
  NestingBuilder()
      : atom_(FullMatch(SimpleAtomRegex())),
        class_(FullMatch(ClassRegex())),
        quantifier_(FullMatch(QuantifierRegex())) {}

  CodePointDfa Build() {
    const int32_t start = nfa_.AddState();
    const int32_t accept = nfa_.AddState();
    AddLevel(kMaxDepth, true, start, accept);
    nfa_.SetAccept(accept);
    return Determinize(nfa_, Limits().max_dfa_states);
  }

 private:
  void Silent(int32_t from, int32_t to) {
    nfa_.AddSilentEdge(from, CodePointNfa::EdgeKind::kEpsilon, to);
  }

  // A copy of an automaton between two states.
  void Embed(const CodePointDfa& part, int32_t from, int32_t to) {
    const auto& states = part.states();
    std::vector<int32_t> copies;
    for (size_t i = 0; i < states.size(); ++i) copies.push_back(nfa_.AddState());
    Silent(from, copies[0]);
    for (size_t i = 0; i < states.size(); ++i) {
      for (const auto& edge : states[i].edges) {
        nfa_.AddEdge(copies[i], CodePointSet({{edge.lo, edge.hi}}),
                     copies[static_cast<size_t>(edge.target)]);
      }
      if (states[i].accept) Silent(copies[i], to);
    }
  }

  void EmbedText(const Text& text, int32_t from, int32_t to) {
    for (size_t i = 0; i < text.size(); ++i) {
      const int32_t next = i + 1 == text.size() ? to : nfa_.AddState();
      nfa_.AddEdge(from, CodePointSet::Single(static_cast<uint8_t>(text[i])), next);
      from = next;
    }
  }

  // Alternatives of terms, in which groups nest `depth` deep. Recursion is bounded by kMaxDepth.
  void AddLevel(int depth, bool has_look_around, int32_t from, int32_t to) {
    const int32_t loop = nfa_.AddState();
    const int32_t after_atom = nfa_.AddState();
    Silent(from, loop);
    Silent(loop, to);
    Silent(after_atom, loop);
    for (const char* const assertion : {"|", "^", "$", "\\b", "\\B"})
      EmbedText(assertion, loop, loop);
    Embed(atom_, loop, after_atom);
    Embed(class_, loop, after_atom);
    Embed(quantifier_, after_atom, loop);
    if (depth == 0) return;
    const int32_t open = nfa_.AddState();
    const int32_t inside = nfa_.AddState();
    EmbedText("(", loop, open);
    Silent(open, inside);
    EmbedText("?:", open, inside);
    const int32_t close = nfa_.AddState();
    AddLevel(depth - 1, false, inside, close);
    EmbedText(")", close, after_atom);
    if (!has_look_around) return;
    const int32_t looking = nfa_.AddState();
    for (const char* const kind : {"?=", "?!", "?<=", "?<!"}) EmbedText(kind, open, looking);
    const int32_t looked = nfa_.AddState();
    AddLevel(kLookAroundDepth, false, looking, looked);
    EmbedText(")", looked, loop);
  }

  CodePointNfa nfa_;
  const CodePointDfa atom_;
  const CodePointDfa class_;
  const CodePointDfa quantifier_;
};

}  // namespace

CodePointDfa RegexFormatToDfa() { return NestingBuilder().Build(); }

bool IsRegularExpression(std::string_view text) {
  if (HasUnknownEscape(text)) return false;
  try {
    ParseRegex(text, RegexOptions(), Limits());
    return true;
  } catch (const Error& error) {
    // What this library cannot match (look-behind, back-references) is a pattern all the same.
    return error.kind() != ErrorKind::kGrammarSyntax;
  }
}

}  // namespace xgrammar::json_schema
