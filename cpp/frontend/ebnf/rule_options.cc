// Rule options of EBNF: reading and checking the list `name [= value] (, name [= value])*`.
//
// The whole list is checked before an option that cannot be honoured is refused.
#include "frontend/ebnf/rule_options.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <unordered_set>
#include <utility>

#include "frontend/ebnf/escape.h"
#include "support/utf8.h"

namespace xgrammar::ebnf {

namespace {

enum class OptionValue : uint8_t { kNone, kCount, kNumber, kText, kOptionalText };

struct OptionForm {
  std::string_view name;
  OptionValue value;
  int64_t min = 0;  // kCount
};

constexpr int64_t kMaxCount = std::numeric_limits<int32_t>::max();

constexpr std::array<OptionForm, 14> kOptionForms = {{
    {"max_tokens", OptionValue::kCount, 1},
    {"max_chars", OptionValue::kCount},
    {"min_length", OptionValue::kCount},
    {"max_length", OptionValue::kCount},
    {"min_escaped_length", OptionValue::kCount},
    {"max_escaped_length", OptionValue::kCount},
    {"capture", OptionValue::kOptionalText},
    {"lazy", OptionValue::kNone},
    {"temperature", OptionValue::kNumber},
    {"stop_capture", OptionValue::kText},
    {"capture_hidden_suffix_bytes", OptionValue::kCount, 1},
    {"capture_hidden_stop_bytes", OptionValue::kCount, 1},
    {"capture_hidden_body_rule_id", OptionValue::kCount},
    {"capture_hidden_marker_rule_id", OptionValue::kCount},
}};

const OptionForm* FindForm(std::string_view name) {
  for (const OptionForm& form : kOptionForms) {
    if (form.name == name) return &form;
  }
  return nullptr;
}

class OptionListReader {
 public:
  OptionListReader(const Lexer& lexer, const Token& options)
      : lexer_(lexer),
        source_(lexer.source()),
        position_(options.offset + 1),
        end_(options.offset + options.size - 1) {}

  RuleOptionList Read() {
    for (;;) {
      ReadOption();
      SkipBlanks();
      if (position_ == end_) break;
      if (source_[position_] != ',') lexer_.Fail(position_, "Expect , or ] in rule options");
      ++position_;
    }
    if (unsupported_.empty()) return list_;
    if (seen_.count("capture_hidden_body_rule_id") + seen_.count("capture_hidden_marker_rule_id") ==
        1) {
      lexer_.Fail(unsupported_offset_,
                  "The capture-hidden body and marker rule ids must be specified together");
    }
    Error error = lexer_.ErrorAt(ErrorKind::kUnsupported, unsupported_offset_,
                                 "The rule option " + Quoted(unsupported_) + " is not supported");
    error.Hint("hide a marker of fixed length with capture_hidden_suffix_bytes");
    throw error.Feature(std::string(unsupported_));
  }

 private:
  static std::string Quoted(std::string_view name) {
    return "\"" + QuoteForMessage(name, 60) + "\"";
  }

  void SkipBlanks() {
    while (position_ < end_ && (source_[position_] == ' ' || source_[position_] == '\t')) {
      ++position_;
    }
  }

  std::string_view ReadUntil(std::string_view stops) {
    size_t stop = source_.find_first_of(stops, position_);
    if (stop == std::string_view::npos || stop > end_) stop = end_;
    std::string_view text = source_.substr(position_, stop - position_);
    position_ = stop;
    return text;
  }

  void ReadOption() {
    SkipBlanks();
    size_t offset = position_;
    std::string_view name = ReadUntil(" \t,=]\"");
    if (name.empty()) lexer_.Fail(offset, "Expect the name of a rule option");
    const OptionForm* form = FindForm(name);
    if (form == nullptr) {
      lexer_.Fail(offset, "Unknown rule option " + Quoted(name));
    }
    if (!seen_.insert(name).second) {
      lexer_.Fail(offset, "The rule option " + Quoted(name) + " is given twice");
    }
    SkipBlanks();
    bool has_value = position_ < end_ && source_[position_] == '=';
    if (has_value && form->value == OptionValue::kNone) {
      lexer_.Fail(position_, "The rule option " + Quoted(name) + " takes no value");
    }
    if (!has_value && form->value != OptionValue::kNone &&
        form->value != OptionValue::kOptionalText) {
      lexer_.Fail(position_, "The rule option " + Quoted(name) + " needs a value");
    }
    const Value value = has_value ? ReadValue(*form) : Value();
    if (!Store(name, value) && unsupported_.empty()) {
      unsupported_ = name;
      unsupported_offset_ = offset;
    }
  }

  struct Value {
    int64_t count = 0;
    double number = 0;
    std::string text;
  };

  /// False for an option that cannot be honoured.
  bool Store(std::string_view name, const Value& value) {
    if (name == "lazy") {
      list_.lazy = true;
    } else if (name == "max_tokens") {
      list_.options.max_tokens = value.count;
    } else if (name == "max_chars") {
      list_.options.max_chars = value.count;
    } else if (name == "min_length") {
      list_.options.min_length = value.count;
    } else if (name == "min_escaped_length") {
      list_.options.min_escaped_length = value.count;
    } else if (name == "max_length") {
      list_.options.max_length = value.count;
    } else if (name == "max_escaped_length") {
      list_.options.max_escaped_length = value.count;
    } else if (name == "capture") {
      list_.notes.capture = value.text;
      list_.captures_by_name = value.text.empty();
    } else if (name == "stop_capture") {
      list_.notes.stop_capture = value.text;
    } else if (name == "capture_hidden_suffix_bytes") {
      list_.notes.hidden_suffix_bytes = value.count;
    } else if (name == "capture_hidden_stop_bytes") {
      list_.notes.hidden_stop_bytes = value.count;
    } else if (name == "temperature") {
      list_.notes.temperature = value.number;
    } else {
      return false;
    }
    return true;
  }

  Value ReadValue(const OptionForm& form) {
    ++position_;
    SkipBlanks();
    const size_t offset = position_;
    const bool is_text = position_ < end_ && source_[position_] == '"';
    const bool wants_text =
        form.value == OptionValue::kText || form.value == OptionValue::kOptionalText;
    if (!is_text && (position_ == end_ || source_[position_] == ',')) {
      lexer_.Fail(offset, "Expect the value of the rule option");
    }
    if (is_text != wants_text) {
      lexer_.Fail(offset, "Expect a " + std::string(wants_text ? "string" : "number") +
                              " as the value of the rule option " + Quoted(form.name));
    }
    Value value;
    if (is_text) {
      value.text = ReadText(form, offset);
      return value;
    }
    const std::string_view digits = ReadUntil(" \t,]");
    if (form.value == OptionValue::kCount) {
      if (digits[0] == '-') lexer_.Fail(offset, "The value of a rule option is negative");
      value.count = ReadCount(form, digits, offset);
    } else {
      value.number = ReadTemperature(digits, offset);
    }
    return value;
  }

  std::string ReadText(const OptionForm& form, size_t offset) {
    std::string text;
    ++position_;
    // The lexer has seen the closing quote, or the `]` would not have ended the list.
    while (position_ < end_ && source_[position_] != '"') {
      if (source_[position_] != '\\') {
        text += source_[position_++];
        continue;
      }
      const Escape escape = ReadEscape(source_, position_, EscapeContext::kString);
      if (escape.size == 0) lexer_.Fail(position_, escape.problem);
      AppendUtf8(escape.code_point, &text);
      position_ += escape.size;
    }
    ++position_;
    if (text.empty()) {
      lexer_.Fail(offset, form.name == "capture" ? "The capture name must not be empty"
                                                 : "The stop capture name must not be empty");
    }
    return text;
  }

  double ReadTemperature(std::string_view digits, size_t offset) const {
    const char* first = digits.data();
    const char* last = first + digits.size();
    if (digits.size() > 1 && digits[0] == '+' && digits[1] != '-') ++first;
    double value = 0;
    const auto [end, problem] = std::from_chars(first, last, value);
    if (problem == std::errc::result_out_of_range) {
      const bool is_tiny = digits.find('-') != std::string_view::npos || digits[0] == '.' ||
                           digits.substr(0, 2) == "0.";
      value = is_tiny ? 0 : HUGE_VAL;
    }
    if (problem == std::errc::invalid_argument || end != last) {
      lexer_.Fail(offset, "Expect a number as the value of the rule option \"temperature\"");
    }
    // from_chars reads "inf", "nan" and -0, too.
    if (!std::isfinite(value) || value < 0) {
      lexer_.Fail(offset, "The temperature must be a finite non-negative number");
    }
    return std::abs(value);
  }

  int64_t ReadCount(const OptionForm& form, std::string_view digits, size_t offset) const {
    int64_t value = 0;
    for (char c : digits) {
      if (c < '0' || c > '9') {
        lexer_.Fail(offset, "Expect a number as the value of the rule option " + Quoted(form.name));
      }
      value = std::min(value * 10 + (c - '0'), kMaxCount + 1);
    }
    if (value < form.min || value > kMaxCount) {
      lexer_.Fail(offset, "The rule option " + Quoted(form.name) + " must be from " +
                              std::to_string(form.min) + " to " + std::to_string(kMaxCount));
    }
    return value;
  }

  const Lexer& lexer_;
  std::string_view source_;
  size_t position_;
  size_t end_;
  std::unordered_set<std::string_view> seen_;
  RuleOptionList list_;
  std::string_view unsupported_;  // The first one.
  size_t unsupported_offset_ = 0;
};

}  // namespace

RuleOptionList ReadRuleOptions(const Lexer& lexer, const Token& options) {
  return OptionListReader(lexer, options).Read();
}

}  // namespace xgrammar::ebnf
