// Chart: what a finished or unfinished text says about captures and temperatures.
//
// Captures come from a walk back over the derivations of the whole text. An item or completion is
// visited if it is a part of one: the items of the last set are; before a part that has been
// matched stands the item that waited for it; and what an unfinished expression waits in is a part
// as well.
#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

#include "grammar/any_order.h"
#include "grammar/rule_refs.h"
#include "matcher/chart.h"
#include "support/utf8.h"

namespace xgrammar {

class Chart::Walk {
 public:
  explicit Walk(const Chart& chart)
      : chart_(chart),
        grammar_(*chart.grammar_),
        item_marks_(chart.sets_.size()),
        completion_marks_(chart.sets_.size()) {}

  /// Marks all that belongs to derivations of the text up to `end`.
  void Run(int32_t end) {
    const auto count = static_cast<int32_t>(chart_.set(end).items.size());
    for (int32_t item = 0; item < count; ++item) MarkItem(end, item, true);
    MarkCompletion(end, {chart_.root_expr(), 0});
    while (!work_.empty()) {
      const Node node = work_.back();
      work_.pop_back();
      if (node.is_completion) {
        VisitCompletion(node.position,
                        chart_.set(node.position).completions[static_cast<size_t>(node.index)]);
      } else {
        VisitItem(node.position, chart_.set(node.position).items[static_cast<size_t>(node.index)],
                  node.is_open);
      }
    }
  }

  std::vector<Completion> CompletionsAt(int32_t position) const {
    std::vector<Completion> found;
    const auto& marks = completion_marks_[static_cast<size_t>(position)];
    for (size_t i = 0; i < marks.size(); ++i) {
      if (marks[i]) found.push_back(chart_.set(position).completions[i]);
    }
    return found;
  }

 private:
  struct Node {
    int32_t position = 0;
    int32_t index = 0;
    bool is_completion = false;
    bool is_open = false;  ///< The expression is unfinished at the end of the text.
  };
  enum Mark : uint8_t { kClosed = 1, kOpen = 2 };

  void MarkItem(int32_t position, int32_t index, bool is_open) {
    auto& marks = item_marks_[static_cast<size_t>(position)];
    marks.resize(chart_.set(position).items.size());
    uint8_t& mark = marks[static_cast<size_t>(index)];
    const uint8_t bit = is_open ? kOpen : kClosed;
    if ((mark & bit) != 0) return;
    mark |= bit;
    work_.push_back({position, index, false, is_open});
  }

  bool MarkItem(int32_t position, const Item& item, bool is_open) {
    const auto& items = chart_.set(position).items;
    const auto place = std::lower_bound(items.begin(), items.end(), item);
    if (place == items.end() || *place != item) return false;
    MarkItem(position, static_cast<int32_t>(place - items.begin()), is_open);
    return true;
  }

  void MarkCompletion(int32_t position, const Completion& completion) {
    const auto& completions = chart_.set(position).completions;
    const auto place = std::lower_bound(completions.begin(), completions.end(), completion);
    if (place == completions.end() || *place != completion) return;
    auto& marks = completion_marks_[static_cast<size_t>(position)];
    marks.resize(completions.size());
    const auto index = static_cast<size_t>(place - completions.begin());
    if (marks[index]) return;
    marks[index] = true;
    work_.push_back({position, static_cast<int32_t>(index), true, false});
  }

  void VisitItem(int32_t position, const Item& item, bool is_open) {
    if (item.progress == 0 && item.origin == position) {
      if (is_open) MarkWaiters(position, item.expr);
      return;
    }
    switch (grammar_.kind(item.expr)) {
      case ExprKind::kByteString: {
        const std::string_view read =
            grammar_.bytes(item.expr).substr(0, static_cast<size_t>(item.progress));
        const int32_t size = LastCharacterSize(read);
        MarkItem(position - size, {item.expr, item.progress - size, item.origin}, is_open);
        return;
      }
      case ExprKind::kAutomaton:
        return VisitAutomaton(position, item, is_open);
      case ExprKind::kSequence: {
        const ExprId part = grammar_.children(item.expr)[static_cast<size_t>(item.progress) - 1];
        ForEachOrigin(position, part, [&](int32_t origin) {
          const Item before = {item.expr, item.progress - 1, item.origin};
          if (MarkItem(origin, before, is_open)) MarkCompletion(position, {part, origin});
        });
        return;
      }
      case ExprKind::kRepeat:
        return VisitRepeat(position, item, is_open);
      case ExprKind::kAnyOrder:
      case ExprKind::kDistinct:
        return VisitAnyOrder(position, item, is_open);
      default:
        return;
    }
  }

  void VisitAutomaton(int32_t position, const Item& item, bool is_open) {
    const std::string_view read =
        std::string_view(chart_.text_).substr(0, static_cast<size_t>(position));
    const int32_t before = position - LastCharacterSize(read);
    const uint32_t code_point = DecodeUtf8(chart_.text_, static_cast<size_t>(before)).code_point;
    ForEachItem(before, item.expr, item.origin, [&](int32_t index, const Item& other) {
      if (grammar_.automaton(item.expr)->Next(other.progress, code_point) == item.progress) {
        MarkItem(before, index, is_open);
      }
    });
  }

  void VisitRepeat(int32_t position, const Item& item, bool is_open) {
    const ExprId part = grammar_.children(item.expr)[0];
    ForEachOrigin(position, part, [&](int32_t origin) {
      ForEachItem(origin, item.expr, item.origin, [&](int32_t index, const Item& other) {
        if (chart_.AdvancedCount(other, origin == position) != item.progress) return;
        MarkItem(origin, index, is_open);
        MarkCompletion(position, {part, origin});
      });
    });
  }

  void VisitAnyOrder(int32_t position, const Item& item, bool is_open) {
    const auto visit = [&](ExprId part, int32_t before) {
      ForEachOrigin(position, part, [&](int32_t origin) {
        if (MarkItem(origin, Item{item.expr, before, item.origin}, is_open)) {
          MarkCompletion(position, {part, origin});
        }
      });
    };
    if (item.progress == kAfterSeparator) {
      return visit(AnyOrderSeparator(grammar_, item.expr), kAfterMember);
    }
    for (ExprId part : AnyOrderParts(grammar_, item.expr)) {
      const ExprId member = MemberOf(grammar_, item.expr, part);
      visit(member, kBeforeAll);
      visit(member, kAfterSeparator);
    }
  }

  void VisitCompletion(int32_t position, const Completion& completion) {
    const RuleId rule = chart_.RuleOf(completion.expr);
    if (rule >= 0) return MarkCompletion(position, {grammar_.rule(rule).body, completion.origin});
    switch (grammar_.kind(completion.expr)) {
      case ExprKind::kChoices:
        for (ExprId child : grammar_.children(completion.expr)) {
          MarkCompletion(position, {child, completion.origin});
        }
        return;
      case ExprKind::kByteString:
      case ExprKind::kSequence:
      case ExprKind::kRepeat:
      case ExprKind::kAnyOrder:
      case ExprKind::kDistinct:
      case ExprKind::kAutomaton:
        ForEachItem(position, completion.expr, completion.origin,
                    [&](int32_t index, const Item& item) {
                      if (IsFinished(item)) MarkItem(position, index, false);
                    });
        return;
      default:
        return;
    }
  }

  bool IsFinished(const Item& item) const {
    switch (grammar_.kind(item.expr)) {
      case ExprKind::kByteString:
        return static_cast<size_t>(item.progress) == grammar_.bytes(item.expr).size();
      case ExprKind::kSequence:
        return static_cast<size_t>(item.progress) == grammar_.children(item.expr).size();
      case ExprKind::kRepeat:
        return item.progress >= grammar_.repeat_min(item.expr);
      case ExprKind::kAnyOrder:
      case ExprKind::kDistinct:
        return item.progress == kAfterMember ||
               (item.progress == kBeforeAll && grammar_.repeat_min(item.expr) == 0);
      default:
        return grammar_.automaton(item.expr)->states()[static_cast<size_t>(item.progress)].accept;
    }
  }

  void MarkWaiters(int32_t position, ExprId expr) {
    const auto& waiters = chart_.set(position).waiters;
    for (auto it = std::lower_bound(waiters.begin(), waiters.end(), Waiter{expr, 0});
         it != waiters.end() && it->expr == expr; ++it) {
      MarkItem(position, it->item, true);
    }
  }

  template <typename Visit>
  void ForEachItem(int32_t position, ExprId expr, int32_t origin, const Visit& visit) const {
    const auto& items = chart_.set(position).items;
    for (auto it = std::lower_bound(items.begin(), items.end(), Item{expr, 0, 0});
         it != items.end() && it->expr == expr; ++it) {
      if (it->origin == origin) visit(static_cast<int32_t>(it - items.begin()), *it);
    }
  }

  template <typename Visit>
  void ForEachOrigin(int32_t position, ExprId expr, const Visit& visit) const {
    const auto& completions = chart_.set(position).completions;
    for (auto it = std::lower_bound(completions.begin(), completions.end(), Completion{expr, 0});
         it != completions.end() && it->expr == expr; ++it) {
      visit(it->origin);
    }
  }

  static int32_t LastCharacterSize(std::string_view text) {
    int32_t size = 1;
    while ((static_cast<uint8_t>(text[text.size() - static_cast<size_t>(size)]) & 0xC0) == 0x80) {
      ++size;
    }
    return size;
  }

  const Chart& chart_;
  const Grammar& grammar_;
  std::vector<std::vector<uint8_t>> item_marks_;
  std::vector<std::vector<bool>> completion_marks_;
  std::vector<Node> work_;
};

// The last set is empty inside a character.
int32_t Chart::LastLivePosition() const {
  int32_t position = size();
  while (position > 0 && set(position).items.empty() && set(position).completions.empty()) {
    --position;
  }
  return position;
}

std::vector<Capture> Chart::Captures(bool longest_only) const {
  Walk walk(*this);
  const int32_t end = LastLivePosition();
  walk.Run(end);
  std::vector<Span> spans;
  std::vector<Span> hidden;  // Markers that no capture shows.
  for (int32_t position = 0; position <= end; ++position) {
    for (const Completion& completion : walk.CompletionsAt(position)) {
      const RuleId rule = RuleOf(completion.expr);
      if (rule < 0 || grammar_->rule(rule).notes == nullptr) continue;
      spans.push_back({completion.origin, position, rule});
    }
  }
  if (longest_only) {
    std::map<std::pair<RuleId, int32_t>, int32_t> ends;
    for (const Span& span : spans) ends[{span.rule, span.begin}] = span.end;
    std::erase_if(spans, [&](const Span& s) { return ends[{s.rule, s.begin}] != s.end; });
  }
  for (const Span& span : spans) {
    const int64_t bytes = grammar_->rule(span.rule).notes->hidden_stop_bytes;
    if (bytes > 0) hidden.push_back({MarkerBegin(span, bytes), span.end, span.rule});
  }
  SortInnerFirst(&spans);
  std::vector<Capture> captures;
  for (const Span& span : spans) {
    const RuleNotes& notes = *grammar_->rule(span.rule).notes;
    const int64_t marker = std::max(notes.hidden_stop_bytes, notes.hidden_suffix_bytes);
    const int32_t marker_begin = MarkerBegin(span, marker);
    if (!notes.stop_capture.empty()) {
      captures.push_back({notes.stop_capture, TextOf({marker_begin, span.end, span.rule}, {})});
    }
    if (!notes.capture.empty()) {
      captures.push_back({notes.capture, TextOf({span.begin, marker_begin, span.rule}, hidden)});
    }
  }
  return captures;
}

// By the end, of those the shorter ones first; rules that span the same text by who refers to whom.
void Chart::SortInnerFirst(std::vector<Span>* spans) const {
  std::vector<size_t> place(static_cast<size_t>(grammar_->num_rules()), 0);
  if (spans->size() > 1) {
    const std::vector<RuleId> rules = RulesInnerFirst(*grammar_, [](ExprId) { return true; });
    for (size_t i = 0; i < rules.size(); ++i) place[static_cast<size_t>(rules[i])] = i;
  }
  std::stable_sort(spans->begin(), spans->end(), [&place](const Span& a, const Span& b) {
    return std::tuple(a.end, -a.begin, place[static_cast<size_t>(a.rule)]) <
           std::tuple(b.end, -b.begin, place[static_cast<size_t>(b.rule)]);
  });
}

int32_t Chart::MarkerBegin(const Span& span, int64_t bytes) const {
  return static_cast<int32_t>(std::max<int64_t>(span.begin, span.end - bytes));
}

std::string Chart::TextOf(const Span& span, const std::vector<Span>& hidden) const {
  std::string text;
  for (int32_t i = span.begin; i < span.end; ++i) {
    const bool is_hidden = std::any_of(hidden.begin(), hidden.end(), [&](const Span& other) {
      return other.begin >= span.begin && other.begin <= i && i < other.end;
    });
    if (!is_hidden) text += text_[static_cast<size_t>(i)];
  }
  return text;
}

// From what may be read next outwards, up to the first rule that asks for a temperature.
std::optional<double> Chart::Temperature() const {
  const int32_t end = LastLivePosition();
  std::vector<std::pair<int32_t, ExprId>> work;
  std::set<std::pair<int32_t, ExprId>> seen;
  const auto visit = [&](int32_t origin, ExprId expr) {
    if (seen.emplace(origin, expr).second) work.emplace_back(origin, expr);
  };
  for (const Item& item : set(end).items) {
    if (ReadsNext(item)) visit(item.origin, item.expr);
  }
  std::optional<double> highest;
  while (!work.empty()) {
    const auto [origin, expr] = work.back();
    work.pop_back();
    const RuleId rule = RuleOf(expr);
    const RuleNotes* notes = rule < 0 ? nullptr : grammar_->rule(rule).notes.get();
    if (notes != nullptr && notes->temperature) {
      highest = std::max(highest.value_or(0.0), *notes->temperature);
      continue;
    }
    const auto& waiters = set(origin).waiters;
    for (auto it = std::lower_bound(waiters.begin(), waiters.end(), Waiter{expr, 0});
         it != waiters.end() && it->expr == expr; ++it) {
      const Item& waiter = set(origin).items[static_cast<size_t>(it->item)];
      visit(waiter.origin, waiter.expr);
    }
  }
  return highest;
}

bool Chart::ReadsNext(const Item& item) const {
  if (item.expr == root_expr()) return false;
  switch (grammar_->kind(item.expr)) {
    case ExprKind::kByteString:
      return static_cast<size_t>(item.progress) < grammar_->bytes(item.expr).size();
    case ExprKind::kCharClass:
      return !grammar_->ranges(item.expr).empty();
    case ExprKind::kTokenSet:
      return true;
    case ExprKind::kAutomaton: {
      const auto& state =
          grammar_->automaton(item.expr)->states()[static_cast<size_t>(item.progress)];
      return !state.edges.empty();
    }
    default:
      return false;
  }
}

}  // namespace xgrammar
