// Random patterns: RegexToDfa and RegexToGrammar against a direct matcher of the syntax tree.
//
// The matcher follows the definition: a node matches from a position to a set of positions,
// assertions look at the text. It shares nothing with the code under test but the tree.
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "expectations.h"
#include "frontend/regex/parser.h"

namespace xgrammar {
namespace {

using Ends = std::set<size_t>;

bool IsWord(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

/// Texts are ASCII, so bytes are characters.
class TreeMatcher {
 public:
  TreeMatcher(const RegexAst& ast, const std::string& text) : ast_(ast), text_(text) {}

  Ends Match(RegexNodeId id, size_t at) const {
    const auto if_true = [at](bool holds) { return holds ? Ends{at} : Ends{}; };
    switch (ast_.kind(id)) {
      case RegexNodeKind::kEmpty:
        return {at};
      case RegexNodeKind::kChar:
        return MatchSet(CodePointSet::Single(ast_.code_point(id)), at);
      case RegexNodeKind::kClass:
        return MatchSet(ast_.set(id), at);
      case RegexNodeKind::kSequence: {
        Ends ends = {at};
        for (RegexNodeId part : ast_.children(id)) ends = MatchFromAll(part, ends);
        return ends;
      }
      case RegexNodeKind::kChoice: {
        Ends ends;
        for (RegexNodeId part : ast_.children(id)) ends.merge(Match(part, at));
        return ends;
      }
      case RegexNodeKind::kRepeat:
        return MatchRepeat(id, at);
      case RegexNodeKind::kTextStart:
        return if_true(at == 0);
      case RegexNodeKind::kTextEnd:
        return if_true(at == text_.size());
      case RegexNodeKind::kWordBoundary:
        return if_true(AtBoundary(at));
      case RegexNodeKind::kNotWordBoundary:
        return if_true(!AtBoundary(at));
      case RegexNodeKind::kLookahead:
        return if_true(!Match(ast_.child(id), at).empty());
      case RegexNodeKind::kNegativeLookahead:
        return if_true(Match(ast_.child(id), at).empty());
      case RegexNodeKind::kLookbehind:
        return if_true(MatchesBefore(ast_.child(id), at));
      case RegexNodeKind::kNegativeLookbehind:
        return if_true(!MatchesBefore(ast_.child(id), at));
    }
    return {};
  }

 private:
  bool MatchesBefore(RegexNodeId id, size_t at) const {
    for (size_t from = 0; from <= at; ++from) {
      if (Match(id, from).contains(at)) return true;
    }
    return false;
  }

  Ends MatchSet(const CodePointSet& set, size_t at) const {
    const bool matches = at < text_.size() && set.Contains(static_cast<unsigned char>(text_[at]));
    return matches ? Ends{at + 1} : Ends{};
  }

  Ends MatchFromAll(RegexNodeId id, const Ends& starts) const {
    Ends ends;
    for (size_t at : starts) ends.merge(Match(id, at));
    return ends;
  }

  Ends MatchRepeat(RegexNodeId id, size_t at) const {
    const int64_t max = ast_.repeat_max(id);
    Ends here = {at};
    Ends all;
    // More copies than characters plus the minimum reach nothing new.
    const int64_t last = ast_.repeat_min(id) + static_cast<int64_t>(text_.size()) + 1;
    for (int64_t copies = 0; copies <= last && (max < 0 || copies <= max) && !here.empty();
         ++copies) {
      if (copies >= ast_.repeat_min(id)) all.insert(here.begin(), here.end());
      here = MatchFromAll(ast_.child(id), here);
    }
    return all;
  }

  bool AtBoundary(size_t at) const {
    const bool before = at > 0 && IsWord(text_[at - 1]);
    const bool after = at < text_.size() && IsWord(text_[at]);
    return before != after;
  }

  const RegexAst& ast_;
  const std::string& text_;
};

/// Membership in a grammar without rule references, by the same method.
class GrammarMatcherForTest {
 public:
  GrammarMatcherForTest(const Grammar& grammar, const std::string& text)
      : grammar_(grammar), text_(text) {}

  bool Accepts() const {
    return Match(grammar_.rule(grammar_.root()).body, 0).contains(text_.size());
  }

 private:
  Ends Match(ExprId id, size_t at) const {
    switch (grammar_.kind(id)) {
      case ExprKind::kByteString:
        return text_.compare(at, grammar_.bytes(id).size(), grammar_.bytes(id)) == 0
                   ? Ends{at + grammar_.bytes(id).size()}
                   : Ends{};
      case ExprKind::kCharClass: {
        const CodePointSet set({grammar_.ranges(id).begin(), grammar_.ranges(id).end()});
        const bool matches =
            at < text_.size() && set.Contains(static_cast<unsigned char>(text_[at]));
        return matches ? Ends{at + 1} : Ends{};
      }
      case ExprKind::kSequence: {
        Ends ends = {at};
        for (ExprId part : grammar_.children(id)) ends = MatchFromAll(part, ends);
        return ends;
      }
      case ExprKind::kChoices: {
        Ends ends;
        for (ExprId part : grammar_.children(id)) ends.merge(Match(part, at));
        return ends;
      }
      case ExprKind::kRepeat: {
        Ends here = {at};
        Ends all;
        const int64_t min = grammar_.repeat_min(id);
        const int64_t max = grammar_.repeat_max(id);
        const int64_t last = min + static_cast<int64_t>(text_.size()) + 1;
        for (int64_t copies = 0; copies <= last && (max < 0 || copies <= max) && !here.empty();
             ++copies) {
          if (copies >= min) all.insert(here.begin(), here.end());
          here = MatchFromAll(grammar_.children(id)[0], here);
        }
        return all;
      }
      case ExprKind::kAutomaton: {
        Ends ends;
        for (size_t end = at; end <= text_.size(); ++end) {
          if (grammar_.automaton(id)->Accepts(text_.substr(at, end - at))) ends.insert(end);
        }
        return ends;
      }
      default:
        return {at};
    }
  }

  Ends MatchFromAll(ExprId id, const Ends& starts) const {
    Ends ends;
    for (size_t at : starts) ends.merge(Match(id, at));
    return ends;
  }

  const Grammar& grammar_;
  const std::string& text_;
};

class PatternGenerator {
 public:
  explicit PatternGenerator(uint32_t seed) : random_(seed) {}

  std::string Choice(int depth) {
    std::string out = Sequence(depth);
    while (Below(4) == 0) {
      out += '|';
      out += Sequence(depth);
    }
    return out;
  }

  std::string Text() {
    std::string out;
    for (size_t length = Below(6); length > 0; --length) out += "ab-"[Below(3)];
    return out;
  }

 private:
  size_t Below(size_t n) { return random_() % n; }

  std::string Sequence(int depth) {
    std::string out;
    for (size_t parts = Below(4); parts > 0; --parts) out += Term(depth);
    return out;
  }

  std::string Term(int depth) {
    if (Below(6) == 0) return Assertion(depth);
    static const char* const kQuantifiers[] = {"",    "",      "",     "*",      "+",   "?",
                                               "{2}", "{0,2}", "{1,}", "{2,3}?", "{0}", "{1,4}"};
    return Atom(depth) + kQuantifiers[Below(std::size(kQuantifiers))];
  }

  std::string Group(std::string out, int depth) {
    out += Choice(depth);
    out += ')';
    return out;
  }

  std::string Atom(int depth) {
    static const char* const kAtoms[] = {"a",    "b",   "-",   ".",     "[ab]",
                                         "[^a]", "\\w", "\\W", "(?i:A)"};
    if (depth > 0 && Below(3) == 0) return Group("(", depth - 1);
    return kAtoms[Below(std::size(kAtoms))];
  }

  std::string Assertion(int depth) {
    static const char* const kAssertions[] = {"^", "$", "\\b", "\\B"};
    static const char* const kLookarounds[] = {"(?=", "(?!", "(?<=", "(?<!"};
    if (depth > 0 && Below(3) == 0)
      return Group(kLookarounds[Below(std::size(kLookarounds))], depth - 1);
    return kAssertions[Below(std::size(kAssertions))];
  }

  std::mt19937 random_;
};

bool TreeAccepts(const RegexAst& ast, const std::string& text, bool search) {
  const TreeMatcher matcher(ast, text);
  if (!search) return matcher.Match(ast.root(), 0).contains(text.size());
  for (size_t at = 0; at <= text.size(); ++at) {
    if (!matcher.Match(ast.root(), at).empty()) return true;
  }
  return false;
}

void CheckPattern(const std::string& pattern, const RegexOptions& options,
                  PatternGenerator* generator, int* over_budget) {
  Limits limits;
  limits.max_dfa_states = 5000;  // A few patterns blow up; they need not do so for long.
  const bool search = options.match == RegexOptions::Match::kSearch;
  const RegexAst ast = ParseRegex(pattern, options, {});
  std::optional<CodePointDfa> dfa;
  try {
    dfa = RegexToDfa(pattern, options, limits);
  } catch (const Error& error) {
    ASSERT_EQ(error.kind(), ErrorKind::kLimit) << pattern << error.what();
    ++*over_budget;
    return;
  }
  GrammarPtr grammar;
  try {
    grammar = RegexToGrammar(pattern, options, limits);
  } catch (const Error& error) {
    ASSERT_EQ(error.kind(), ErrorKind::kUnsatisfiable) << pattern << error.what();
  }
  ASSERT_EQ(grammar == nullptr, dfa->IsEmpty()) << pattern;
  for (int i = 0; i < 30; ++i) {
    const std::string text = generator->Text();
    const bool expected = TreeAccepts(ast, text, search);
    ASSERT_EQ(dfa->Accepts(text), expected) << pattern << " on '" << text << "', search " << search;
    if (grammar == nullptr) continue;
    ASSERT_EQ(GrammarMatcherForTest(*grammar, text).Accepts(), expected)
        << pattern << " as a grammar on '" << text << "', search " << search;
  }
}

TEST(RegexRandomTest, AgreesWithTheTree) {
  PatternGenerator generator(20240);
  int over_budget = 0;
  for (int round = 0; round < 4000; ++round) {
    const std::string pattern = generator.Choice(3);
    SCOPED_TRACE(pattern);
    CheckPattern(pattern, {}, &generator, &over_budget);
    CheckPattern(pattern, Searching(), &generator, &over_budget);
    if (HasFatalFailure()) return;
  }
  EXPECT_LT(over_budget, 40);
}

}  // namespace
}  // namespace xgrammar
