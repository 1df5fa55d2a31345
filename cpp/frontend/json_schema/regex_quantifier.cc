// Quantifiers, made state by state: as a regular expression, the 99 first bounds of one or two
// digits are as many alternatives, and determinising them took longer than all other parts of a
// pattern but its classes.
//
// A state holds the first bound as far as the second one is compared with it, and later what is
// left of the comparison: digits that must follow, or none.
#include "frontend/json_schema/regex_quantifier.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "frontend/json_schema/state_writer.h"

namespace xgrammar::json_schema {

namespace {

// First bounds with more digits have no second one.
constexpr size_t kMaxDigits = 9;

class QuantifierBuilder : private StateWriter<CodePointDfa::State> {
 public:
  /// `is_rest`: what follows the `{`.
  CodePointDfa Build(bool is_rest) {
    const int32_t start = is_rest ? -1 : Add();
    const int32_t open = Add();
    end_ = Add();
    lazy_ = Add();
    At(lazy_).accept = true;
    At(end_).accept = true;
    AddEdge(end_, '?', '?', lazy_);
    if (!is_rest) {
      for (const uint32_t c : {uint32_t{'*'}, uint32_t{'+'}, uint32_t{'?'}})
        AddEdge(start, c, c, end_);
      AddEdge(start, '{', '{', open);
    }
    comma_ = Add();
    AddEdge(comma_, '}', '}', end_);
    MakeMoreDigits();
    MakeFirstBounds(open);
    return CodePointDfa(states_);
  }

 private:
  void AddDigits(int32_t from, int first, int last, int32_t to) {
    if (first > last) return;
    AddEdge(from, '0' + static_cast<uint32_t>(first), '0' + static_cast<uint32_t>(last), to);
  }
  // A state after a first bound behind which the quantifier may end, with or without a comma.
  int32_t AddBound(int32_t after_comma) {
    const int32_t state = Add();
    AddEdge(state, ',', ',', after_comma);
    AddEdge(state, '}', '}', end_);
    return state;
  }
  // A state behind the comma, where the quantifier may end.
  int32_t AddComma() {
    const int32_t state = Add();
    AddEdge(state, '}', '}', end_);
    return state;
  }

  // States of second bounds that need so many more digits at least.
  void MakeMoreDigits() {
    for (size_t count = 0; count < more_.size(); ++count) {
      more_[count] = Add();
      AddDigits(more_[count], 0, 9, more_[count == 0 ? 0 : count - 1]);
    }
    AddEdge(more_[0], '}', '}', end_);
  }

  void MakeFirstBounds(int32_t open) {
    const int32_t any = AddBound(comma_);  // Of too many digits, or with a needless zero.
    AddDigits(any, 0, 9, any);
    std::array<int32_t, kMaxDigits + 1> by_digits{};
    for (size_t digits = kMaxDigits; digits > 2; --digits) {
      const int32_t after_comma = AddComma();
      AddDigits(after_comma, 1, 9, more_[digits]);
      by_digits[digits] = AddBound(after_comma);
      AddDigits(by_digits[digits], 0, 9, digits == kMaxDigits ? any : by_digits[digits + 1]);
    }
    const int32_t after_zero = AddComma();
    AddDigits(after_zero, 0, 9, more_[0]);
    const int32_t zero = AddBound(after_zero);
    AddDigits(zero, 0, 9, any);
    AddDigits(open, 0, 0, zero);
    for (int tens = 1; tens < 10; ++tens) {
      const int32_t one_digit = AddOneDigit(tens);
      AddDigits(open, tens, tens, one_digit);
      for (int ones = 0; ones < 10; ++ones) {
        const int32_t two_digits = AddTwoDigits(tens, ones);
        AddDigits(two_digits, 0, 9, by_digits[3]);
        AddDigits(one_digit, ones, ones, two_digits);
      }
    }
  }

  int32_t AddOneDigit(int least) {
    const int32_t after_comma = AddComma();
    AddDigits(after_comma, 1, least - 1, more_[1]);
    AddDigits(after_comma, least, 9, more_[0]);
    return AddBound(after_comma);
  }

  int32_t AddTwoDigits(int tens, int ones) {
    const int32_t same_tens = Add();
    AddDigits(same_tens, 0, ones - 1, more_[1]);
    AddDigits(same_tens, ones, 9, more_[0]);
    const int32_t after_comma = AddComma();
    AddDigits(after_comma, 1, tens - 1, more_[2]);
    AddDigits(after_comma, tens, tens, same_tens);
    AddDigits(after_comma, tens + 1, 9, more_[1]);
    return AddBound(after_comma);
  }

  std::array<int32_t, kMaxDigits + 1> more_{};  ///< By the digits that must follow.
  int32_t end_ = 0;                             ///< A whole quantifier; a `?` may follow.
  int32_t lazy_ = 0;                            ///< The same after that.
  int32_t comma_ = 0;                           ///< After a comma and no second bound.
};

}  // namespace

CodePointDfa RegexQuantifier() { return QuantifierBuilder().Build(false); }

CodePointDfa RegexQuantifierRest() { return QuantifierBuilder().Build(true); }

}  // namespace xgrammar::json_schema
