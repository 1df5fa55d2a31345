// Right-linear rules: collecting the family, then one automaton state for each of its rules.
//
// A body is read as paths: parts, then another rule of the family or the end. The first path of
// another shape, or a family past its bounds, gives the attempt up, and the rule is lowered as
// usual.
#include "lowering/right_linear.h"

#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace xgrammar {

namespace {

constexpr int64_t kMaxFamilySize = 65536;
constexpr uint32_t kMaxFamilyDfaStates = 16384;

/// One way through a rule: parts to read, then another rule of the family, or the end.
struct Path {
  std::vector<ExprId> parts;
  ExprId next_body = kNoExpr;
};

class Family {
 public:
  Family(const Grammar& grammar, const GrammarFacts& facts, RegularFacts* regular)
      : grammar_(grammar), facts_(facts), regular_(*regular) {}

  bool Collect(ExprId start) {
    Number(start);
    for (size_t i = 0; i < bodies_.size(); ++i) {
      const ExprId body = bodies_[i];
      paths_.emplace_back();
      if (grammar_.kind(body) == ExprKind::kChoices) {
        for (ExprId child : grammar_.children(body)) {
          if (facts_.IsProductive(child) && !AddPath(child)) return false;
        }
      } else if (!AddPath(body)) {
        return false;
      }
    }
    return true;
  }

  std::string Key(std::vector<CodePointDfaPtr>* named) const {
    std::string key = "right-linear";
    for (const auto& paths : paths_) {
      for (const Path& path : paths) {
        for (ExprId part : path.parts) AppendStructure(grammar_, facts_, part, &key, named);
        const int32_t next = path.next_body == kNoExpr ? -1 : number_of_.at(path.next_body);
        key.append(reinterpret_cast<const char*>(&next), sizeof(next));
      }
      key.push_back('|');
    }
    return key;
  }

  std::optional<ByteDfa> Determinize() const {
    ByteNfa nfa;
    const int32_t accept = nfa.AddState();
    std::vector<int32_t> state_of(bodies_.size());
    for (int32_t& state : state_of) state = nfa.AddState();
    for (size_t i = 0; i < bodies_.size(); ++i) {
      for (const Path& path : paths_[i]) {
        int32_t state = nfa.AddState();
        nfa.AddEpsilon(state_of[i], state);
        for (ExprId part : path.parts) {
          const int32_t next = nfa.AddState();
          WriteNfa(grammar_, facts_, part, state, next, &nfa);
          state = next;
        }
        const bool ends = path.next_body == kNoExpr;
        nfa.AddEpsilon(
            state, ends ? accept : state_of[static_cast<size_t>(number_of_.at(path.next_body))]);
      }
    }
    return DeterminizeBytes(nfa, state_of[0], accept, kMaxFamilyDfaStates);
  }

 private:
  void Number(ExprId body) {
    if (number_of_.try_emplace(body, static_cast<int32_t>(bodies_.size())).second)
      bodies_.push_back(body);
  }

  bool IsCharacters(ExprId expr) {
    const int64_t size = regular_.FoldedSize(expr);
    if (size == RegularFacts::kNotFoldable || regular_.HasRuleRef(expr) ||
        regular_.HasMarkerLiteral(expr)) {
      return false;
    }
    size_ += size;
    return size_ <= kMaxFamilySize;
  }

  bool AddPath(ExprId expr) {
    Path path;
    std::vector<ExprId> parts{expr};
    if (grammar_.kind(expr) == ExprKind::kSequence) {
      const auto children = grammar_.children(expr);
      parts.assign(children.begin(), children.end());
    }
    const ExprId last = parts.back();
    if (grammar_.kind(last) == ExprKind::kRuleRef) {
      const Rule& rule = grammar_.rule(facts_.ResolveAlias(grammar_.rule_ref(last)));
      if (rule.kind == RuleKind::kStructure || !rule.options.empty()) return false;
      parts.pop_back();
      path.next_body = rule.body;
      Number(rule.body);
    }
    for (ExprId part : parts) {
      if (!IsCharacters(part)) return false;
    }
    path.parts = std::move(parts);
    paths_.back().push_back(std::move(path));
    return static_cast<int64_t>(bodies_.size()) <= kMaxFamilySize;
  }

  const Grammar& grammar_;
  const GrammarFacts& facts_;
  RegularFacts& regular_;
  std::vector<ExprId> bodies_;
  std::unordered_map<ExprId, int32_t> number_of_;
  std::vector<std::vector<Path>> paths_;
  int64_t size_ = 0;
};

}  // namespace

ByteDfaPtr FoldRightLinear(const Grammar& grammar, const GrammarFacts& facts, ExprId expr,
                           RegularFacts* regular, DfaCache* cache) {
  Family family(grammar, facts, regular);
  if (!family.Collect(expr)) return nullptr;
  std::vector<CodePointDfaPtr> named;
  std::string key = family.Key(&named);
  bool found = false;
  ByteDfaPtr known = cache->Find(key, &found);
  if (found) return known;
  std::optional<ByteDfa> dfa = family.Determinize();
  return cache->Insert(std::move(key),
                       dfa ? std::make_shared<const ByteDfa>(std::move(*dfa)) : nullptr,
                       std::move(named));
}

}  // namespace xgrammar
