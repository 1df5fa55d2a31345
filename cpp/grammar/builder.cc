// GrammarBuilder: hash-consing of expression nodes, the simplifications that make trivial forms
// canonical, and rules.
//
// A node is looked up by a hash of its content before it is stored, so equal nodes share an id and
// children always have smaller ids than their parents (Import relies on that order). Copying rules
// of another grammar is in import.cc.
#include "grammar/builder.h"

#include <algorithm>
#include <limits>
#include <unordered_set>
#include <utility>

#include "grammar/any_order.h"
#include "support/error.h"
#include "support/utf8.h"
#include "support/work_meter.h"

namespace xgrammar {

namespace {

// Literals are merged with their neighbours only up to this size: nested groups around a huge
// literal would otherwise store one copy of it per level.
constexpr size_t kMaxMergedBytes = 4096;
// Likewise for the parts of nested sequences and choices: longer ones are kept as one part.
constexpr size_t kMaxFlattenedParts = 4096;
constexpr size_t kInitialTableSize = 64;
constexpr size_t kMaxPoolSize = static_cast<size_t>(std::numeric_limits<int32_t>::max());

uint64_t MixHash(uint64_t a, uint64_t b) {
  uint64_t x = (a ^ (b + 0x9E3779B97F4A7C15ULL)) * 0xFF51AFD7ED558CCDULL;
  return x ^ (x >> 32);
}

uint64_t HashBytes(ExprKind kind, std::string_view bytes) {
  return MixHash(std::hash<std::string_view>()(bytes), static_cast<uint64_t>(kind));
}

template <typename T>
uint64_t HashSpan(ExprKind kind, std::span<const T> values) {
  static_assert(std::has_unique_object_representations_v<T>);
  return HashBytes(kind, std::string_view(reinterpret_cast<const char*>(values.data()),
                                          values.size() * sizeof(T)));
}

uint64_t HashAutomaton(const CodePointDfa& dfa) {
  return MixHash(static_cast<uint64_t>(ExprKind::kAutomaton), dfa.Hash());
}

bool SameAutomaton(const CodePointDfa& a, const CodePointDfa& b) {
  return &a == &b || a.states() == b.states();
}

void CheckPool(size_t size, int64_t maximum) {
  if (static_cast<int64_t>(size) > maximum) {
    if (maximum == static_cast<int64_t>(kMaxPoolSize))
      ThrowFixedLimitError("one grammar", static_cast<int64_t>(size), maximum);
    ThrowLimitError("max_grammar_size", static_cast<int64_t>(size), maximum, "one grammar");
  }
}

void CheckBytes(size_t size) {
  if (size > kMaxPoolSize) {
    ThrowFixedLimitError("the bytes of the literals of one grammar", static_cast<int64_t>(size),
                         static_cast<int64_t>(kMaxPoolSize));
  }
}

}  // namespace

GrammarBuilder::GrammarBuilder(const Limits& limits)
    : limits_(limits), grammar_(std::make_shared<Grammar>()), table_(kInitialTableSize, kNoExpr) {
  // Pool offsets are 32 bits wide, whatever the caller allows.
  limits_.max_grammar_size = std::min(limits_.max_grammar_size, static_cast<int64_t>(kMaxPoolSize));
}

GrammarBuilder::~GrammarBuilder() = default;

void GrammarBuilder::GrowTable() {
  std::vector<ExprId> table(table_.size() * 2, kNoExpr);
  size_t mask = table.size() - 1;
  for (size_t id = 0; id < hashes_.size(); ++id) {
    size_t slot = static_cast<size_t>(hashes_[id]) & mask;
    while (table[slot] != kNoExpr) slot = (slot + 1) & mask;
    table[slot] = static_cast<ExprId>(id);
  }
  table_ = std::move(table);
}

// `equal(id)` compares the content of a stored node of the same kind; `store()` appends the content
// to its pool and returns the node.
template <typename Equal, typename Store>
ExprId GrammarBuilder::FindOrAdd(ExprKind kind, uint64_t hash, const Equal& equal,
                                 const Store& store) {
  CountWork("building a grammar", 2);
  size_t mask = table_.size() - 1;
  size_t slot = static_cast<size_t>(hash) & mask;
  for (; table_[slot] != kNoExpr; slot = (slot + 1) & mask) {
    ExprId id = table_[slot];
    if (hashes_[static_cast<size_t>(id)] == hash && grammar_->kind(id) == kind && equal(id)) {
      return id;
    }
  }
  CheckPool(grammar_->exprs_.size() + 1, limits_.max_grammar_size);
  Grammar::Expr expr = store();
  expr.kind = kind;
  ExprId id = grammar_->num_exprs();
  grammar_->exprs_.push_back(expr);
  hashes_.push_back(hash);
  table_[slot] = id;
  if (hashes_.size() * 2 > table_.size()) GrowTable();
  return id;
}

ExprId GrammarBuilder::InternChildren(ExprKind kind, std::span<const ExprId> children) {
  return FindOrAdd(
      kind, HashSpan(kind, children),
      [&](ExprId id) {
        std::span<const ExprId> other = grammar_->children(id);
        return std::equal(other.begin(), other.end(), children.begin(), children.end());
      },
      [&] {
        std::vector<ExprId>& pool = grammar_->children_;
        CheckPool(pool.size() + children.size(), limits_.max_grammar_size);
        Grammar::Expr expr;
        expr.offset = static_cast<int32_t>(pool.size());
        expr.count = static_cast<int32_t>(children.size());
        pool.insert(pool.end(), children.begin(), children.end());
        return expr;
      });
}

bool GrammarBuilder::IsNothing(ExprId id) const {
  return grammar_->kind(id) == ExprKind::kCharClass && grammar_->ranges(id).empty();
}

ExprId GrammarBuilder::AddEmpty() {
  return FindOrAdd(
      ExprKind::kEmpty, HashBytes(ExprKind::kEmpty, {}), [](ExprId) { return true; },
      [] { return Grammar::Expr(); });
}

ExprId GrammarBuilder::AddNothing() { return AddCharClass(CodePointSet()); }

ExprId GrammarBuilder::AddByteString(std::string_view bytes) {
  if (bytes.empty()) return AddEmpty();
  return FindOrAdd(
      ExprKind::kByteString, HashBytes(ExprKind::kByteString, bytes),
      [&](ExprId id) { return grammar_->bytes(id) == bytes; },
      [&] {
        std::string& pool = grammar_->bytes_;
        CheckBytes(pool.size() + bytes.size());
        Grammar::Expr expr;
        expr.offset = static_cast<int32_t>(pool.size());
        expr.count = static_cast<int32_t>(bytes.size());
        pool.append(bytes);
        return expr;
      });
}

ExprId GrammarBuilder::AddCharClass(const CodePointSet& set) {
  std::span<const CodePointRange> ranges = set.ranges();
  if (ranges.size() == 1 && ranges[0].lo == ranges[0].hi) {
    std::string bytes;
    AppendUtf8(ranges[0].lo, &bytes);
    return AddByteString(bytes);
  }
  return AddTextClass(set);
}

ExprId GrammarBuilder::AddTextClass(const CodePointSet& set) { return InternRanges(set.ranges()); }

ExprId GrammarBuilder::InternRanges(std::span<const CodePointRange> ranges) {
  return FindOrAdd(
      ExprKind::kCharClass, HashSpan(ExprKind::kCharClass, ranges),
      [&](ExprId id) {
        std::span<const CodePointRange> other = grammar_->ranges(id);
        return std::equal(other.begin(), other.end(), ranges.begin(), ranges.end());
      },
      [&] {
        std::vector<CodePointRange>& pool = grammar_->ranges_;
        CheckPool(pool.size() + ranges.size(), limits_.max_grammar_size);
        Grammar::Expr expr;
        expr.offset = static_cast<int32_t>(pool.size());
        expr.count = static_cast<int32_t>(ranges.size());
        pool.insert(pool.end(), ranges.begin(), ranges.end());
        return expr;
      });
}

ExprId GrammarBuilder::AddRuleRef(RuleId rule) {
  return FindOrAdd(
      ExprKind::kRuleRef, HashSpan(ExprKind::kRuleRef, std::span<const RuleId>(&rule, 1)),
      [&](ExprId id) { return grammar_->rule_ref(id) == rule; },
      [&] {
        Grammar::Expr expr;
        expr.offset = rule;
        return expr;
      });
}

// Whether there is nothing to drop, to flatten or to merge. Parts that lie in the pool are copied
// before it grows.
bool GrammarBuilder::IsPlainSequence(std::span<const ExprId> parts) const {
  const std::vector<ExprId>& pool = grammar_->children_;
  const std::less<const ExprId*> before;
  if (!pool.empty() && !before(parts.data(), pool.data()) &&
      before(parts.data(), pool.data() + pool.size()))
    return false;
  bool after_text = false;
  for (const ExprId id : parts) {
    const ExprKind kind = grammar_->kind(id);
    const bool is_text = kind == ExprKind::kByteString;
    if (kind == ExprKind::kEmpty || kind == ExprKind::kSequence || (is_text && after_text) ||
        IsNothing(id))
      return false;
    after_text = is_text;
  }
  return parts.size() > 1;
}

ExprId GrammarBuilder::AddSequence(std::span<const ExprId> parts) {
  if (parts.size() == 1) return parts[0];
  if (IsPlainSequence(parts)) return InternChildren(ExprKind::kSequence, parts);
  std::vector<ExprId>& flat = flat_;
  flat.clear();
  // A run of literals is gathered as bytes and stored once, so that a long run costs its length and
  // not its square.
  std::string& run = run_;
  run.clear();
  int64_t run_parts = 0;
  auto end_run = [&] {
    if (run_parts > 1) flat.back() = AddByteString(run);
    run.clear();
    run_parts = 0;
  };
  auto append = [&](ExprId id) {
    bool is_text = grammar_->kind(id) == ExprKind::kByteString;
    size_t size = is_text ? grammar_->bytes(id).size() : 0;
    if (!is_text || size > kMaxMergedBytes) {
      end_run();
      flat.push_back(id);
      return;
    }
    if (run_parts > 0 && run.size() + size > kMaxMergedBytes) end_run();
    if (run_parts == 0) flat.push_back(id);
    run.append(grammar_->bytes(id));  // Read after end_run, which may move the pool.
    ++run_parts;
  };
  for (ExprId id : parts) {
    ExprKind kind = grammar_->kind(id);
    if (kind == ExprKind::kEmpty) continue;
    if (IsNothing(id)) return id;
    if (kind != ExprKind::kSequence || grammar_->children(id).size() > kMaxFlattenedParts) {
      append(id);
      continue;
    }
    // By index: `append` may grow the pool that the children live in.
    size_t count = grammar_->children(id).size();
    for (size_t i = 0; i < count; ++i) append(grammar_->children(id)[i]);
  }
  end_run();
  if (flat.empty()) return AddEmpty();
  if (flat.size() == 1) return flat[0];
  return InternChildren(ExprKind::kSequence, flat);
}

ExprId GrammarBuilder::AddSequence(std::initializer_list<ExprId> parts) {
  return AddSequence(std::span<const ExprId>(parts.begin(), parts.size()));
}

ExprId GrammarBuilder::AddChoices(std::span<const ExprId> alternatives) {
  if (alternatives.size() == 1) return alternatives[0];
  std::vector<ExprId> flat;
  flat.reserve(alternatives.size());
  constexpr size_t kFewParts = 16;  // Up to this many a scan beats building a hash table.
  std::unordered_set<ExprId> seen;
  const auto is_new = [&](ExprId id) {
    if (flat.size() < kFewParts) return std::find(flat.begin(), flat.end(), id) == flat.end();
    if (seen.empty()) seen.insert(flat.begin(), flat.end());
    return seen.insert(id).second;
  };
  auto append = [&](ExprId id) {
    if (!IsNothing(id) && is_new(id)) flat.push_back(id);
  };
  for (ExprId id : alternatives) {
    if (grammar_->kind(id) == ExprKind::kChoices &&
        grammar_->children(id).size() <= kMaxFlattenedParts) {
      for (ExprId child : grammar_->children(id)) append(child);
    } else {
      append(id);
    }
  }
  if (flat.empty()) return AddNothing();
  JoinComplements(&flat);
  if (flat.size() == 1) return flat[0];
  return InternChildren(ExprKind::kChoices, flat);
}

// A list of tokens and all others but these are any token, which EBNF writes so.
void GrammarBuilder::JoinComplements(std::vector<ExprId>* alternatives) {
  const auto is_set = [&](ExprId id, bool excluding) {
    return grammar_->kind(id) == ExprKind::kTokenSet && grammar_->is_excluding(id) == excluding;
  };
  const bool has_excluding = std::any_of(alternatives->begin(), alternatives->end(),
                                         [&](ExprId id) { return is_set(id, true); });
  if (!has_excluding) return;
  for (size_t i = 0; i < alternatives->size(); ++i) {
    const ExprId listed = (*alternatives)[i];
    if (!is_set(listed, false)) continue;
    const auto ids = grammar_->token_ids(listed);
    const ExprId others = AddTokenSet({ids.begin(), ids.end()}, true);
    const auto place = std::find(alternatives->begin(), alternatives->end(), others);
    if (place == alternatives->end()) continue;
    const ExprId any = AddTokenSet({}, true);
    alternatives->erase(place);
    std::replace(alternatives->begin(), alternatives->end(), listed, any);
    alternatives->erase(std::find(alternatives->begin(), alternatives->end(), any));
    if (std::find(alternatives->begin(), alternatives->end(), any) == alternatives->end()) {
      alternatives->push_back(any);
    }
    return;
  }
}

ExprId GrammarBuilder::AddChoices(std::initializer_list<ExprId> alternatives) {
  return AddChoices(std::span<const ExprId>(alternatives.begin(), alternatives.size()));
}

void GrammarBuilder::CheckRepeat(int64_t min, int64_t max) const {
  const int64_t largest = std::max(min, max);
  if (largest > limits_.max_repeat) {
    ThrowLimitError("max_repeat", largest, limits_.max_repeat, "a repetition");
  }
}

ExprId GrammarBuilder::AddRepeat(ExprId child, int64_t min, int64_t max) {
  CheckRepeat(min, max);
  if (min == 1 && max == 1) return child;
  if (max == 0 || grammar_->kind(child) == ExprKind::kEmpty) return AddEmpty();
  if (IsNothing(child)) return min == 0 ? AddEmpty() : child;
  const int64_t content[3] = {child, min, max};
  return FindOrAdd(
      ExprKind::kRepeat, HashSpan(ExprKind::kRepeat, std::span<const int64_t>(content)),
      [&](ExprId id) {
        return grammar_->children(id)[0] == child && grammar_->repeat_min(id) == min &&
               grammar_->repeat_max(id) == max;
      },
      [&] {
        CheckPool(grammar_->children_.size() + 1, limits_.max_grammar_size);
        Grammar::Expr expr;
        expr.offset = static_cast<int32_t>(grammar_->children_.size());
        expr.count = static_cast<int32_t>(grammar_->repeats_.size());
        grammar_->children_.push_back(child);
        grammar_->repeats_.push_back({min, max, 1});
        return expr;
      });
}

ExprId GrammarBuilder::AddAnyOrder(ExprId separator, std::span<const ExprId> parts, int64_t min,
                                   int64_t max) {
  CheckRepeat(min, max);
  std::vector<ExprId> children{separator};
  for (ExprId part : parts) {
    if (IsNothing(part)) return part;
    if (grammar_->kind(part) != ExprKind::kEmpty) children.push_back(part);
  }
  const size_t num_parts = children.size() - 1;
  if (num_parts == 0) return min == 0 ? AddEmpty() : AddNothing();
  if (num_parts > kMaxAnyOrderParts) {
    Error error(ErrorKind::kUnsupported, std::to_string(num_parts) +
                                             " parts in any order, at most " +
                                             std::to_string(kMaxAnyOrderParts) + " are supported");
    error.Feature("any_order");
    error.Hint("give them in a fixed order");
    throw error;
  }
  return FindOrAddBounded(ExprKind::kAnyOrder, children, min, max);
}

ExprId GrammarBuilder::AddDistinct(ExprId separator, ExprId rest, std::span<const ExprId> first,
                                   int64_t min, int64_t max) {
  CheckRepeat(min, max);
  std::vector<ExprId> children{separator, rest};
  children.insert(children.end(), first.begin(), first.end());
  return FindOrAddBounded(ExprKind::kDistinct, children, min, max);
}

ExprId GrammarBuilder::FindOrAddBounded(ExprKind kind, const std::vector<ExprId>& children,
                                        int64_t min, int64_t max) {
  std::vector<int64_t> content(children.begin(), children.end());
  content.push_back(min);
  content.push_back(max);
  return FindOrAdd(
      kind, HashSpan(kind, std::span<const int64_t>(content)),
      [&](ExprId id) {
        const std::span<const ExprId> other = grammar_->children(id);
        return grammar_->repeat_min(id) == min && grammar_->repeat_max(id) == max &&
               std::equal(other.begin(), other.end(), children.begin(), children.end());
      },
      [&] {
        std::vector<ExprId>& pool = grammar_->children_;
        CheckPool(pool.size() + children.size(), limits_.max_grammar_size);
        Grammar::Expr expr;
        expr.offset = static_cast<int32_t>(pool.size());
        expr.count = static_cast<int32_t>(grammar_->repeats_.size());
        pool.insert(pool.end(), children.begin(), children.end());
        grammar_->repeats_.push_back({min, max, static_cast<int32_t>(children.size())});
        return expr;
      });
}

ExprId GrammarBuilder::AddAutomaton(CodePointDfaPtr automaton) {
  if (automaton->IsEmpty()) return AddNothing();
  // The only trimmed machine of one state without edges that is not empty accepts just the empty
  // string.
  if (automaton->states().size() == 1 && automaton->states()[0].edges.empty()) return AddEmpty();
  return FindOrAdd(
      ExprKind::kAutomaton, HashAutomaton(*automaton),
      [&](ExprId id) {
        return !grammar_->is_late(id) && SameAutomaton(*grammar_->automaton(id), *automaton);
      },
      [&] {
        Grammar::Expr expr;
        expr.offset = static_cast<int32_t>(grammar_->automata_.size());
        grammar_->automata_.push_back(automaton);
        return expr;
      });
}

ExprId GrammarBuilder::AddLateAutomaton(LateAutomatonPtr automaton) {
  const LateAutomaton* const address = automaton.get();
  return FindOrAdd(
      ExprKind::kAutomaton, HashSpan(ExprKind::kAutomaton, std::span(&address, 1)),
      [&](ExprId id) { return grammar_->late_automaton(id) == automaton; },
      [&] {
        Grammar::Expr expr;
        expr.offset = static_cast<int32_t>(grammar_->late_automata_.size());
        expr.count = 1;
        grammar_->late_automata_.push_back(automaton);
        return expr;
      });
}

ExprId GrammarBuilder::AddTokenSet(std::vector<int32_t> ids, bool excluding) {
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  if (ids.empty() && !excluding) return AddNothing();
  ids.insert(ids.begin(), excluding ? 1 : 0);
  return FindOrAdd(
      ExprKind::kTokenSet, HashSpan(ExprKind::kTokenSet, std::span<const int32_t>(ids)),
      [&](ExprId id) {
        std::span<const int32_t> other = grammar_->token_ids(id);
        return grammar_->is_excluding(id) == excluding &&
               std::equal(other.begin(), other.end(), ids.begin() + 1, ids.end());
      },
      [&] {
        std::vector<int32_t>& pool = grammar_->token_ids_;
        CheckPool(pool.size() + ids.size(), limits_.max_grammar_size);
        Grammar::Expr expr;
        expr.offset = static_cast<int32_t>(pool.size());
        expr.count = static_cast<int32_t>(ids.size());
        pool.insert(pool.end(), ids.begin(), ids.end());
        return expr;
      });
}

ExprId GrammarBuilder::AddNamedToken(std::string_view text, bool excluding) {
  const std::string stored = (excluding ? '!' : '=') + std::string(text);
  return FindOrAdd(
      ExprKind::kNamedToken, HashBytes(ExprKind::kNamedToken, stored),
      [&](ExprId id) { return grammar_->bytes(id) == stored; },
      [&] {
        std::string& pool = grammar_->bytes_;
        CheckBytes(pool.size() + stored.size());
        Grammar::Expr expr;
        expr.offset = static_cast<int32_t>(pool.size());
        expr.count = static_cast<int32_t>(stored.size());
        pool.append(stored);
        return expr;
      });
}

RuleId GrammarBuilder::AddRule(std::string name, RuleKind kind) {
  RuleId id = grammar_->num_rules();
  if (id >= limits_.max_rules) {
    ThrowLimitError("max_rules", static_cast<int64_t>(id) + 1, limits_.max_rules, "one grammar");
  }
  if (!rule_ids_.emplace(name, id).second) {
    throw Error(ErrorKind::kInternal, "Rule \"" + QuoteForMessage(name) + "\" was added twice");
  }
  Rule rule;
  rule.name = std::move(name);
  rule.kind = kind;
  grammar_->rules_.push_back(std::move(rule));
  return id;
}

RuleId GrammarBuilder::AddRuleWithHint(std::string_view hint, ExprId body, RuleKind kind) {
  RuleId id = AddRule(UnusedName(hint), kind);
  SetBody(id, body);
  return id;
}

std::string GrammarBuilder::UnusedName(std::string_view hint) {
  if (hint.empty()) hint = "rule";
  auto counted = name_counters_.find(hint);
  if (counted == name_counters_.end() || has_freed_names_) {
    std::string base(hint);
    if (!rule_ids_.contains(base)) return base;
    counted = name_counters_.try_emplace(std::move(base), 0).first;
  }
  // The counter of each hint only grows, so that many rules of one hint cost linear time.
  std::string name;
  do {
    name.assign(hint).append(1, '_').append(std::to_string(++counted->second));
  } while (rule_ids_.contains(name));
  return name;
}

void GrammarBuilder::SetBody(RuleId rule, ExprId body) {
  grammar_->rules_[static_cast<size_t>(rule)].body = body;
}

void GrammarBuilder::SetLookahead(RuleId rule, ExprId lookahead) {
  grammar_->rules_[static_cast<size_t>(rule)].lookahead = lookahead;
}

void GrammarBuilder::SetKind(RuleId rule, RuleKind kind) {
  grammar_->rules_[static_cast<size_t>(rule)].kind = kind;
}

void GrammarBuilder::SetOptions(RuleId rule, const RuleOptions& options) {
  grammar_->rules_[static_cast<size_t>(rule)].options = options;
}

void GrammarBuilder::SetNotes(RuleId rule, const RuleNotes& notes) {
  auto& stored = grammar_->rules_[static_cast<size_t>(rule)].notes;
  stored = notes == RuleNotes() ? nullptr : std::make_shared<const RuleNotes>(notes);
}

void GrammarBuilder::Rename(RuleId rule, std::string name) {
  std::string& current = grammar_->rules_[static_cast<size_t>(rule)].name;
  if (current == name) return;
  if (!rule_ids_.emplace(name, rule).second) {
    throw Error(ErrorKind::kInternal, "Rule \"" + QuoteForMessage(name) + "\" was added twice");
  }
  rule_ids_.erase(current);
  has_freed_names_ = true;
  current = std::move(name);
}

RuleId GrammarBuilder::FindRule(std::string_view name) const {
  auto it = rule_ids_.find(std::string(name));
  return it == rule_ids_.end() ? -1 : it->second;
}

int32_t GrammarBuilder::num_rules() const { return grammar_->num_rules(); }

GrammarPtr GrammarBuilder::Build(RuleId root) {
  for (const Rule& rule : grammar_->rules_) {
    if (rule.body == kNoExpr) {
      throw Error(ErrorKind::kInternal, "Rule \"" + QuoteForMessage(rule.name) + "\" has no body");
    }
  }
  grammar_->root_ = root;
  GrammarPtr result = std::move(grammar_);
  grammar_ = std::make_shared<Grammar>();
  table_.assign(kInitialTableSize, kNoExpr);
  hashes_.clear();
  rule_ids_.clear();
  name_counters_.clear();
  return result;
}

}  // namespace xgrammar
