// Exact decimals as digit strings with a power of ten; schoolbook arithmetic, linear in the number
// of digits.
//
// The normal form has no zeros at either end, so equality is that of the fields. Exponents saturate
// far beyond any number that can be written out. No division: multiples are decided where they are
// asked for.
#include "json/decimal.h"

#include <algorithm>

namespace xgrammar {

namespace {

// Far beyond any number that can be written out, far from overflow when digit counts are added.
constexpr int64_t kMaxExponent = 1000000000000000;

int64_t ParseExponent(std::string_view text) {
  bool negative = false;
  size_t i = 0;
  if (i < text.size() && (text[i] == '+' || text[i] == '-')) negative = text[i++] == '-';
  int64_t value = 0;
  for (; i < text.size(); ++i) {
    if (value < kMaxExponent) value = value * 10 + (text[i] - '0');
  }
  value = std::min(value, kMaxExponent);
  return negative ? -value : value;
}

}  // namespace

Decimal Decimal::FromJsonNumber(std::string_view text) {
  Decimal out;
  size_t i = 0;
  if (i < text.size() && text[i] == '-') {
    out.negative_ = true;
    ++i;
  }
  out.digits_.clear();
  int64_t fraction_digits = 0;
  bool in_fraction = false;
  for (; i < text.size() && text[i] != 'e' && text[i] != 'E'; ++i) {
    if (text[i] == '.') {
      in_fraction = true;
      continue;
    }
    out.digits_.push_back(text[i]);
    if (in_fraction) ++fraction_digits;
  }
  out.exponent_ = (i < text.size() ? ParseExponent(text.substr(i + 1)) : 0) - fraction_digits;
  out.Normalize();
  return out;
}

Decimal Decimal::FromInt(int64_t value) { return FromJsonNumber(std::to_string(value)); }

void Decimal::Normalize() {
  const size_t first = digits_.find_first_not_of('0');
  if (first == std::string::npos) {
    *this = Decimal();
    return;
  }
  const size_t last = digits_.find_last_not_of('0');
  exponent_ += static_cast<int64_t>(digits_.size() - 1 - last);
  digits_ = digits_.substr(first, last - first + 1);
}

int Decimal::Compare(const Decimal& other) const {
  if (negative_ != other.negative_) return negative_ ? -1 : 1;
  const int sign = negative_ ? -1 : 1;
  if (IsZero() || other.IsZero()) {
    if (IsZero() && other.IsZero()) return 0;
    return IsZero() ? -sign : sign;
  }
  const int64_t magnitude = static_cast<int64_t>(digits_.size()) + exponent_;
  const int64_t other_magnitude = static_cast<int64_t>(other.digits_.size()) + other.exponent_;
  if (magnitude != other_magnitude) return magnitude < other_magnitude ? -sign : sign;
  const int order =
      digits_.compare(other.digits_);  // Without trailing zeros a proper prefix is the smaller one.
  return order == 0 ? 0 : (order < 0 ? -sign : sign);
}

Decimal Decimal::Negated() const {
  Decimal out = *this;
  if (!IsZero()) out.negative_ = !negative_;
  return out;
}

Decimal Decimal::MagnitudePlusOne(const Decimal& value) {
  Decimal out;
  out.digits_ = value.IntegerDigits();
  size_t i = out.digits_.size();
  while (i > 0 && out.digits_[i - 1] == '9') out.digits_[--i] = '0';
  if (i == 0) {
    out.digits_.insert(out.digits_.begin(), '1');
  } else {
    ++out.digits_[i - 1];
  }
  out.Normalize();
  return out;
}

Decimal Decimal::MagnitudeMinusOne(const Decimal& value) {
  Decimal out;
  out.digits_ = value.IntegerDigits();
  size_t i = out.digits_.size();
  while (i > 0 && out.digits_[i - 1] == '0') out.digits_[--i] = '9';
  if (i > 0) --out.digits_[i - 1];
  out.Normalize();
  return out;
}

Decimal Decimal::Floor() const {
  if (IsInteger()) return *this;
  Decimal out;
  out.digits_ = IntegerDigits();
  out.Normalize();
  return negative_ ? MagnitudePlusOne(out).Negated() : out;
}

Decimal Decimal::Ceil() const { return Negated().Floor().Negated(); }

Decimal Decimal::Successor() const {
  return negative_ ? MagnitudeMinusOne(*this).Negated() : MagnitudePlusOne(*this);
}

Decimal Decimal::Predecessor() const { return Negated().Successor().Negated(); }

std::string Decimal::IntegerDigits() const {
  const auto size = static_cast<int64_t>(digits_.size());
  if (exponent_ >= 0) return digits_ + std::string(static_cast<size_t>(exponent_), '0');
  if (size + exponent_ <= 0) return "0";
  return digits_.substr(0, static_cast<size_t>(size + exponent_));
}

std::string Decimal::FractionDigits() const {
  if (exponent_ >= 0) return "";
  const auto size = static_cast<int64_t>(digits_.size());
  const int64_t zeros = -exponent_ - size;
  if (zeros >= 0) return std::string(static_cast<size_t>(zeros), '0') + digits_;
  return digits_.substr(static_cast<size_t>(size + exponent_));
}

int64_t Decimal::PlainSize() const {
  const auto size = static_cast<int64_t>(digits_.size());
  const int64_t sign = negative_ ? 1 : 0;
  if (exponent_ >= 0) return sign + size + exponent_;
  return sign + std::max<int64_t>(size + exponent_, 1) + 1 - exponent_;
}

std::string Decimal::ToPlain() const {
  std::string out = negative_ ? "-" : "";
  out += IntegerDigits();
  const std::string fraction = FractionDigits();
  if (!fraction.empty()) out += "." + fraction;
  return out;
}

std::optional<int64_t> Decimal::ToInt64() const {
  if (!IsInteger() || PlainSize() > 20) return std::nullopt;
  const Decimal minimum = FromJsonNumber("-9223372036854775808");
  const Decimal maximum = FromJsonNumber("9223372036854775807");
  if (Compare(minimum) < 0 || Compare(maximum) > 0) return std::nullopt;
  uint64_t magnitude = 0;
  for (char c : IntegerDigits()) magnitude = magnitude * 10 + static_cast<uint64_t>(c - '0');
  if (!negative_) return static_cast<int64_t>(magnitude);
  return magnitude == 0 ? 0 : -static_cast<int64_t>(magnitude - 1) - 1;
}

std::string Decimal::CanonicalKey() const {
  return (negative_ ? "-" : "") + digits_ + "e" + std::to_string(exponent_);
}

}  // namespace xgrammar
