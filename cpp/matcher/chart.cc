// Chart: feeding text. Sets are closed from left to right, each with a work list (Earley 1970;
// empty parts as in Aycock and Horspool 2002).
//
// Reading derivations back from the end is captures.cc. Masks and acceptance are never decided
// here: the parser has done that before.
#include "matcher/chart.h"

#include <algorithm>
#include <set>
#include <utility>

#include "grammar/any_order.h"
#include "support/error.h"
#include "support/utf8.h"

namespace xgrammar {

namespace {

bool IsContinuation(char c) { return (static_cast<uint8_t>(c) & 0xC0) == 0x80; }

}  // namespace

/// Predicts and completes until nothing is added to one set.
class Chart::Closer {
 public:
  Closer(Chart* chart, int32_t position) : chart_(*chart), position_(position) {}

  void Run() {
    Set& set = chart_.set(position_);
    for (const Item& item : set.items) Add(item);
    for (const Completion& completion : set.completions) Complete(completion);
    while (!items_.empty() || !completions_.empty()) {
      if (!completions_.empty()) {
        const Completion completion = completions_.back();
        completions_.pop_back();
        AdvanceWaiters(completion);
      } else {
        const Item item = items_.back();
        items_.pop_back();
        Visit(item);
      }
    }
    set.items.assign(known_items_.begin(), known_items_.end());
    set.completions.assign(known_completions_.begin(), known_completions_.end());
    for (const auto& [expr, item] : waiting_) {
      const auto place = std::lower_bound(set.items.begin(), set.items.end(), item);
      set.waiters.push_back({expr, static_cast<int32_t>(place - set.items.begin())});
    }
    std::sort(set.waiters.begin(), set.waiters.end());
  }

 private:
  void Add(const Item& item) {
    if (known_items_.insert(item).second) items_.push_back(item);
  }

  void Complete(const Completion& completion) {
    if (known_completions_.count(completion) > 0) return;
    if (!chart_.MayEnd(completion, position_)) return;
    known_completions_.insert(completion);
    completions_.push_back(completion);
  }

  void Visit(const Item& item) {
    const Grammar& grammar = *chart_.grammar_;
    if (item.expr == chart_.root_expr()) return Wait(item, grammar.rule(grammar.root()).body);
    switch (grammar.kind(item.expr)) {
      case ExprKind::kEmpty:
        return Complete({item.expr, item.origin});
      case ExprKind::kByteString:
        if (static_cast<size_t>(item.progress) == grammar.bytes(item.expr).size()) {
          Complete({item.expr, item.origin});
        }
        return;
      case ExprKind::kAutomaton:
        if (grammar.automaton(item.expr)->states()[static_cast<size_t>(item.progress)].accept) {
          Complete({item.expr, item.origin});
        }
        return;
      case ExprKind::kRuleRef:
        return Wait(item, grammar.rule(grammar.rule_ref(item.expr)).body);
      case ExprKind::kChoices:
        for (ExprId child : grammar.children(item.expr)) Wait(item, child);
        return;
      case ExprKind::kSequence: {
        const auto parts = grammar.children(item.expr);
        const auto next = static_cast<size_t>(item.progress);
        return next == parts.size() ? Complete({item.expr, item.origin}) : Wait(item, parts[next]);
      }
      case ExprKind::kRepeat: {
        const int64_t max = grammar.repeat_max(item.expr);
        if (item.progress >= grammar.repeat_min(item.expr)) Complete({item.expr, item.origin});
        if (max == kUnbounded || item.progress < max) Wait(item, grammar.children(item.expr)[0]);
        return;
      }
      case ExprKind::kAnyOrder:
      case ExprKind::kDistinct:
        return VisitAnyOrder(item);
      case ExprKind::kCharClass:
      case ExprKind::kTokenSet:
      case ExprKind::kNamedToken:
        return;
    }
  }

  // The matcher has accepted the text, so which parts were there before need not be known again,
  // and items are distinct.
  void VisitAnyOrder(const Item& item) {
    const Grammar& grammar = *chart_.grammar_;
    if (item.progress == kAfterMember) {
      Complete({item.expr, item.origin});
      return Wait(item, AnyOrderSeparator(grammar, item.expr));
    }
    if (item.progress == kBeforeAll && MayHaveNoMembers(grammar, item.expr)) {
      Complete({item.expr, item.origin});
    }
    for (ExprId part : AnyOrderParts(grammar, item.expr)) {
      Wait(item, MemberOf(grammar, item.expr, part));
    }
  }

  void Wait(const Item& item, ExprId part) {
    waiting_.insert({part, item});
    Add({part, 0, position_});
    if (known_completions_.count({part, position_}) > 0) Advance(item, true);
  }

  void AdvanceWaiters(const Completion& completion) {
    if (completion.expr == chart_.root_expr()) return;
    const bool is_empty = completion.origin == position_;
    if (is_empty) {
      std::vector<Item> found;
      for (auto it = waiting_.lower_bound({completion.expr, Item()});
           it != waiting_.end() && it->first == completion.expr; ++it) {
        found.push_back(it->second);
      }
      for (const Item& item : found) Advance(item, true);
      return;
    }
    const Set& begin = chart_.set(completion.origin);
    for (auto it = std::lower_bound(begin.waiters.begin(), begin.waiters.end(),
                                    Waiter{completion.expr, 0});
         it != begin.waiters.end() && it->expr == completion.expr; ++it) {
      Advance(begin.items[static_cast<size_t>(it->item)], false);
    }
  }

  void Advance(const Item& item, bool is_empty) {
    const Grammar& grammar = *chart_.grammar_;
    const ExprKind kind =
        item.expr == chart_.root_expr() ? ExprKind::kRuleRef : grammar.kind(item.expr);
    if (kind == ExprKind::kSequence) {
      Add({item.expr, item.progress + 1, item.origin});
    } else if (kind == ExprKind::kRepeat) {
      Add({item.expr, chart_.AdvancedCount(item, is_empty), item.origin});
    } else if (kind == ExprKind::kAnyOrder || kind == ExprKind::kDistinct) {
      const bool was_member = item.progress != kAfterMember;
      Add({item.expr, was_member ? kAfterMember : kAfterSeparator, item.origin});
    } else {
      Complete({item.expr, item.origin});
    }
  }

  Chart& chart_;
  const int32_t position_;
  std::vector<Item> items_;
  std::vector<Completion> completions_;
  std::set<Item> known_items_;
  std::set<Completion> known_completions_;
  std::set<std::pair<ExprId, Item>> waiting_;
};

Chart::Chart(GrammarPtr grammar, const Limits& limits)
    : grammar_(std::move(grammar)), limits_(limits), sets_(1), chars_(1) {
  sets_[0].items.push_back({root_expr(), 0, 0});
  Process();
}

RuleId Chart::RuleOf(ExprId expr) const {
  if (expr == root_expr()) return grammar_->root();
  return grammar_->kind(expr) == ExprKind::kRuleRef ? grammar_->rule_ref(expr) : -1;
}

// A count without an upper bound stays at the lower one; so does the set of items. An empty part
// stands for all the parts that are still due.
int32_t Chart::AdvancedCount(const Item& repeat, bool is_empty) const {
  const int64_t min = grammar_->repeat_min(repeat.expr);
  const int64_t max = grammar_->repeat_max(repeat.expr);
  const int64_t count = repeat.progress;
  if (is_empty) return static_cast<int32_t>(std::max(count, min));
  return static_cast<int32_t>(max == kUnbounded ? std::min(count + 1, min) : count + 1);
}

// A budget ends its rule at the first place, from where it is used up, where the body can end.
bool Chart::MayEnd(const Completion& completion, int32_t end) {
  const RuleId rule = RuleOf(completion.expr);
  if (rule < 0 || grammar_->rule(rule).options.empty()) return true;
  const RuleOptions& options = grammar_->rule(rule).options;
  const int32_t begin = completion.origin;
  const int64_t chars = chars_[static_cast<size_t>(end)] - chars_[static_cast<size_t>(begin)];
  const auto is_inside = [&](const Step& step) {
    return step.token >= 0 && step.begin >= begin && step.end <= end;
  };
  if (chars < options.min_length) return false;
  if (options.max_length != kUnbounded && chars > options.max_length) return false;
  bool used_up = options.max_chars != kUnbounded && chars >= options.max_chars;
  if (options.max_tokens != kUnbounded) {
    used_up =
        used_up || std::count_if(steps_.begin(), steps_.end(), is_inside) >= options.max_tokens;
  }
  if (!used_up) return true;
  return used_up_.emplace(completion, end).first->second == end;
}

void Chart::Feed(std::string_view text, int32_t token) {
  const int32_t begin = size();
  steps_.push_back({begin, begin + static_cast<int32_t>(text.size()), token});
  text_.append(text);
  sets_.resize(text_.size() + 1);
  for (char c : text) chars_.push_back(chars_.back() + (IsContinuation(c) ? 0 : 1));
  std::vector<int32_t> still_pending;
  for (int32_t position : pending_) {
    if (!Scan(position)) still_pending.push_back(position);
  }
  pending_ = std::move(still_pending);
  if (token >= 0 && !text.empty()) ScanToken(steps_.back());
  Process();
}

void Chart::Process() {
  for (; num_closed_ <= size(); ++num_closed_) {
    Closer(this, num_closed_).Run();
    CheckMemory();
    if (!Scan(num_closed_)) pending_.push_back(num_closed_);
  }
}

void Chart::CheckMemory() {
  memory_bytes_ += set(num_closed_).MemorySizeBytes();
  if (memory_bytes_ > limits_.max_state_bytes) {
    ThrowLimitError("max_state_bytes", memory_bytes_, limits_.max_state_bytes,
                    "the record of captures and temperatures");
  }
}

bool Chart::Scan(int32_t position) {
  const auto begin = static_cast<size_t>(position);
  const std::string_view rest = std::string_view(text_).substr(begin);
  if (CompletePrefixSize(rest.substr(0, 4)) == 0) return false;
  const DecodedCodePoint decoded = DecodeUtf8(text_, begin);
  if (!decoded.valid) return true;
  const int32_t next = position + decoded.size;
  for (const Item& item : set(position).items) ScanItem(item, decoded.code_point, next);
  return true;
}

void Chart::ScanItem(const Item& item, uint32_t code_point, int32_t next) {
  if (item.expr == root_expr()) return;
  Set& target = set(next);
  switch (grammar_->kind(item.expr)) {
    case ExprKind::kByteString: {
      const std::string_view bytes = grammar_->bytes(item.expr);
      const auto at = static_cast<size_t>(item.progress);
      if (at == bytes.size()) return;
      const DecodedCodePoint expected = DecodeUtf8(bytes, at);
      if (expected.code_point != code_point) return;
      target.items.push_back({item.expr, item.progress + expected.size, item.origin});
      return;
    }
    case ExprKind::kCharClass:
      for (const CodePointRange& range : grammar_->ranges(item.expr)) {
        if (range.lo <= code_point && code_point <= range.hi) {
          target.completions.push_back({item.expr, item.origin});
        }
      }
      return;
    case ExprKind::kAutomaton: {
      const int32_t state = grammar_->automaton(item.expr)->Next(item.progress, code_point);
      if (state >= 0) target.items.push_back({item.expr, state, item.origin});
      return;
    }
    default:
      return;
  }
}

void Chart::ScanToken(const Step& step) {
  for (const Item& item : set(step.begin).items) {
    if (item.expr == root_expr() || grammar_->kind(item.expr) != ExprKind::kTokenSet) continue;
    const auto ids = grammar_->token_ids(item.expr);
    const bool is_listed = std::binary_search(ids.begin(), ids.end(), step.token);
    if (is_listed == grammar_->is_excluding(item.expr)) continue;
    set(size()).completions.push_back({item.expr, item.origin});
  }
}

void Chart::Truncate(size_t num_steps) {
  if (num_steps >= steps_.size()) return;
  const int32_t new_size = steps_[num_steps].begin;
  steps_.resize(num_steps);
  text_.resize(static_cast<size_t>(new_size));
  for (int32_t position = new_size + 1; position < num_closed_; ++position) {
    memory_bytes_ -= set(position).MemorySizeBytes();
  }
  sets_.resize(text_.size() + 1);
  chars_.resize(text_.size() + 1);
  num_closed_ = std::min(num_closed_, new_size + 1);
  std::erase_if(used_up_, [&](const auto& entry) { return entry.second > new_size; });
  // Characters that have been cut are read again, when the text goes on.
  pending_.clear();
  for (int32_t position = std::max(0, new_size - 3); position < num_closed_; ++position) {
    const std::string_view rest = std::string_view(text_).substr(static_cast<size_t>(position));
    if (CompletePrefixSize(rest) == 0) pending_.push_back(position);
  }
}

}  // namespace xgrammar
