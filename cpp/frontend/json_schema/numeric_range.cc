// Comparison and divisibility of decimal texts, digit by digit.
//
// A magnitude is compared with a bound while its digits are read: as long as the lengths agree, the
// first differing digit decides; a longer integer part is larger, a shorter one smaller.
// Divisibility tracks the remainder of the digits read so far, scaled so that the divisor is an
// integer. All else is products, unions and complements of such machines.
#include "frontend/json_schema/numeric_range.h"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "support/error.h"

namespace xgrammar::json_schema {

namespace {

constexpr int64_t kMaxRemainders = 10000;
constexpr int64_t kMaxBoundDigits = 10000;

using State = CodePointDfa::State;

// Deterministic machine under construction; states are added on demand by key.
class DigitMachine {
 public:
  int32_t AddState(bool accept) {
    states_.emplace_back();
    states_.back().accept = accept;
    return static_cast<int32_t>(states_.size() - 1);
  }
  void AddEdge(int32_t from, uint32_t lo, uint32_t hi, int32_t to) {
    states_[static_cast<size_t>(from)].edges.push_back({lo, hi, to});
  }
  void SetAccept(int32_t state) { states_[static_cast<size_t>(state)].accept = true; }
  CodePointDfa Build() {
    for (State& state : states_) {
      std::sort(state.edges.begin(), state.edges.end(),
                [](const auto& a, const auto& b) { return a.lo < b.lo; });
    }
    return CodePointDfa(std::move(states_));
  }

 private:
  std::vector<State> states_;
};

// Which results of a comparison are accepted.
struct Verdicts {
  bool less = false;
  bool equal = false;
  bool greater = false;
};

// Unsigned plain decimals (or integers) compared with a bound >= 0.
class MagnitudeComparison {
 public:
  MagnitudeComparison(const Decimal& bound, Verdicts accept, bool integers_only)
      : integer_(bound.IntegerDigits()),
        fraction_(bound.FractionDigits()),
        accept_(accept),
        integers_only_(integers_only) {}

  CodePointDfa Build() {
    const int32_t start = machine_.AddState(false);
    for (uint32_t digit = 0; digit <= 9; ++digit) {
      // A leading zero is the whole integer part.
      const int32_t next = digit == 0 ? AfterZero() : AfterInteger(1, CompareDigit(0, digit));
      machine_.AddEdge(start, '0' + digit, '0' + digit, next);
    }
    return machine_.Build();
  }

 private:
  enum Order : int { kLess = 0, kEqual = 1, kGreater = 2 };

  Order CompareDigit(size_t position, uint32_t digit) const {
    const auto bound = static_cast<uint32_t>(integer_[position] - '0');
    return digit < bound ? kLess : (digit > bound ? kGreater : kEqual);
  }
  bool Accepts(Order order) const {
    return order == kLess ? accept_.less : (order == kGreater ? accept_.greater : accept_.equal);
  }
  // What the number compares to if it ends after these integer digits (and zeros only may follow).
  Order IntegerOrder(size_t count, Order prefix) const {
    if (count < integer_.size()) return kLess;
    if (count > integer_.size()) return kGreater;
    return prefix;
  }
  Order WithoutMoreDigits(Order order, size_t fraction_read) const {
    return order == kEqual && fraction_read < fraction_.size() ? kLess : order;
  }

  int32_t AfterZero() {
    const Order order = integer_.size() > 1 ? kLess : CompareDigit(0, 0);
    const int32_t state = machine_.AddState(Accepts(WithoutMoreDigits(order, 0)));
    AddPoint(state, order);
    return state;
  }

  // After `count` >= 1 integer digits that do not start with zero.
  int32_t AfterInteger(size_t count, Order prefix) {
    count = std::min(count, integer_.size() + 1);
    if (count > integer_.size()) prefix = kGreater;
    const auto [place, is_new] = integer_states_.try_emplace({count, prefix}, -1);
    if (!is_new) return place->second;
    const Order order = IntegerOrder(count, prefix);
    const int32_t state = machine_.AddState(Accepts(WithoutMoreDigits(order, 0)));
    integer_states_[{count, prefix}] = state;
    AddPoint(state, order);
    if (count >= integer_.size()) {
      machine_.AddEdge(state, '0', '9', AfterInteger(count + 1, kGreater));
      return state;
    }
    pending_.push_back({state, count, prefix});
    if (draining_) return state;
    draining_ = true;  // A worklist instead of recursion: bounds may have thousands of digits.
    while (!pending_.empty()) {
      const Pending next = pending_.back();
      pending_.pop_back();
      for (uint32_t digit = 0; digit <= 9; ++digit) {
        const Order order_here =
            next.prefix == kEqual ? CompareDigit(next.count, digit) : next.prefix;
        const int32_t target = AfterInteger(next.count + 1, order_here);
        machine_.AddEdge(next.state, '0' + digit, '0' + digit, target);
      }
    }
    draining_ = false;
    return state;
  }

  void AddPoint(int32_t from, Order order) {
    if (integers_only_) return;
    const int32_t point = machine_.AddState(false);
    machine_.AddEdge(from, '.', '.', point);
    AddFractionEdges(point, 0, order);
  }

  void AddFractionEdges(int32_t from, size_t read, Order order) {
    // Once decided, or past the digits of the bound, one looping state is enough.
    while (order == kEqual && read < fraction_.size()) {
      const auto bound = static_cast<uint32_t>(fraction_[read] - '0');
      if (bound > 0) machine_.AddEdge(from, '0', '0' + bound - 1, Decided(kLess));
      if (bound < 9) machine_.AddEdge(from, '0' + bound + 1, '9', Decided(kGreater));
      ++read;
      const auto [place, is_new] = fraction_states_.try_emplace(read, -1);
      if (is_new) place->second = machine_.AddState(Accepts(WithoutMoreDigits(kEqual, read)));
      machine_.AddEdge(from, '0' + bound, '0' + bound, place->second);
      if (!is_new) return;
      from = place->second;
    }
    if (order != kEqual) {
      machine_.AddEdge(from, '0', '9', Decided(order));
      return;
    }
    machine_.AddEdge(from, '1', '9', Decided(kGreater));
    if (zeros_ < 0) {
      zeros_ = machine_.AddState(Accepts(kEqual));
      machine_.AddEdge(zeros_, '0', '0', zeros_);
      machine_.AddEdge(zeros_, '1', '9', Decided(kGreater));
    }
    machine_.AddEdge(from, '0', '0', zeros_);
  }

  // In the fraction, with the comparison decided.
  int32_t Decided(Order order) {
    int32_t& state = decided_[static_cast<size_t>(order)];
    if (state < 0) {
      state = machine_.AddState(Accepts(order));
      machine_.AddEdge(state, '0', '9', state);
    }
    return state;
  }

  struct Pending {
    int32_t state;
    size_t count;
    Order prefix;
  };

  std::string integer_;
  std::string fraction_;
  Verdicts accept_;
  bool integers_only_;
  DigitMachine machine_;
  std::map<std::pair<size_t, int>, int32_t> integer_states_;
  std::map<size_t, int32_t> fraction_states_;
  std::array<int32_t, 3> decided_{-1, -1, -1};
  int32_t zeros_ = -1;
  std::vector<Pending> pending_;
  bool draining_ = false;
};

CodePointDfa CompareMagnitude(const Decimal& bound, Verdicts accept, bool integers_only) {
  if (bound.PlainSize() > kMaxBoundDigits) {
    ThrowFixedLimitError("the digits of a numeric bound", bound.PlainSize(), kMaxBoundDigits);
  }
  return MagnitudeComparison(bound, accept, integers_only).Build();
}

// Unsigned magnitudes within bounds of a signed range, mirrored for the negative side.
CodePointDfa MagnitudesBetween(const std::optional<NumberBound>& lower,
                               const std::optional<NumberBound>& upper, bool integers_only,
                               int64_t max_states) {
  std::optional<CodePointDfa> result;
  const auto narrow = [&](CodePointDfa dfa) {
    result = result ? Intersect(*result, dfa, max_states) : std::move(dfa);
  };
  const Verdicts any{true, true, true};
  if (lower && upper) {
    const int order = lower->value.Compare(upper->value);
    if (order > 0 || (order == 0 && (lower->exclusive || upper->exclusive)))
      return CodePointDfa(std::vector<State>(1));
  }
  if (upper) {
    if (upper->value.negative()) return CodePointDfa(std::vector<State>(1));
    narrow(CompareMagnitude(upper->value, {true, !upper->exclusive, false}, integers_only));
  }
  const bool is_any_above = lower && lower->value.IsZero() && !lower->exclusive;
  if (lower && !lower->value.negative() && !is_any_above) {
    narrow(CompareMagnitude(lower->value, {false, !lower->exclusive, true}, integers_only));
  }
  if (!result) result = CompareMagnitude(Decimal(), any, integers_only);
  return *result;
}

std::optional<NumberBound> Mirror(const std::optional<NumberBound>& bound) {
  if (!bound) return std::nullopt;
  return NumberBound{bound->value.Negated(), bound->exclusive};
}

// `-` before a magnitude, or no sign: the start state takes the edges of both machines.
CodePointDfa Signed(const CodePointDfa& positive, const CodePointDfa& negative) {
  std::vector<State> states(1);
  const auto append = [&](const CodePointDfa& dfa) {
    const auto offset = static_cast<int32_t>(states.size());
    for (State& state : dfa.CopyStates()) {
      for (auto& edge : state.edges) edge.target += offset;
      states.push_back(std::move(state));
    }
    return offset;
  };
  const int32_t positive_start = append(positive);
  const int32_t negative_start = append(negative);
  if (!negative.IsEmpty()) states[0].edges.push_back({'-', '-', negative_start});
  const State& first = states[static_cast<size_t>(positive_start)];
  states[0].edges.insert(states[0].edges.end(), first.edges.begin(), first.edges.end());
  return CodePointDfa(std::move(states));
}

CodePointDfa Range(const NumberConstraint& constraint, bool integers_only, int64_t max_states) {
  const CodePointDfa positive =
      MagnitudesBetween(constraint.lower, constraint.upper, integers_only, max_states);
  std::optional<NumberBound> lower = Mirror(constraint.upper);
  const std::optional<NumberBound> upper = Mirror(constraint.lower);
  // Integers have one zero, without a sign.
  if (integers_only && (!lower || lower->value.negative() || lower->value.IsZero())) {
    lower = NumberBound{Decimal::FromInt(1), false};
  }
  return Signed(positive, MagnitudesBetween(lower, upper, integers_only, max_states));
}

// Unsigned or signed plain decimals with a non-zero digit after the point, if `integral` is false;
// else those without.
CodePointDfa Integrality(bool integral) {
  DigitMachine machine;
  const int32_t start = machine.AddState(false);
  const int32_t sign = machine.AddState(false);
  const int32_t integer = machine.AddState(integral);
  const int32_t zeros = machine.AddState(integral);
  const int32_t fraction = machine.AddState(!integral);
  machine.AddEdge(start, '-', '-', sign);
  machine.AddEdge(start, '0', '9', integer);
  machine.AddEdge(sign, '0', '9', integer);
  machine.AddEdge(integer, '0', '9', integer);
  machine.AddEdge(integer, '.', '.', zeros);
  machine.AddEdge(zeros, '0', '0', zeros);
  machine.AddEdge(zeros, '1', '9', fraction);
  machine.AddEdge(fraction, '0', '9', fraction);
  return machine.Build();
}

// Texts whose digits, read as a plain decimal, are a multiple of the divisor (or, negated, are
// not).
CodePointDfa Divisibility(const Decimal& divisor, bool multiple) {
  const int64_t scale =
      std::max<int64_t>(0, -divisor.exponent());  // Fraction digits that can matter.
  Decimal scaled = divisor;
  std::optional<int64_t> modulus;
  if (divisor.PlainSize() < 40) {
    scaled = Decimal::FromJsonNumber(divisor.digits() + "e" +
                                     std::to_string(divisor.exponent() + scale));
    modulus = scaled.ToInt64();
  }
  if (!modulus || *modulus > kMaxRemainders || (scale + 1) * *modulus > kMaxRemainders * 10) {
    Error error(ErrorKind::kUnsupported, "the divisor needs more than 10000 remainders");
    throw error;
  }
  const int64_t m = *modulus;
  // State: how many fraction digits were read (0 before the point, 1 after it without digits, ...),
  // and the remainder.
  DigitMachine machine;
  const int32_t start = machine.AddState(false);
  const int32_t sign = machine.AddState(false);
  std::vector<int64_t> weight(static_cast<size_t>(scale) + 1,
                              1);  // 10^(scale - digits read), modulo m.
  for (size_t i = weight.size() - 1; i-- > 0;) weight[i] = weight[i + 1] * 10 % m;
  const auto divisible = [&](int64_t remainder, size_t digits_read) {
    return remainder * weight[digits_read] % m == 0;
  };
  const auto accepts = [&](bool is_multiple) { return is_multiple == multiple; };
  std::vector<std::vector<int32_t>> states(static_cast<size_t>(scale) + 1);
  for (size_t read = 0; read < states.size(); ++read) {
    for (int64_t r = 0; r < m; ++r)
      states[read].push_back(machine.AddState(accepts(divisible(r, read))));
  }
  const int32_t never = machine.AddState(accepts(false));
  machine.AddEdge(never, '0', '9', never);
  const auto digit_edges = [&](int32_t from, int64_t remainder, size_t target_read) {
    for (int64_t digit = 0; digit <= 9; ++digit) {
      const auto c = static_cast<uint32_t>('0' + digit);
      machine.AddEdge(from, c, c,
                      states[target_read][static_cast<size_t>((remainder * 10 + digit) % m)]);
    }
  };
  machine.AddEdge(start, '-', '-', sign);
  digit_edges(start, 0, 0);
  digit_edges(sign, 0, 0);
  std::vector<int32_t> zeros(static_cast<size_t>(m), -1);  // Past the digits that matter.
  for (int64_t r = 0; r < m; ++r) {
    const int32_t state = states[0][static_cast<size_t>(r)];
    digit_edges(state, r, 0);
    const int32_t point = machine.AddState(false);
    machine.AddEdge(state, '.', '.', point);
    if (scale > 0) {
      digit_edges(point, r, 1);
    }
    int32_t& zero = zeros[static_cast<size_t>(r)];
    zero = machine.AddState(accepts(r % m == 0));
    machine.AddEdge(zero, '0', '0', zero);
    machine.AddEdge(zero, '1', '9', never);
    if (scale == 0) {
      machine.AddEdge(point, '0', '0', zero);
      machine.AddEdge(point, '1', '9', never);
    }
  }
  for (size_t read = 1; read < states.size(); ++read) {
    for (int64_t r = 0; r < m; ++r) {
      const int32_t state = states[read][static_cast<size_t>(r)];
      if (read + 1 < states.size()) {
        digit_edges(state, r, read + 1);
      } else {
        machine.AddEdge(state, '0', '0', zeros[static_cast<size_t>(r)]);
        machine.AddEdge(state, '1', '9', never);
      }
    }
  }
  return machine.Build();
}

// The least common multiple, if it is small enough to be written with a common scale.
std::optional<Decimal> LeastCommonMultiple(const Decimal& a, const Decimal& b) {
  const int64_t exponent = std::min(a.exponent(), b.exponent());
  const auto scaled = [&](const Decimal& value) -> std::optional<int64_t> {
    if (value.exponent() - exponent > 18) return std::nullopt;
    return Decimal::FromJsonNumber(value.digits() + "e" +
                                   std::to_string(value.exponent() - exponent))
        .ToInt64();
  };
  const std::optional<int64_t> x = scaled(a);
  const std::optional<int64_t> y = scaled(b);
  if (!x || !y) return std::nullopt;
  const int64_t factor = *x / std::gcd(*x, *y);
  if (factor > INT64_MAX / *y) return std::nullopt;
  return Decimal::FromJsonNumber(std::to_string(factor * *y) + "e" + std::to_string(exponent));
}

// A number is a multiple of all divisors if it is one of their least common multiple.
std::vector<Decimal> MergeDivisors(std::vector<Decimal> divisors, bool integer) {
  if (integer && !divisors.empty()) divisors.push_back(Decimal::FromInt(1));
  std::vector<Decimal> merged;
  for (const Decimal& divisor : divisors) {
    const std::optional<Decimal> both =
        merged.empty() ? std::nullopt : LeastCommonMultiple(merged.back(), divisor);
    if (both) {
      merged.back() = *both;
    } else {
      merged.push_back(divisor);
    }
  }
  return merged;
}

}  // namespace

CodePointDfa NumberToDfa(const NumberConstraint& constraint, const Limits& limits) {
  // Remainders times digits of the bounds: 10,000 of the former beside bounds of 64 bits must fit.
  constexpr int64_t kNumberGrowth = 5;
  const int64_t max_states = std::min(limits.max_dfa_states, INT64_MAX / kNumberGrowth) *
                             (constraint.multiples.empty() ? 1 : kNumberGrowth);
  CodePointDfa result = Minimize(Range(constraint, constraint.integer, max_states));
  const auto narrow = [&](const CodePointDfa& dfa) { result = Intersect(result, dfa, max_states); };
  if (constraint.non_integer) narrow(Integrality(false));
  for (const Decimal& divisor : MergeDivisors(constraint.multiples, constraint.integer))
    narrow(Divisibility(divisor, true));
  for (const Decimal& divisor : constraint.not_multiples) narrow(Divisibility(divisor, false));
  for (const Decimal& value : constraint.excluded) {
    NumberConstraint equal;
    equal.lower = NumberBound{value, false};
    equal.upper = equal.lower;
    narrow(Complement(Range(equal, false, max_states)));
  }
  return result;
}

}  // namespace xgrammar::json_schema
