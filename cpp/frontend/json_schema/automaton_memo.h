// AutomatonMemo: automata of strings that the conversions of one request have in common.
//
// A list of tools is one conversion for each tool, with the same style and excluded texts. What
// depends on these alone (the texts without excluded ones, free strings of a style) is made by the
// first conversion. Whatever an automaton depends on must be part of its key.
#pragma once

#include <string>
#include <unordered_map>
#include <utility>

#include "automata/code_point_automaton.h"
#include "grammar/late_automaton.h"

namespace xgrammar {

/// Belongs to one request and thread.
class AutomatonMemo {
 public:
  /// What `make` returned, a CodePointDfa, for the first request with this key.
  template <typename Make>
  CodePointDfaPtr Get(const std::string& key, const Make& make) {
    const auto found = automata_.find(key);
    if (found != automata_.end()) return found->second;
    CodePointDfaPtr made = std::make_shared<const CodePointDfa>(make());
    automata_.emplace(key, made);
    return made;
  }

  /// The same for what `make` returned, a LateAutomatonPtr.
  template <typename Make>
  LateAutomatonPtr GetLate(const std::string& key, const Make& make) {
    LateAutomatonPtr& known = late_automata_[key];
    if (!known) known = make();
    return known;
  }

 private:
  std::unordered_map<std::string, CodePointDfaPtr> automata_;
  std::unordered_map<std::string, LateAutomatonPtr> late_automata_;
};

}  // namespace xgrammar
