// Grammar algebra: union and concatenation, by importing every input into one new grammar below a
// new start rule.
//
// The same grammar given twice is imported once. Linear in the size of the inputs.
#include "grammar/algebra.h"

#include <unordered_map>
#include <vector>

#include "grammar/builder.h"

namespace xgrammar {

namespace {

enum class Operation : uint8_t { kUnion, kConcat };

// The name `root` is taken by the new start rule, so an imported start rule becomes the next free
// `root_N`.
RuleId ImportRoot(const Grammar& grammar, GrammarBuilder* builder) {
  RuleId root = builder->Import(grammar)[static_cast<size_t>(grammar.root())];
  if (grammar.rule(grammar.root()).name != "root") {
    builder->Rename(root, builder->UnusedName("root"));
  }
  return root;
}

GrammarPtr Combine(std::span<const GrammarPtr> grammars, Operation operation,
                   const Limits& limits) {
  GrammarBuilder builder(limits);
  RuleId root = builder.AddRule("root");
  std::unordered_map<const Grammar*, RuleId> imported;
  std::vector<ExprId> parts;
  parts.reserve(grammars.size());
  for (const GrammarPtr& grammar : grammars) {
    auto [it, is_new] = imported.emplace(grammar.get(), -1);
    if (is_new) it->second = ImportRoot(*grammar, &builder);
    parts.push_back(builder.AddRuleRef(it->second));
  }
  builder.SetBody(root, operation == Operation::kUnion ? builder.AddChoices(parts)
                                                       : builder.AddSequence(parts));
  return builder.Build(root);
}

}  // namespace

GrammarPtr UnionGrammars(std::span<const GrammarPtr> grammars, const Limits& limits) {
  return Combine(grammars, Operation::kUnion, limits);
}

GrammarPtr ConcatGrammars(std::span<const GrammarPtr> grammars, const Limits& limits) {
  return Combine(grammars, Operation::kConcat, limits);
}

}  // namespace xgrammar
