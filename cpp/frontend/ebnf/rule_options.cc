// Rule options of EBNF: checking the list, so that a slip in it is told from an option that is not
// there yet.
//
// The list is `name [= value] (, name [= value])*`. Values are not interpreted: that belongs to the
// stage that will enforce the option.
#include "frontend/ebnf/rule_options.h"

#include <array>
#include <string>
#include <unordered_set>
#include <utility>

namespace xgrammar::ebnf {

namespace {

struct OptionForm {
  std::string_view name;
  bool takes_value;
  bool needs_value;
};

constexpr std::array<OptionForm, 10> kOptionForms = {{
    {"max_tokens", true, true},
    {"max_chars", true, true},
    {"capture", true, false},
    {"lazy", false, false},
    {"temperature", true, true},
    {"stop_capture", true, true},
    {"capture_hidden_suffix_bytes", true, true},
    {"capture_hidden_stop_bytes", true, true},
    {"capture_hidden_body_rule_id", true, true},
    {"capture_hidden_marker_rule_id", true, true},
}};

const OptionForm* FindForm(std::string_view name) {
  for (const OptionForm& form : kOptionForms) {
    if (form.name == name) return &form;
  }
  return nullptr;
}

class OptionListChecker {
 public:
  OptionListChecker(const Lexer& lexer, const Token& options)
      : lexer_(lexer),
        source_(lexer.source()),
        position_(options.offset + 1),
        end_(options.offset + options.size - 1) {}

  // Returns the first option.
  std::string_view Check() {
    std::string_view first;
    for (;;) {
      std::string_view name = CheckOption();
      if (first.empty()) first = name;
      SkipBlanks();
      if (position_ == end_) return first;
      if (source_[position_] != ',') lexer_.Fail(position_, "Expect , or ] in rule options");
      ++position_;
    }
  }

 private:
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

  std::string_view CheckOption() {
    SkipBlanks();
    size_t offset = position_;
    std::string_view name = ReadUntil(" \t,=]\"");
    if (name.empty()) lexer_.Fail(offset, "Expect the name of a rule option");
    const OptionForm* form = FindForm(name);
    if (form == nullptr) {
      lexer_.Fail(offset, "Unknown rule option \"" + QuoteForMessage(name, 60) + "\"");
    }
    if (!seen_.insert(name).second) {
      lexer_.Fail(offset, "The rule option \"" + std::string(name) + "\" is given twice");
    }
    SkipBlanks();
    bool has_value = position_ < end_ && source_[position_] == '=';
    if (has_value && !form->takes_value) {
      lexer_.Fail(position_, "The rule option \"" + std::string(name) + "\" takes no value");
    }
    if (!has_value && form->needs_value) {
      lexer_.Fail(position_, "The rule option \"" + std::string(name) + "\" needs a value");
    }
    if (has_value) CheckValue();
    return name;
  }

  void CheckValue() {
    ++position_;
    SkipBlanks();
    size_t offset = position_;
    if (position_ < end_ && source_[position_] == '"') {
      ++position_;
      // The lexer has seen the closing quote, or the `]` would not have ended the list.
      while (position_ < end_ && source_[position_] != '"') {
        position_ += source_[position_] == '\\' ? 2 : 1;
      }
      ++position_;
      if (position_ - offset == 2) lexer_.Fail(offset, "The value of a rule option is empty");
      return;
    }
    std::string_view value = ReadUntil(" \t,]");
    if (value.empty()) lexer_.Fail(offset, "Expect the value of the rule option");
    if (value[0] == '-') lexer_.Fail(offset, "The value of a rule option is negative");
    if (value.find_first_not_of("0123456789+-.eE") != std::string_view::npos) {
      lexer_.Fail(offset, "Expect a number or a string as the value of the rule option");
    }
  }

  const Lexer& lexer_;
  std::string_view source_;
  size_t position_;
  size_t end_;
  std::unordered_set<std::string_view> seen_;
};

}  // namespace

void RefuseRuleOptions(const Lexer& lexer, const Token& options) {
  std::string name(OptionListChecker(lexer, options).Check());
  Error error = lexer.ErrorAt(ErrorKind::kUnsupported, options.offset,
                              "The rule option \"" + name + "\" is not supported yet");
  throw error.Feature(std::move(name));
}

}  // namespace xgrammar::ebnf
