// DocumentCompiler: strings and patterns, and what combines terminals as wholes.
//
// Strings stay literals and patterns go through frontend/regex; `&`, `~` and the shaped bodies are
// products of automata over code points, bounded by Limits::max_dfa_states. Rules are compiled in
// compiler.cc.
#include <memory>
#include <optional>
#include <utility>

#include "frontend/lark/compiler.h"
#include "frontend/regex/regex.h"
#include "grammar/regular.h"
#include "support/error.h"
#include "support/utf8.h"

namespace xgrammar::lark {

namespace {

bool IsAsciiLetter(uint32_t c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

/// The byte of a pattern at which its code point `position`, counted from 1, stands.
size_t OffsetInPattern(std::string_view pattern, int64_t position) {
  size_t offset = 0;
  for (; position > 1 && offset < pattern.size(); --position) {
    offset += DecodeUtf8(pattern, offset).size;
  }
  return offset;
}

}  // namespace

ExprId DocumentCompiler::CompileString(NodeId id) {
  const Literal& literal = document_.literal(id);
  if (literal.flags.empty()) return builder().AddByteString(literal.text);
  std::vector<ExprId> parts;
  for (size_t i = 0; i < literal.text.size();) {
    const DecodedCodePoint decoded = DecodeUtf8(literal.text, i);
    i += decoded.size;
    if (decoded.code_point > 0x7F) {
      source_.Refuse(document_.node(id).offset, "the flag i on characters beyond ASCII",
                     "write both cases");
    }
    CodePointSet set = CodePointSet::Single(decoded.code_point);
    if (IsAsciiLetter(decoded.code_point)) {
      set = set.Union(CodePointSet::Single(decoded.code_point ^ 0x20));
    }
    parts.push_back(builder().AddCharClass(set));
  }
  return builder().AddSequence(parts);
}

/// In a rule, a pattern is a lexeme with a rule of its own.
ExprId DocumentCompiler::CompileRegex(NodeId id, bool is_unit) {
  const Literal& literal = document_.literal(id);
  const size_t offset = document_.node(id).offset;
  RegexOptions options;
  options.dot = RegexOptions::Dot::kNotNewline;
  for (char flag : literal.flags) {
    if (flag == 'i') {
      options.ignore_case = true;
    } else if (flag == 's') {
      options.dot = RegexOptions::Dot::kAny;
    } else if (flag != 'u') {  // The dialect is always that of the `u` flag.
      source_.Refuse(offset, std::string("the regular-expression flag '") + flag + "'",
                     "use i, s or u");
    }
  }
  const std::string key = literal.flags + "/" + literal.text;
  const auto it = is_unit ? patterns_.end() : patterns_.find(key);
  if (it != patterns_.end()) return it->second;
  ExprId expr = kNoExpr;
  try {
    expr = RegexToExpr(literal.text, options, &builder(), session_.limits());
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::kBudget) throw;
    throw source_.Placed(error, offset + 1 + OffsetInPattern(literal.text, error.position()));
  }
  const ExprKind kind = builder().view().kind(expr);
  const bool is_small = kind == ExprKind::kEmpty || kind == ExprKind::kByteString ||
                        kind == ExprKind::kCharClass || kind == ExprKind::kRuleRef;
  if (is_unit || is_small) return expr;
  expr = builder().AddRuleRef(builder().AddRuleWithHint(hint_, expr, RuleKind::kLexeme));
  patterns_.emplace(key, expr);
  return expr;
}

/// Precondition: no part is a whole token; names.h sees to it.
CodePointDfa DocumentCompiler::DfaOf(ExprId expr) const {
  const RuleAutomaton take_bodies = [](RuleId) { return CodePointDfaPtr(); };
  std::optional<CodePointDfa> dfa =
      ExprToDfa(session_.builder().view(), expr, take_bodies, session_.limits());
  if (!dfa) throw Error(ErrorKind::kInternal, "A terminal has a part without a form as text");
  return *std::move(dfa);
}

ExprId DocumentCompiler::AddDfa(CodePointDfa dfa) {
  return builder().AddAutomaton(std::make_shared<const CodePointDfa>(std::move(dfa)));
}

ExprId DocumentCompiler::CompileAnd(NodeId id) {
  const auto parts = document_.children_of(id);
  std::vector<NodeId> negated;
  std::optional<CodePointDfa> result;
  const int64_t max_states = session_.limits().max_dfa_states;
  for (NodeId part : parts) {
    if (document_.kind(part) == NodeKind::kNot) {
      negated.push_back(document_.children_of(part)[0]);
      continue;
    }
    CodePointDfa dfa = DfaOf(ExprOf(part));
    result = result ? Intersect(*result, dfa, max_states) : std::move(dfa);
  }
  // What is taken away costs nothing for characters that only it mentions.
  for (NodeId part : negated) {
    CodePointDfa dfa = DfaOf(ExprOf(part));
    result = result ? Subtract(*result, dfa, max_states) : Minimize(Complement(dfa));
  }
  return AddDfa(*std::move(result));
}

ExprId DocumentCompiler::CompileNot(NodeId id) {
  return AddDfa(Minimize(Complement(DfaOf(ExprOf(document_.children_of(id)[0])))));
}

/// Bodies that lazy, suffix and stop shape: the text ends where it first can.
ExprId DocumentCompiler::CompileShaped(const Definition& entry) {
  ExprId body = ExprOf(entry.body);
  const NodeId marker = entry.attributes.marker();
  if (marker != kNoNode) {
    body = builder().AddSequence({body, ExprOf(marker)});
  }
  return AddDfa(ShortestOnly(DfaOf(body)));
}

}  // namespace xgrammar::lark
