// PrintedNames: the names that rules get in the text of a grammar.
//
// The start rule is `root`. Every name matches [A-Za-z_]\w*, is no reserved word of EBNF, and does
// not begin like the body of a numeric escape (`x72...`), so that escaping a character of a literal
// always keeps a name out of it. The text of a named token has no escapes, so no rule takes a name
// that is a word of one.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "grammar/grammar.h"

namespace xgrammar {

class PrintedNames {
 public:
  explicit PrintedNames(const Grammar& grammar);

  const std::string& of(RuleId rule) const { return names_[static_cast<size_t>(rule)]; }
  /// A name that nothing has yet, made from any text; it counts as used from now on.
  std::string Reserve(std::string_view hint);
  bool IsUsed(std::string_view word) const { return used_.find(std::string(word)) != used_.end(); }

 private:
  void AvoidTokenTexts(const Grammar& grammar);

  std::vector<std::string> names_;
  std::unordered_set<std::string> used_;
  std::unordered_map<std::string, int64_t> counters_;
};

}  // namespace xgrammar
