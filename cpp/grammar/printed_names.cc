// PrintedNames: keeps the names that can be printed as they are, and maps the others to unused
// ones.
//
// Names that need no change are reserved first, so they do not depend on the order of rules. Linear
// in the names and in the texts of named tokens.
#include "grammar/printed_names.h"

#include <array>
#include <utility>

namespace xgrammar {

namespace {

// Words that the EBNF front end does not read as a rule name in an expression.
constexpr std::array<std::string_view, 10> kReservedWords = {
    "true",         "false", "TagDispatch", "TokenTagDispatch", "Token",
    "ExcludeToken", "Regex", "Substring",   "AnyOrder",         "Distinct"};

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsWordChar(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || IsDigit(c) || c == '_';
}
bool IsHexDigit(char c) { return IsDigit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }

bool BeginsLikeNumericEscape(std::string_view name) {
  size_t digits = name[0] == 'x' ? 2 : name[0] == 'u' ? 4 : name[0] == 'U' ? 8 : 0;
  if (digits == 0 || name.size() < digits + 1) return false;
  for (char c : name.substr(1, digits)) {
    if (!IsHexDigit(c)) return false;
  }
  return true;
}

bool IsReserved(std::string_view name) {
  for (std::string_view word : kReservedWords) {
    if (name == word) return true;
  }
  return false;
}

bool IsPrintable(std::string_view name) {
  if (name.empty() || IsDigit(name[0]) || IsReserved(name) || BeginsLikeNumericEscape(name)) {
    return false;
  }
  for (char c : name) {
    if (!IsWordChar(c)) return false;
  }
  return true;
}

std::string MakePrintable(std::string_view name) {
  std::string result(name);
  for (char& c : result) {
    if (!IsWordChar(c)) c = '_';
  }
  return IsPrintable(result) ? result : "_" + result;
}

}  // namespace

void PrintedNames::AvoidTokenTexts(const Grammar& grammar) {
  const std::vector<bool> used = grammar.UsedExprs();
  for (ExprId id = 0; id < grammar.num_exprs(); ++id) {
    if (!used[static_cast<size_t>(id)] || grammar.kind(id) != ExprKind::kNamedToken) continue;
    std::string word;
    for (char c : std::string(grammar.token_text(id)) + ' ') {
      if (IsWordChar(c)) {
        word += c;
      } else if (!word.empty()) {
        used_.insert(std::exchange(word, {}));
      }
    }
  }
}

PrintedNames::PrintedNames(const Grammar& grammar)
    : names_(static_cast<size_t>(grammar.num_rules())) {
  AvoidTokenTexts(grammar);
  names_[static_cast<size_t>(grammar.root())] = "root";
  used_.insert("root");
  // Names that need no change keep themselves, whatever the others turn into.
  for (RuleId rule = 0; rule < grammar.num_rules(); ++rule) {
    const std::string& name = grammar.rule(rule).name;
    if (rule != grammar.root() && name != "root" && IsPrintable(name) && !IsUsed(name)) {
      names_[static_cast<size_t>(rule)] = name;
      used_.insert(name);
    }
  }
  for (RuleId rule = 0; rule < grammar.num_rules(); ++rule) {
    std::string& name = names_[static_cast<size_t>(rule)];
    if (!name.empty()) continue;
    const std::string& original = grammar.rule(rule).name;
    name = Reserve(original == "root" ? "root_0" : original);
  }
}

std::string PrintedNames::Reserve(std::string_view hint) {
  std::string base = MakePrintable(hint);
  std::string name = base;
  while (!used_.insert(name).second) {
    name = base + "_" + std::to_string(++counters_[base]);
  }
  return name;
}

}  // namespace xgrammar
