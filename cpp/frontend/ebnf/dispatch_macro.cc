// TagDispatch and TokenTagDispatch: free text or free tokens, and rules that a tag or a token id
// starts.
//
// Free text is the work of grammar/dispatch.h. Free tokens need no automaton: every token is either
// free, excluded, or a trigger.
#include "frontend/ebnf/dispatch_macro.h"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "frontend/ebnf/token_macro.h"
#include "grammar/dispatch.h"
#include "support/error.h"

namespace xgrammar::ebnf {

namespace {

using Kind = MacroArgument::Kind;

/// What both macros share: pairs, the rule of a pair, and the two named arguments.
class ArgumentReader {
 public:
  ArgumentReader(const MacroCall& call, const Lexer& lexer, GrammarBuilder* builder)
      : call_(call), lexer_(lexer), builder_(builder) {}

  [[noreturn]] void Fail(std::string message) const {
    lexer_.Fail(call_.arguments_offset, std::move(message));
  }

  void CheckNames() const {
    for (const auto& [name, value] : call_.named) {
      if (name == "loop_after_dispatch" || name == "excludes") continue;
      Fail("Unknown named argument for " + call_.name + ": " + QuoteForMessage(name));
    }
  }

  bool ReadLoop(const char* problem) const {
    const MacroArgument* value = Find("loop_after_dispatch");
    if (value == nullptr) return true;
    if (value->kind != Kind::kBoolean) Fail(problem);
    return value->integer != 0;
  }

  std::vector<MacroArgument> ReadExcludes() const {
    const MacroArgument* value = Find("excludes");
    if (value == nullptr) return {};
    if (value->kind != Kind::kTuple) Fail("excludes must be a tuple");
    return value->items;
  }

  /// `element` is "tag dispatch" or the name of the macro, `pair` what its pairs hold.
  void CheckPair(const MacroArgument& argument, const char* element, const char* pair) const {
    const std::string subject = std::string("Each ") + element + " element must be ";
    if (argument.kind != Kind::kTuple) Fail(subject + "a tuple");
    if (argument.items.size() != 2) Fail(subject + "a pair " + pair);
  }

  ExprId ReadRule(const MacroArgument& argument) const {
    if (argument.kind != Kind::kIdentifier) Fail("Rule reference must be an identifier");
    const RuleId rule = builder_->FindRule(argument.text);
    if (rule < 0) Fail("Rule \"" + QuoteForMessage(argument.text) + "\" is not defined");
    return builder_->AddRuleRef(rule);
  }

 private:
  const MacroArgument* Find(std::string_view name) const {
    for (const auto& [candidate, value] : call_.named) {
      if (candidate == name) return &value;
    }
    return nullptr;
  }

  const MacroCall& call_;
  const Lexer& lexer_;
  GrammarBuilder* builder_;
};

std::vector<std::string> ReadExcludedTexts(const ArgumentReader& reader) {
  std::vector<std::string> texts;
  for (const MacroArgument& item : reader.ReadExcludes()) {
    if (item.kind != Kind::kString || item.text.empty()) {
      reader.Fail("Exclude must be a non-empty string literal");
    }
    texts.push_back(item.text);
  }
  return texts;
}

/// An excluded text that begins a tag would make the tag unreachable.
void CheckReachable(const ArgumentReader& reader, const std::vector<DispatchCase>& cases,
                    std::vector<std::string> excludes) {
  std::sort(excludes.begin(), excludes.end());
  for (const DispatchCase& entry : cases) {
    for (size_t size = 1; size <= entry.pattern.size(); ++size) {
      const std::string prefix = entry.pattern.substr(0, size);
      if (!std::binary_search(excludes.begin(), excludes.end(), prefix)) continue;
      reader.Fail("Exclude string must not be a prefix of trigger string: " +
                  QuoteForMessage(prefix));
    }
  }
}

std::vector<int32_t> ReadExcludedIds(const ArgumentReader& reader) {
  std::vector<int32_t> ids;
  for (const MacroArgument& item : reader.ReadExcludes()) {
    if (item.kind != Kind::kInteger || item.integer < 0) {
      reader.Fail("Exclude token ID must be a non-negative integer");
    }
    if (item.integer > kMaxTokenId) reader.Fail(TokenIdTooLarge(item.integer));
    ids.push_back(static_cast<int32_t>(item.integer));
  }
  return ids;
}

}  // namespace

ExprId BuildTagDispatch(const MacroCall& call, const Lexer& lexer, GrammarBuilder* builder,
                        const Limits& limits) {
  const ArgumentReader reader(call, lexer, builder);
  reader.CheckNames();
  std::vector<DispatchCase> cases;
  for (const MacroArgument& argument : call.positional) {
    reader.CheckPair(argument, "tag dispatch", "(tag, rule)");
    const MacroArgument& tag = argument.items[0];
    if (tag.kind != Kind::kString || tag.text.empty()) {
      reader.Fail("Tag must be a non-empty string literal");
    }
    cases.push_back({tag.text, reader.ReadRule(argument.items[1])});
  }
  DispatchOptions options;
  options.loop = reader.ReadLoop("loop_after_dispatch must be a boolean literal");
  options.excludes = ReadExcludedTexts(reader);
  CheckReachable(reader, cases, options.excludes);
  return AddDispatch(cases, options, builder, limits);
}

ExprId BuildTokenTagDispatch(const MacroCall& call, const Lexer& lexer, GrammarBuilder* builder) {
  const ArgumentReader reader(call, lexer, builder);
  reader.CheckNames();
  std::map<int32_t, std::vector<ExprId>> contents;
  for (const MacroArgument& argument : call.positional) {
    reader.CheckPair(argument, "TokenTagDispatch", "(token_id, rule)");
    const MacroArgument& id = argument.items[0];
    if (id.kind != Kind::kInteger || id.integer < 0) {
      reader.Fail("Token trigger ID must be a non-negative integer");
    }
    if (id.integer > kMaxTokenId) reader.Fail(TokenIdTooLarge(id.integer));
    contents[static_cast<int32_t>(id.integer)].push_back(reader.ReadRule(argument.items[1]));
  }
  const bool loop = reader.ReadLoop("loop_after_dispatch must be a boolean");
  std::vector<int32_t> not_free = ReadExcludedIds(reader);
  std::vector<ExprId> rounds;
  for (int32_t id : not_free) {
    if (!contents.contains(id)) continue;
    reader.Fail("Token trigger ID " + std::to_string(id) +
                " must not overlap with exclude token ID");
  }
  for (const auto& [id, rules] : contents) {
    rounds.push_back(
        builder->AddSequence({builder->AddTokenSet({id}, false), builder->AddChoices(rules)}));
    not_free.push_back(id);
  }
  const ExprId free_token = builder->AddTokenSet(std::move(not_free), true);
  if (loop) {
    rounds.push_back(free_token);
    return builder->AddStar(builder->AddChoices(rounds));
  }
  return builder->AddSequence(
      {builder->AddStar(free_token), builder->AddOptional(builder->AddChoices(rounds))});
}

}  // namespace xgrammar::ebnf
