// NaiveEarley: a textbook recogniser for tests (Earley 1970, with the nullable rule of Aycock and
// Horspool 2002).
//
// The grammar becomes a plain context-free grammar over bytes, repetitions written out; sets hold
// (production, dot, origin) with origins as positions. Nothing is shared with lowering or the
// parser. Unproductive productions are dropped first, so a prefix is viable if and only if its set
// is not empty. Token sets match no text.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "automata/utf8_class.h"
#include "grammar/any_order_meaning.h"
#include "grammar/grammar.h"
#include "support/utf8.h"

namespace xgrammar {

class NaiveEarley {
 public:
  explicit NaiveEarley(const Grammar& grammar) : grammar_(grammar) {
    root_ = OfExpr(grammar.rule(grammar.root()).body);
    DropUnproductive();
    FindNullable();
    Reset();
  }

  bool is_empty() const { return !productive_[static_cast<size_t>(root_)]; }

  void Reset() {
    sets_.assign(1, {});
    Predict(root_, 0);
    Close(0);
  }
  /// Reads a byte if some text of the language goes on with it; otherwise nothing changes.
  bool Push(uint8_t byte) {
    const size_t position = sets_.size() - 1;
    sets_.emplace_back();
    for (const Item& item : sets_[position].items) {
      const Symbol* symbol = After(item);
      if (symbol == nullptr || symbol->nonterminal >= 0) continue;
      if (symbol->lo <= byte && byte <= symbol->hi) {
        Add(position + 1, {item.production, item.dot + 1, item.origin});
      }
    }
    if (sets_.back().items.empty()) {
      sets_.pop_back();
      return false;
    }
    Close(position + 1);
    return true;
  }
  void Pop(size_t count) { sets_.resize(sets_.size() - count); }
  /// Reads all bytes or none.
  bool PushAll(std::string_view bytes) {
    for (size_t i = 0; i < bytes.size(); ++i) {
      if (Push(static_cast<uint8_t>(bytes[i]))) continue;
      Pop(i);
      return false;
    }
    return true;
  }
  /// Whether the grammar allows the bytes from here; nothing changes.
  bool Allows(std::string_view bytes) {
    if (!PushAll(bytes)) return false;
    Pop(bytes.size());
    return true;
  }
  /// What was read is in the language.
  bool IsComplete() const {
    for (const Item& item : sets_.back().items) {
      if (item.origin == 0 && After(item) == nullptr && Left(item.production) == root_) return true;
    }
    return sets_.size() == 1 && nullable_[static_cast<size_t>(root_)];
  }

 private:
  struct Symbol {
    int nonterminal = -1;
    uint8_t lo = 0;
    uint8_t hi = 0;
  };
  struct Production {
    int left = 0;
    std::vector<Symbol> right;
  };
  struct Item {
    size_t production = 0;
    size_t dot = 0;
    size_t origin = 0;
    friend auto operator<=>(const Item&, const Item&) = default;
  };
  struct Set {
    std::vector<Item> items;
    std::set<Item> seen;
    std::multimap<int, Item> waiting;  // By the nonterminal after the dot.
  };

  static Symbol Call(int nonterminal) { return {nonterminal, 0, 0}; }
  int NewNonterminal() { return num_nonterminals_++; }
  void AddProduction(int left, std::vector<Symbol> right) {
    productions_.push_back({left, std::move(right)});
  }

  int OfExpr(ExprId expr) {
    auto [it, is_new] = of_expr_.try_emplace(expr, 0);
    if (!is_new) return it->second;
    const int left = NewNonterminal();
    it->second = left;
    std::vector<Symbol> parts;
    switch (grammar_.kind(expr)) {
      case ExprKind::kEmpty:
        AddProduction(left, {});
        break;
      case ExprKind::kByteString:
        AddProduction(left, Bytes(grammar_.bytes(expr)));
        break;
      case ExprKind::kCharClass:
        AddClass(left, grammar_.ranges(expr), {});
        break;
      case ExprKind::kRuleRef:
        AddProduction(left, {Call(OfExpr(grammar_.rule(grammar_.rule_ref(expr)).body))});
        break;
      case ExprKind::kSequence:
        for (ExprId child : grammar_.children(expr)) parts.push_back(Call(OfExpr(child)));
        AddProduction(left, parts);
        break;
      case ExprKind::kChoices:
        for (ExprId child : grammar_.children(expr)) AddProduction(left, {Call(OfExpr(child))});
        break;
      case ExprKind::kRepeat:
        AddRepeat(left, expr);
        break;
      case ExprKind::kAutomaton:
        AddAutomaton(left, *grammar_.automaton(expr));
        break;
      case ExprKind::kAnyOrder:
        AddAnyOrder(left, expr);
        break;
      case ExprKind::kDistinct:
        break;  // No context-free language; tests/property/test_distinct.py lists languages.
      case ExprKind::kTokenSet:
      case ExprKind::kNamedToken:
        break;
    }
    return left;
  }

  static std::vector<Symbol> Bytes(std::string_view bytes) {
    std::vector<Symbol> out;
    for (char c : bytes) out.push_back({-1, static_cast<uint8_t>(c), static_cast<uint8_t>(c)});
    return out;
  }

  /// left ::= (a member of the class) rest
  void AddClass(int left, std::span<const CodePointRange> ranges, const std::vector<Symbol>& rest) {
    int64_t size = 0;
    for (const CodePointRange& r : ranges) size += r.hi - r.lo + 1;
    if (size <= 64) {
      for (const CodePointRange& r : ranges) {
        for (uint32_t c = r.lo; c <= r.hi; ++c) {
          std::string text;
          AppendUtf8(c, &text);
          std::vector<Symbol> right = Bytes(text);
          right.insert(right.end(), rest.begin(), rest.end());
          AddProduction(left, right);
        }
      }
      return;
    }
    // Large classes by their UTF-8 automaton, which has an exhaustive test of its own.
    const Utf8Class utf8(ranges);
    std::vector<int> of_node(static_cast<size_t>(utf8.num_nodes()));
    for (int& n : of_node) n = NewNonterminal();
    for (int32_t node = 0; node < utf8.num_nodes(); ++node) {
      for (const Utf8Class::Edge& e : utf8.edges(node)) {
        std::vector<Symbol> right{{-1, e.lo, e.hi}};
        if (e.target != Utf8Class::kEnd) {
          right.push_back(Call(of_node[static_cast<size_t>(e.target)]));
        }
        AddProduction(of_node[static_cast<size_t>(node)], right);
      }
    }
    std::vector<Symbol> right{Call(of_node[static_cast<size_t>(utf8.start())])};
    right.insert(right.end(), rest.begin(), rest.end());
    AddProduction(left, right);
  }

  void AddRepeat(int left, ExprId expr) {
    const Symbol child = Call(OfExpr(grammar_.children(expr)[0]));
    const int64_t min = grammar_.repeat_min(expr);
    const int64_t max = grammar_.repeat_max(expr);
    int tail =
        NewNonterminal();  // What may follow the last copy: nothing, or any number of copies.
    AddProduction(tail, {});
    if (max == kUnbounded) AddProduction(tail, {child, Call(tail)});
    for (int64_t i = max == kUnbounded ? min : max; i > min; --i) {
      const int longer = NewNonterminal();
      AddProduction(longer, {});
      AddProduction(longer, {child, Call(tail)});
      tail = longer;
    }
    std::vector<Symbol> right(static_cast<size_t>(min), child);
    right.push_back(Call(tail));
    AddProduction(left, right);
  }

  /// A nonterminal for each number of members and set of parts seen: what may still follow.
  void AddAnyOrder(int left, ExprId expr) {
    const AnyOrderMeaning meaning(grammar_, expr);
    const Symbol separator = Call(OfExpr(meaning.separator));
    using State = std::pair<int64_t, uint64_t>;
    std::map<State, int> number_of{{{0, 0}, left}};
    std::vector<State> work{{0, 0}};
    while (!work.empty()) {
      const auto [count, seen] = work.back();
      work.pop_back();
      const int from = number_of.at({count, seen});
      if (meaning.MayEnd(count, seen)) AddProduction(from, {});
      for (size_t part = 0; part < meaning.members.size(); ++part) {
        if (!meaning.MayTake(part, count, seen)) continue;
        const State after{meaning.CountAfter(count), seen | uint64_t{1} << part};
        auto [it, is_new] = number_of.try_emplace(after, 0);
        if (is_new) {
          it->second = NewNonterminal();
          work.push_back(after);
        }
        std::vector<Symbol> right;
        if (count > 0) right.push_back(separator);
        right.push_back(Call(OfExpr(meaning.members[part].member)));
        right.push_back(Call(it->second));
        AddProduction(from, right);
      }
    }
  }

  void AddAutomaton(int left, const CodePointDfa& dfa) {
    std::vector<int> of_state(dfa.states().size());
    for (int& n : of_state) n = NewNonterminal();
    for (size_t s = 0; s < of_state.size(); ++s) {
      if (dfa.states()[s].accept) AddProduction(of_state[s], {});
      for (const CodePointDfa::Edge& e : dfa.states()[s].edges) {
        const CodePointRange range{e.lo, e.hi};
        AddClass(of_state[s], {&range, 1}, {Call(of_state[static_cast<size_t>(e.target)])});
      }
    }
    AddProduction(left, {Call(of_state[0])});
  }

  /// Least fixpoint of "some production has only terminals and members"; or only members.
  std::vector<bool> Solve(bool terminals_count) const {
    std::vector<bool> value(static_cast<size_t>(num_nonterminals_), false);
    for (bool changed = true; changed;) {
      changed = false;
      for (const Production& p : productions_) {
        if (value[static_cast<size_t>(p.left)]) continue;
        const bool all = std::all_of(p.right.begin(), p.right.end(), [&](const Symbol& s) {
          return s.nonterminal < 0 ? terminals_count : value[static_cast<size_t>(s.nonterminal)];
        });
        if (!all) continue;
        value[static_cast<size_t>(p.left)] = true;
        changed = true;
      }
    }
    return value;
  }

  void DropUnproductive() {
    productive_ = Solve(true);
    std::erase_if(productions_, [this](const Production& p) {
      return std::any_of(p.right.begin(), p.right.end(), [this](const Symbol& s) {
        return s.nonterminal >= 0 && !productive_[static_cast<size_t>(s.nonterminal)];
      });
    });
    by_left_.resize(static_cast<size_t>(num_nonterminals_));
    for (size_t p = 0; p < productions_.size(); ++p) {
      by_left_[static_cast<size_t>(productions_[p].left)].push_back(p);
    }
  }
  void FindNullable() { nullable_ = Solve(false); }

  const Symbol* After(const Item& item) const {
    const auto& right = productions_[item.production].right;
    return item.dot < right.size() ? &right[item.dot] : nullptr;
  }
  int Left(size_t production) const { return productions_[production].left; }

  void Add(size_t position, const Item& item) {
    Set& set = sets_[position];
    if (set.seen.insert(item).second) set.items.push_back(item);
  }
  void Predict(int nonterminal, size_t position) {
    for (size_t p : by_left_[static_cast<size_t>(nonterminal)]) Add(position, {p, 0, position});
  }

  void Close(size_t position) {
    for (size_t i = 0; i < sets_[position].items.size(); ++i) {
      const Item item = sets_[position].items[i];
      const Symbol* symbol = After(item);
      if (symbol == nullptr) {
        const auto [begin, end] = sets_[item.origin].waiting.equal_range(Left(item.production));
        std::vector<Item> callers;
        for (auto it = begin; it != end; ++it) callers.push_back(it->second);
        for (const Item& c : callers) Add(position, {c.production, c.dot + 1, c.origin});
      } else if (symbol->nonterminal >= 0) {
        sets_[position].waiting.emplace(symbol->nonterminal, item);
        Predict(symbol->nonterminal, position);
        if (nullable_[static_cast<size_t>(symbol->nonterminal)]) {
          Add(position, {item.production, item.dot + 1, item.origin});
        }
      }
    }
  }

  const Grammar& grammar_;
  int num_nonterminals_ = 0;
  int root_ = 0;
  std::map<ExprId, int> of_expr_;
  std::vector<Production> productions_;
  std::vector<std::vector<size_t>> by_left_;
  std::vector<bool> productive_;
  std::vector<bool> nullable_;
  std::vector<Set> sets_;
};

}  // namespace xgrammar
