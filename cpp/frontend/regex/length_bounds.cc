// TakeLengthBounds: a pattern that is one counted set of characters, and the assertions that stand
// before the first character of a pattern, one after the other, also in groups.
//
// All of them hold at one place, so their order does not matter. A look-ahead for a counted number
// of characters of one set up to the end of the text becomes one for any number of them.
#include "frontend/regex/length_bounds.h"

#include <algorithm>
#include <span>
#include <vector>

namespace xgrammar {

namespace {

using Kind = RegexNodeKind;

// Fewer copies make an automaton that is small enough.
constexpr int64_t kManyCopies = 10000;

std::span<const RegexNodeId> PartsOf(const RegexAst& ast, const RegexNodeId& id) {
  return ast.kind(id) == Kind::kSequence ? ast.children(id) : std::span(&id, 1);
}

bool IsZeroWidth(Kind kind) {
  return kind != Kind::kChar && kind != Kind::kClass && kind != Kind::kSequence &&
         kind != Kind::kChoice && kind != Kind::kRepeat;
}

/// The assertions before the first part that may take characters.
std::vector<RegexNodeId> LeadingAssertions(const RegexAst& ast) {
  std::vector<RegexNodeId> found;
  std::vector<RegexNodeId> stack = {ast.root()};
  while (!stack.empty()) {
    const RegexNodeId id = stack.back();
    stack.pop_back();
    if (IsZeroWidth(ast.kind(id))) {
      found.push_back(id);
    } else if (ast.kind(id) == Kind::kSequence) {
      const auto parts = ast.children(id);
      stack.insert(stack.end(), parts.rbegin(), parts.rend());
    } else {
      break;
    }
  }
  return found;
}

bool IsAtStart(const RegexAst& ast, RegexNodeId assertion) {
  if (ast.kind(assertion) == Kind::kTextStart) return true;
  if (ast.kind(assertion) != Kind::kLookahead) return false;
  const RegexNodeId body = ast.child(assertion);
  return ast.kind(PartsOf(ast, body)[0]) == Kind::kTextStart;
}

/// The repetition in `(?=C{m,n}$)`, or -1.
RegexNodeId CountedUpToTheEnd(const RegexAst& ast, RegexNodeId assertion) {
  if (ast.kind(assertion) != Kind::kLookahead) return -1;
  const RegexNodeId body = ast.child(assertion);
  std::span<const RegexNodeId> parts = PartsOf(ast, body);
  if (ast.kind(parts[0]) == Kind::kTextStart) parts = parts.subspan(1);
  if (parts.size() != 2 || ast.kind(parts[0]) != Kind::kRepeat ||
      ast.kind(parts[1]) != Kind::kTextEnd)
    return -1;
  const Kind repeated = ast.kind(ast.child(parts[0]));
  return repeated == Kind::kChar || repeated == Kind::kClass ? parts[0] : -1;
}

/// The repetition in a whole pattern `^C{m,n}$` whose copies would be many, or -1.
RegexNodeId CountedText(const RegexAst& ast) {
  const RegexNodeId root = ast.root();
  const std::span<const RegexNodeId> parts = PartsOf(ast, root);
  if (parts.size() != 3 || ast.kind(parts[0]) != Kind::kTextStart ||
      ast.kind(parts[1]) != Kind::kRepeat || ast.kind(parts[2]) != Kind::kTextEnd)
    return -1;
  const Kind repeated = ast.kind(ast.child(parts[1]));
  const bool is_long = std::max(ast.repeat_min(parts[1]), ast.repeat_max(parts[1])) >= kManyCopies;
  return is_long && (repeated == Kind::kChar || repeated == Kind::kClass) ? parts[1] : -1;
}

}  // namespace

RegexLength TakeLengthBounds(bool search, RegexAst* ast) {
  RegexLength length;
  const RegexNodeId text = CountedText(*ast);
  if (text >= 0) {
    length = {ast->repeat_min(text), ast->repeat_max(text)};
    ast->LiftBounds(text);
    return length;
  }
  const std::vector<RegexNodeId> assertions = LeadingAssertions(*ast);
  if (search && std::ranges::none_of(assertions, [ast](auto id) { return IsAtStart(*ast, id); }))
    return length;
  for (const RegexNodeId assertion : assertions) {
    const RegexNodeId counted = CountedUpToTheEnd(*ast, assertion);
    if (counted < 0) continue;
    length.min = std::max(length.min, ast->repeat_min(counted));
    const int64_t max = ast->repeat_max(counted);
    if (max >= 0) length.max = length.max < 0 ? max : std::min(length.max, max);
    const RegexNodeId character = ast->child(counted);
    const bool is_any =
        ast->kind(character) == Kind::kClass && ast->set(character) == CodePointSet::All();
    const RegexNodeId body = ast->child(assertion);
    const bool has_start = ast->kind(PartsOf(*ast, body)[0]) == Kind::kTextStart;
    if (is_any && !has_start) {
      ast->MakeEmpty(assertion);
    } else {
      ast->LiftBounds(counted);
    }
  }
  return length;
}

}  // namespace xgrammar
