// ValuePrefix::reading: the beginning of a value as all that later bytes can depend on.
//
// Two texts with equal readings become equal values by equal texts, so a search follows one of
// them. What differs is kept apart by whether it differs in every value to come, so that a search
// can tell from their number alone that values must differ (distinct_search.cc).
#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "json/decimal.h"
#include "parser/value_prefix.h"

namespace xgrammar {

namespace {

constexpr std::string_view kDigits = "0123456789";

void AddSized(std::string_view text, std::string* out) {
  *out += std::to_string(text.size());
  out->push_back(':');
  *out += text;
}

/// Whether the text is digits without a zero before others, or only digits.
bool IsInteger(std::string_view text) {
  return text.find_first_not_of(kDigits) == std::string_view::npos &&
         (text.size() < 2 || text[0] != '0');
}

bool IsDigits(std::string_view text) {
  return text.find_first_not_of(kDigits) == std::string_view::npos;
}

}  // namespace

ValuePrefix::Reading ValuePrefix::reading() const {
  Reading reading;
  reading.form.push_back(static_cast<char>('A' + static_cast<int>(place_)));
  reading.form.push_back(is_name_ ? 'n' : 'v');
  reading.read = OpenKey();
  if (place_ == Place::kString) {
    // Hexadecimal digits in either case.
    for (size_t i = 0; i < escape_.size(); ++i)
      reading.form.push_back(i < 2 ? escape_[i] : static_cast<char>(escape_[i] | 0x20));
    reading.form += "." + std::to_string(surrogate_);
    AddSized(string_, &reading.read);
  } else if (place_ == Place::kWord) {
    reading.read += nodes_.back().text;
  } else if (place_ == Place::kNumber) {
    ReadNumber(&reading);
  } else if (place_ == Place::kAfter && open_.empty()) {
    reading.read = KeyOf(0);
  }
  return reading;
}

// What is read of the containers that are open.
std::string ValuePrefix::OpenKey() const {
  std::string key;
  for (size_t depth = 0; depth < open_.size(); ++depth) {
    const Node& own = node(open_[depth]);
    const bool has_partial = depth + 1 < open_.size() || IsInScalar();
    const size_t num_done = own.children.size() - (has_partial ? 1 : 0);
    std::vector<std::string> done;
    for (size_t i = 0; i < num_done; ++i) {
      std::string& part = done.emplace_back();
      if (own.kind == JsonKind::kObject) AddSized(own.names[i], &part);
      AddSized(KeyOf(own.children[i]), &part);
    }
    if (own.kind == JsonKind::kObject) std::sort(done.begin(), done.end());
    key += own.kind == JsonKind::kObject ? '{' : '[';
    for (const std::string& part : done) key += part;
    key.push_back(';');
    if (own.names.size() > num_done) AddSized(own.names[num_done], &key);
  }
  return key;
}

void ValuePrefix::ReadNumber(Reading* reading) const {
  const std::string& text = nodes_.back().text;
  const bool is_negative = text[0] == '-';
  const std::string_view number = std::string_view(text).substr(is_negative ? 1 : 0);
  const size_t exponent = number.find_first_of("eE");
  const std::string_view mantissa = number.substr(0, exponent);
  const size_t dot = mantissa.find('.');
  const std::string_view integer = mantissa.substr(0, dot);
  const std::string_view fraction =
      dot == std::string_view::npos ? std::string_view() : mantissa.substr(dot + 1);
  const bool has_exponent = exponent != std::string_view::npos;
  std::string_view power = has_exponent ? number.substr(exponent + 1) : std::string_view();
  const char sign = power.starts_with('-') || power.starts_with('+') ? power[0] : ' ';
  if (sign != ' ') power.remove_prefix(1);
  const bool has_digits = !integer.empty() && (dot == std::string_view::npos || !fraction.empty());
  const bool is_number =
      IsInteger(integer) && IsDigits(fraction) && IsDigits(power) && (!has_exponent || has_digits);
  if (!is_number) {
    reading->form += "text";
    reading->read += text;
    return;
  }
  reading->form.push_back(is_negative ? '-' : '+');
  if (!has_exponent) {
    const size_t end = fraction.find_last_not_of('0') + 1;
    reading->form.push_back(dot == std::string_view::npos ? 'i' : 'f');
    (reading->read += integer) += '.';
    reading->read += fraction.substr(0, end);
    reading->zeros = fraction.size() - end;
    return;
  }
  // The digits of the exponent alone are left: with one mantissa they decide what comes of it.
  const size_t first = std::min(power.find_first_not_of('0'), power.size());
  const Decimal value =
      Decimal::FromJsonNumber(std::string(text, 0, text.size() - (number.size() - exponent)));
  reading->in_exponent = true;
  reading->form += std::move(reading->read) + value.CanonicalKey();
  reading->form += sign == ' ' && power.empty() ? "e" : sign == '-' ? "d-" : "d+";
  reading->read = value.IsZero() ? "" : std::string(power.substr(first));
}

}  // namespace xgrammar
