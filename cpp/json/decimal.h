// Decimal: exact decimal numbers of any size, read from JSON number text. Used for bounds, divisors
// and equality of JSON numbers, where binary floating point would lose digits.
//
// Offers comparison, neighbours and rounding to integers, and the digits themselves. A value; safe
// to share.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace xgrammar {

/// Value: (-1)^negative * digits * 10^exponent. Invariant: `digits` has no leading and no trailing
/// zero; zero is "0" with exponent 0 and not negative. So equal values have equal fields.
class Decimal {
 public:
  /// Zero.
  Decimal() = default;
  /// Precondition: `text` matches the JSON number grammar. An exponent beyond +-10^15 is clamped to
  /// that.
  static Decimal FromJsonNumber(std::string_view text);
  static Decimal FromInt(int64_t value);

  bool negative() const { return negative_; }
  bool IsZero() const { return digits_ == "0"; }
  bool IsInteger() const { return exponent_ >= 0; }
  const std::string& digits() const { return digits_; }
  int64_t exponent() const { return exponent_; }

  /// Negative, zero or positive, as strcmp.
  int Compare(const Decimal& other) const;
  Decimal Negated() const;
  Decimal Absolute() const { return negative_ ? Negated() : *this; }
  /// Largest integer not above, smallest integer not below.
  Decimal Floor() const;
  Decimal Ceil() const;
  /// The integer plus one or minus one. Precondition: IsInteger().
  Decimal Successor() const;
  Decimal Predecessor() const;

  /// Digits before the decimal point of the plain form, without sign ("0" if none), and after it
  /// ("" if none). Precondition: PlainSize() is small enough to hold.
  std::string IntegerDigits() const;
  std::string FractionDigits() const;
  /// Number of characters that the plain form needs.
  int64_t PlainSize() const;
  /// Plain decimal without exponent and without superfluous zeros, such as "-0.5" or "100000".
  std::string ToPlain() const;
  /// The value if it is an integer that fits.
  std::optional<int64_t> ToInt64() const;
  /// A text that is equal for equal values and short for any exponent.
  std::string CanonicalKey() const;

  friend bool operator==(const Decimal&, const Decimal&) = default;

 private:
  void Normalize();
  // Magnitude plus one; precondition: integer.
  static Decimal MagnitudePlusOne(const Decimal& value);
  static Decimal MagnitudeMinusOne(const Decimal& value);

  bool negative_ = false;
  std::string digits_ = "0";
  int64_t exponent_ = 0;
};

}  // namespace xgrammar
