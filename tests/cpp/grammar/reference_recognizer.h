// ReferenceRecognizer: decides membership in the language of a Grammar straight from its
// definition, for tests.
//
// It computes, for every rule and start position that matter, the set of end positions as the least
// fixed point of the grammar's equations (Ginsburg and Rice, "Two families of languages related to
// ALGOL", 1962). Slow and obvious; it shares no code with lowering or the parser. Lookaheads are
// not looked at.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "grammar/any_order_meaning.h"
#include "grammar/distinct_meaning.h"
#include "grammar/grammar.h"
#include "support/utf8.h"

namespace xgrammar {

class ReferenceRecognizer {
 public:
  ReferenceRecognizer(const Grammar& grammar, std::string_view text)
      : grammar_(grammar), text_(text) {}

  bool Accepts() {
    RuleEnds(grammar_.root(), 0);
    do {
      changed_ = false;
      // Evaluating may add entries; a map keeps iterators valid and the loop sees them or the next
      // round does.
      for (auto& [key, ends] : ends_) {
        for (size_t end : Ends(grammar_.rule(key.first).body, {key.second})) {
          changed_ |= ends.insert(end).second;
        }
      }
    } while (changed_);
    return ends_[{grammar_.root(), 0}].count(text_.size()) > 0;
  }

 private:
  using Positions = std::set<size_t>;

  const Positions& RuleEnds(RuleId rule, size_t start) {
    auto [it, is_new] = ends_.try_emplace({rule, start});
    changed_ |= is_new;
    return it->second;
  }

  Positions Ends(ExprId expr, const Positions& starts) {
    Positions result;
    switch (grammar_.kind(expr)) {
      case ExprKind::kEmpty:
        return starts;
      case ExprKind::kByteString:
        for (size_t start : starts) {
          std::string_view bytes = grammar_.bytes(expr);
          if (text_.substr(start, bytes.size()) == bytes) result.insert(start + bytes.size());
        }
        return result;
      case ExprKind::kCharClass:
        for (size_t start : starts) AddClassEnd(expr, start, &result);
        return result;
      case ExprKind::kRuleRef:
        for (size_t start : starts) {
          const Positions& ends = RuleEnds(grammar_.rule_ref(expr), start);
          result.insert(ends.begin(), ends.end());
        }
        return result;
      case ExprKind::kSequence:
        result = starts;
        for (ExprId child : grammar_.children(expr)) result = Ends(child, result);
        return result;
      case ExprKind::kChoices:
        for (ExprId child : grammar_.children(expr)) result.merge(Ends(child, starts));
        return result;
      case ExprKind::kRepeat:
        return RepeatEnds(expr, starts);
      case ExprKind::kAutomaton:
        for (size_t start : starts) {
          for (size_t end = start; end <= text_.size(); ++end) {
            std::string_view part = text_.substr(start, end - start);
            if (IsValidUtf8(part) && grammar_.automaton(expr)->Accepts(part)) result.insert(end);
          }
        }
        return result;
      case ExprKind::kAnyOrder:
        for (size_t start : starts) {
          result.merge(AnyOrderEnds(grammar_, expr, start, [this](ExprId part, size_t position) {
            return Ends(part, {position});
          }));
        }
        return result;
      case ExprKind::kDistinct:
        for (size_t start : starts) {
          result.merge(DistinctEnds(
              grammar_, expr, text_, start,
              [this](ExprId part, size_t position) { return Ends(part, {position}); }));
        }
        return result;
      case ExprKind::kTokenSet:
      case ExprKind::kNamedToken:
        return result;  // Never matched by text.
    }
    return result;
  }

  void AddClassEnd(ExprId expr, size_t start, Positions* result) const {
    if (start >= text_.size()) return;
    DecodedCodePoint decoded = DecodeUtf8(text_, start);
    if (!decoded.valid) return;
    for (const CodePointRange& range : grammar_.ranges(expr)) {
      if (range.lo <= decoded.code_point && decoded.code_point <= range.hi) {
        result->insert(start + decoded.size);
      }
    }
  }

  Positions RepeatEnds(ExprId expr, Positions current) {
    Positions result;
    int64_t min = grammar_.repeat_min(expr);
    int64_t max = grammar_.repeat_max(expr);
    if (min == 0) result = current;
    for (int64_t count = 1; max == kUnbounded || count <= max; ++count) {
      Positions next = Ends(grammar_.children(expr)[0], current);
      size_t size_before = result.size();
      if (count >= min) result.insert(next.begin(), next.end());
      if (next.empty()) break;
      // Once nothing moves, more copies change nothing: either the set is the same or all of it is
      // known.
      if (next == current) {
        result.insert(next.begin(), next.end());
        break;
      }
      if (count > min && result.size() == size_before && count > static_cast<int64_t>(text_.size()))
        break;
      current = std::move(next);
    }
    return result;
  }

  const Grammar& grammar_;
  std::string_view text_;
  std::map<std::pair<RuleId, size_t>, Positions> ends_;
  bool changed_ = false;
};

inline bool Accepts(const Grammar& grammar, std::string_view text) {
  return ReferenceRecognizer(grammar, text).Accepts();
}

}  // namespace xgrammar
