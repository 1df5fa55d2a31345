// Folding: structural keys, Thompson fragments (Thompson 1968) and the cache.
//
// Expressions with equal keys have equal languages, whatever their rules are called; large automata
// of the front end are named by their address. Determinisation (automata/byte_dfa.h) may refuse by
// its budget, and then the unit becomes another kind.
#include "lowering/fold_to_dfa.h"

#include <utility>

#include "automata/byte_nfa.h"
#include "grammar/regular.h"
#include "lowering/regular_facts.h"
#include "support/error.h"
#include "support/limits.h"
#include "support/utf8.h"
#include "support/work_meter.h"

namespace xgrammar {

ByteDfaPtr DfaCache::Find(const std::string& key, bool* found) const {
  std::lock_guard<ForkSafeMutex> lock(mutex_);
  auto it = entries_.find(key);
  *found = it != entries_.end();
  return *found ? it->second.dfa : nullptr;
}

ByteDfaPtr DfaCache::Insert(std::string key, ByteDfaPtr dfa, std::vector<CodePointDfaPtr> named) {
  const int64_t bytes = static_cast<int64_t>(key.size()) + (dfa ? dfa->MemorySizeBytes() : 0) + 64;
  std::lock_guard<ForkSafeMutex> lock(mutex_);
  if (size_bytes_ + bytes > max_bytes_) {
    entries_.clear();
    size_bytes_ = 0;
  }
  auto [it, inserted] =
      entries_.try_emplace(std::move(key), Entry{std::move(dfa), std::move(named)});
  if (inserted) size_bytes_ += bytes;
  return it->second.dfa;
}

int64_t DfaCache::SizeBytes() const {
  std::lock_guard<ForkSafeMutex> lock(mutex_);
  return size_bytes_;
}

namespace {

constexpr size_t kMaxSpelledStates = 256;

void AppendNumber(int64_t value, std::string* out) {
  out->append(reinterpret_cast<const char*>(&value), sizeof(value));
}

/// Spells the structure of an expression with references replaced by what they stand for. The
/// recursion is bounded: every level of a foldable expression adds to its size, which the caller
/// has checked.
void AppendKey(const Grammar& grammar, const GrammarFacts& facts, ExprId expr, std::string* out,
               std::vector<CodePointDfaPtr>* named) {
  const ExprKind kind = grammar.kind(expr);
  if (kind == ExprKind::kRuleRef) {
    AppendKey(grammar, facts, grammar.rule(facts.ResolveAlias(grammar.rule_ref(expr))).body, out,
              named);
    return;
  }
  out->push_back(static_cast<char>('A' + static_cast<int>(kind)));
  switch (kind) {
    case ExprKind::kByteString:
      AppendNumber(static_cast<int64_t>(grammar.bytes(expr).size()), out);
      out->append(grammar.bytes(expr));
      break;
    case ExprKind::kCharClass:
      AppendNumber(static_cast<int64_t>(grammar.ranges(expr).size()), out);
      for (const CodePointRange& r : grammar.ranges(expr))
        AppendNumber((int64_t{r.lo} << 32) | r.hi, out);
      break;
    case ExprKind::kRepeat:
      AppendNumber(grammar.repeat_min(expr), out);
      AppendNumber(grammar.repeat_max(expr), out);
      AppendKey(grammar, facts, grammar.children(expr)[0], out, named);
      break;
    case ExprKind::kSequence:
    case ExprKind::kChoices:
      AppendNumber(static_cast<int64_t>(grammar.children(expr).size()), out);
      for (ExprId child : grammar.children(expr)) AppendKey(grammar, facts, child, out, named);
      break;
    case ExprKind::kAutomaton: {
      const LateAutomatonPtr late = grammar.late_automaton(expr);
      if (late != nullptr && !late->name().empty()) {
        constexpr int64_t kNamed = -1;  // No number of states, and no address.
        AppendNumber(kNamed, out);
        AppendNumber(static_cast<int64_t>(late->name().size()), out);
        out->append(late->name());
        break;
      }
      const auto& states = grammar.automaton(expr)->states();
      if (states.size() > kMaxSpelledStates) {
        // Large ones are made once by whoever made them: their address is their name.
        AppendNumber(
            static_cast<int64_t>(reinterpret_cast<uintptr_t>(grammar.automaton(expr).get())), out);
        named->push_back(grammar.automaton(expr));
        break;
      }
      AppendNumber(static_cast<int64_t>(states.size()), out);
      static_assert(sizeof(CodePointDfa::Edge) == 3 * sizeof(uint32_t), "no padding");
      for (const CodePointDfa::StateView& s : states) {
        AppendNumber(static_cast<int64_t>(s.edges.size()) * 2 + (s.accept ? 1 : 0), out);
        out->append(reinterpret_cast<const char*>(s.edges.data()),
                    s.edges.size() * sizeof(CodePointDfa::Edge));
      }
      break;
    }
    default:
      break;
  }
}

class NfaWriter {
 public:
  NfaWriter(const Grammar& grammar, const GrammarFacts& facts, ByteNfa* nfa)
      : grammar_(grammar), facts_(facts), nfa_(nfa) {}

  void Write(ExprId expr, int32_t from, int32_t to) {
    CountWork("folding an expression");
    switch (grammar_.kind(expr)) {
      case ExprKind::kEmpty:
        nfa_->AddEpsilon(from, to);
        break;
      case ExprKind::kByteString:
        nfa_->AddLiteral(from, grammar_.bytes(expr), to);
        break;
      case ExprKind::kCharClass:
        nfa_->AddClass(from, grammar_.ranges(expr), to);
        break;
      case ExprKind::kRuleRef:
        Write(grammar_.rule(facts_.ResolveAlias(grammar_.rule_ref(expr))).body, from, to);
        break;
      case ExprKind::kSequence: {
        const auto children = grammar_.children(expr);
        int32_t state = from;
        for (size_t i = 0; i < children.size(); ++i) {
          const int32_t next = i + 1 == children.size() ? to : nfa_->AddState();
          Write(children[i], state, next);
          state = next;
        }
        break;
      }
      case ExprKind::kChoices:
        for (ExprId child : grammar_.children(expr)) Write(child, from, to);
        break;
      case ExprKind::kRepeat:
        WriteRepeat(expr, from, to);
        break;
      case ExprKind::kAutomaton:
        nfa_->AddAutomaton(from, *grammar_.automaton(expr), to);
        break;
      case ExprKind::kTokenSet:
      case ExprKind::kNamedToken:
      case ExprKind::kAnyOrder:
      case ExprKind::kDistinct:
        break;  // Never foldable.
    }
  }

 private:
  void WriteRepeat(ExprId expr, int32_t from, int32_t to) {
    const ExprId child = grammar_.children(expr)[0];
    const int64_t min = grammar_.repeat_min(expr);
    const int64_t max = grammar_.repeat_max(expr);
    // A state of its own, so that loops of this repetition cannot be entered by edges into `from`.
    int32_t state = nfa_->AddState();
    nfa_->AddEpsilon(from, state);
    for (int64_t i = 0; i < min; ++i) {
      const int32_t next = nfa_->AddState();
      Write(child, state, next);
      state = next;
    }
    if (max == kUnbounded) {
      const int32_t loop = nfa_->AddState();
      nfa_->AddEpsilon(state, loop);
      const int32_t back = nfa_->AddState();
      Write(child, loop, back);
      nfa_->AddEpsilon(back, loop);
      nfa_->AddEpsilon(loop, to);
      return;
    }
    for (int64_t i = min; i < max; ++i) {
      nfa_->AddEpsilon(state, to);
      const int32_t next = nfa_->AddState();
      Write(child, state, next);
      state = next;
    }
    nfa_->AddEpsilon(state, to);
  }

  const Grammar& grammar_;
  const GrammarFacts& facts_;
  ByteNfa* nfa_;
};

/// The texts of a literal or of a choice of literals, empty for anything else.
std::vector<std::string_view> TextsOf(const Grammar& grammar, ExprId expr) {
  const bool is_choice = grammar.kind(expr) == ExprKind::kChoices;
  const std::span<const ExprId> choices =
      is_choice ? grammar.children(expr) : std::span<const ExprId>(&expr, 1);
  std::vector<std::string_view> texts;
  for (ExprId choice : choices) {
    if (grammar.kind(choice) != ExprKind::kByteString) return {};
    texts.push_back(grammar.bytes(choice));
    if (!IsValidUtf8(texts.back())) return {};
  }
  return texts;
}

struct Spelled {
  std::optional<ByteDfa> dfa;
  bool is_too_large = false;  ///< Another way would take more states still.
};

/// A code point automaton alone or between literals needs no subset construction, nor do texts.
Spelled FoldSpelled(const Grammar& grammar, ExprId expr, uint32_t max_states) {
  const std::vector<std::string_view> texts = TextsOf(grammar, expr);
  if (!texts.empty()) {
    return {
        SpellInBytes("", std::make_shared<const CodePointDfa>(FromStrings(texts)), "", max_states)};
  }
  const ExprId automaton = SpelledAutomaton(grammar, expr);
  if (automaton == kNoExpr) return {};
  std::string before;
  std::string after;
  if (automaton != expr) {
    bool is_before = true;
    for (ExprId part : grammar.children(expr)) {
      if (part == automaton) {
        is_before = false;
      } else {
        (is_before ? before : after) += grammar.bytes(part);
      }
    }
  }
  if (const LateAutomatonPtr late = grammar.late_automaton(automaton)) {
    std::unique_ptr<const RowsOnDemand> rows = late->MakeRows(before, after);
    if (rows != nullptr) {
      Spelled spelled{DfaOnDemand(std::move(rows), max_states)};
      spelled.is_too_large = !spelled.dfa.has_value();
      return spelled;
    }
  }
  return {SpellInBytes(before, grammar.automaton(automaton), after, max_states)};
}

ByteDfaPtr MakeShared(std::optional<ByteDfa> dfa) {
  return dfa ? std::make_shared<const ByteDfa>(std::move(*dfa)) : nullptr;
}

std::optional<CodePointDfa> FoldCharacters(const Grammar& grammar, ExprId expr,
                                           int64_t max_states) {
  Limits limits;
  limits.max_dfa_states = max_states;
  try {
    return ExprToDfa(
        grammar, expr, [](RuleId) { return nullptr; }, limits);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kLimit) throw;
    return std::nullopt;
  }
}

}  // namespace

void AppendStructure(const Grammar& grammar, const GrammarFacts& facts, ExprId expr,
                     std::string* out, std::vector<CodePointDfaPtr>* named) {
  AppendKey(grammar, facts, expr, out, named);
}

void WriteNfa(const Grammar& grammar, const GrammarFacts& facts, ExprId expr, int32_t from,
              int32_t to, ByteNfa* nfa) {
  NfaWriter(grammar, facts, nfa).Write(expr, from, to);
}

ByteDfaPtr FoldToDfa(const Grammar& grammar, const GrammarFacts& facts, ExprId expr,
                     uint32_t max_states, DfaCache* cache) {
  std::string key;
  std::vector<CodePointDfaPtr> named;
  AppendNumber(max_states, &key);
  AppendKey(grammar, facts, expr, &key, &named);
  bool found = false;
  ByteDfaPtr known = cache->Find(key, &found);
  if (found) return known;
  auto [dfa, is_too_large] = FoldSpelled(grammar, expr, max_states);
  if (!dfa && !is_too_large) {
    ByteNfa nfa;
    const int32_t start = nfa.AddState();
    const int32_t accept = nfa.AddState();
    NfaWriter(grammar, facts, &nfa).Write(expr, start, accept);
    dfa = DeterminizeBytes(nfa, start, accept, max_states);
  }
  return cache->Insert(std::move(key), MakeShared(std::move(dfa)), std::move(named));
}

ByteDfaPtr FoldWhole(const Grammar& grammar, const GrammarFacts& facts, ExprId expr,
                     int64_t max_characters, uint32_t max_states, DfaCache* cache) {
  std::string key = "whole";
  std::vector<CodePointDfaPtr> named;
  AppendNumber(max_characters, &key);
  AppendNumber(max_states, &key);
  AppendKey(grammar, facts, expr, &key, &named);
  bool found = false;
  ByteDfaPtr known = cache->Find(key, &found);
  if (found) return known;
  std::optional<ByteDfa> dfa;
  std::optional<CodePointDfa> characters = FoldCharacters(grammar, expr, max_characters);
  if (characters && !characters->IsEmpty()) {
    dfa = SpellInBytes("", std::make_shared<const CodePointDfa>(std::move(*characters)), "",
                       max_states);
  }
  return cache->Insert(std::move(key), MakeShared(std::move(dfa)), std::move(named));
}

}  // namespace xgrammar
