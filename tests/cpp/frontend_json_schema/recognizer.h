// A slow recogniser for grammars without left recursion: which prefixes of a text an expression
// matches, by memoised descent. Enough to judge what the JSON Schema front end makes without any
// later stage.
#pragma once

#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "grammar/any_order_meaning.h"
#include "grammar/grammar.h"
#include "support/utf8.h"

namespace xgrammar {

class Recognizer {
 public:
  Recognizer(const Grammar& grammar, std::string_view text) : grammar_(grammar), text_(text) {}

  bool Accepts() { return Ends(grammar_.rule(grammar_.root()).body, 0).contains(text_.size()); }

 private:
  using Positions = std::set<size_t>;

  const Positions& Ends(ExprId expr, size_t start) {
    const auto key = std::make_pair(expr, start);
    const auto found = memo_.find(key);
    if (found != memo_.end()) return found->second;
    Positions result = Compute(expr, start);
    return memo_[key] = std::move(result);
  }

  Positions Compute(ExprId expr, size_t start) {
    switch (grammar_.kind(expr)) {
      case ExprKind::kAnyOrder:
        return AnyOrderEnds(grammar_, expr, start,
                            [this](ExprId part, size_t position) { return Ends(part, position); });
      case ExprKind::kTokenSet:
      case ExprKind::kNamedToken:
        return {};  // Whole tokens are not text; schemas have none.
      case ExprKind::kEmpty:
        return {start};
      case ExprKind::kByteString: {
        const std::string_view bytes = grammar_.bytes(expr);
        return text_.substr(start, bytes.size()) == bytes ? Positions{start + bytes.size()}
                                                          : Positions{};
      }
      case ExprKind::kCharClass:
        return CharClass(expr, start);
      case ExprKind::kRuleRef:
        return Ends(grammar_.rule(grammar_.rule_ref(expr)).body, start);
      case ExprKind::kSequence: {
        Positions current = {start};
        for (const ExprId child : grammar_.children(expr)) current = Step(child, current);
        return current;
      }
      case ExprKind::kChoices: {
        Positions result;
        for (const ExprId child : grammar_.children(expr))
          result.merge(Positions(Ends(child, start)));
        return result;
      }
      case ExprKind::kRepeat:
        return Repeat(expr, start);
      case ExprKind::kAutomaton:
        return Automaton(expr, start);
    }
    return {};
  }

  Positions Step(ExprId child, const Positions& starts) {
    Positions result;
    for (const size_t start : starts) result.merge(Positions(Ends(child, start)));
    return result;
  }

  Positions CharClass(ExprId expr, size_t start) const {
    if (start >= text_.size()) return {};
    const DecodedCodePoint decoded = DecodeUtf8(text_, start);
    for (const CodePointRange& range : grammar_.ranges(expr)) {
      if (decoded.valid && range.lo <= decoded.code_point && decoded.code_point <= range.hi)
        return {start + decoded.size};
    }
    return {};
  }

  Positions Repeat(ExprId expr, size_t start) {
    const ExprId child = grammar_.children(expr)[0];
    const int64_t max = grammar_.repeat_max(expr);
    Positions current = {start};
    Positions result;
    for (int64_t count = 0; !current.empty() && (max == kUnbounded || count <= max); ++count) {
      if (count >= grammar_.repeat_min(expr)) {
        const size_t before = result.size();
        result.insert(current.begin(), current.end());
        if (count > grammar_.repeat_min(expr) && result.size() == before) break;
      }
      current = Step(child, current);
    }
    return result;
  }

  Positions Automaton(ExprId expr, size_t start) const {
    const CodePointDfa& dfa = *grammar_.automaton(expr);
    Positions result;
    int32_t state = 0;
    for (size_t i = start; state >= 0;) {
      if (dfa.states()[static_cast<size_t>(state)].accept) result.insert(i);
      if (i >= text_.size()) break;
      const DecodedCodePoint decoded = DecodeUtf8(text_, i);
      if (!decoded.valid) break;
      state = dfa.Next(state, decoded.code_point);
      i += decoded.size;
    }
    return result;
  }

  const Grammar& grammar_;
  std::string_view text_;
  std::map<std::pair<ExprId, size_t>, Positions> memo_;
};

inline bool Accepts(const GrammarPtr& grammar, std::string_view text) {
  return Recognizer(*grammar, text).Accepts();
}

}  // namespace xgrammar
