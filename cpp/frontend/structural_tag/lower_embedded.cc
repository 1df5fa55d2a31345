// json_schema, regex and grammar: what other front ends make, under names of their own.
//
// Equal parts are translated once for each structural tag. Errors keep their kind and their place
// in the part, and gain the place of the part.
#include <utility>

#include "frontend/ebnf/parser.h"
#include "frontend/json_schema/json_schema.h"
#include "frontend/lark/lark.h"
#include "frontend/regex/regex.h"
#include "frontend/structural_tag/lower.h"
#include "frontend/structural_tag/tag_error.h"
#include "support/error.h"

namespace xgrammar::structural_tag {

namespace {

/// Runs a front end; an error of it is one at `field` of the format.
template <typename Translate>
auto AtFormat(const StructuralTag& tag, const Format& format, const char* field,
              const Translate& translate) {
  try {
    return translate();
  } catch (Error& error) {
    if (error.kind() == ErrorKind::kBudget) throw;
    error.AtPointer(PointerTo(tag.document, format.source) + "/" + field +
                    (error.has_pointer() ? error.pointer() : ""));
    throw;
  }
}

void AppendField(const std::string& text, std::string* key) {
  *key += std::to_string(text.size()) + ":" + text;
}

}  // namespace

ExprId Lowerer::ImportRoot(const Grammar& grammar) {
  const std::vector<RuleId> rules = builder_.Import(grammar);
  return builder_.AddRuleRef(rules[static_cast<size_t>(grammar.root())]);
}

ExprId Lowerer::Use(const Format& format, const char* field, const Embedded& part) {
  if (part.report.empty()) return part.expr;
  const std::string place = PointerTo(tag_.document, format.source) + "/" + field;
  for (JsonSchemaReportRecord record : part.report) {
    // A record of Lark names a rule, which is no pointer yet.
    const bool is_name = !record.pointer.empty() && record.pointer[0] != '/';
    record.pointer.insert(0, is_name ? place + "/" : place);
    report_.push_back(std::move(record));
  }
  return part.expr;
}

ExprId Lowerer::LowerValue(const Format& format, const JsonSchema& value, const Scope&) {
  std::string key = "json_schema";
  AppendField(value.style, &key);
  key += value.any_order ? "o" : "-";
  key += std::to_string(value.max_whitespace_cnt.value_or(0)) + "," +
         std::to_string(value.excludes.size()) + ",";
  for (const std::string& exclude : value.excludes) AppendField(exclude, &key);
  const JsonDocument schema = tag_.document.Part(value.schema);
  schema.AppendContent(&key);
  auto it = embedded_.find(key);
  if (it == embedded_.end())
    it = embedded_.emplace(std::move(key), JsonSchemaRule(format, value, schema)).first;
  return Use(format, "json_schema", it->second);
}

Lowerer::Embedded Lowerer::JsonSchemaRule(const Format& format, const JsonSchema& value,
                                          const JsonDocument& schema) {
  JsonSchemaOptions options;
  options.style = value.style;
  options.any_order = value.any_order;
  options.max_whitespace_cnt = value.max_whitespace_cnt;
  options.excludes = value.excludes;
  options.memo = automata_;
  return AtFormat(tag_, format, "json_schema", [&] {
    try {
      JsonSchemaResult result = JsonSchemaToGrammar(schema, options, limits_);
      return Embedded{ImportRoot(*result.grammar), std::move(result.report)};
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::kUnsatisfiable || value.excludes.empty()) throw;
    }
    // If only the excludes leave no value, the format matches nothing, which is no error.
    options.excludes.clear();
    JsonSchemaResult result = JsonSchemaToGrammar(schema, options, limits_);
    return Embedded{builder_.AddNothing(), std::move(result.report)};
  });
}

ExprId Lowerer::LowerValue(const Format& format, const Regex& value, const Scope&) {
  const auto [it, is_new] = embedded_.try_emplace("regex" + value.pattern);
  if (is_new) {
    it->second.expr = AtFormat(tag_, format, "pattern", [&] {
      return ImportRoot(*RegexToGrammar(value.pattern, {}, limits_));
    });
  }
  return it->second.expr;
}

ExprId Lowerer::LowerValue(const Format& format, const EmbeddedGrammar& value, const Scope&) {
  const bool is_lark = value.syntax == EmbeddedGrammar::Syntax::kLark;
  std::string key = (is_lark ? "lark" : "ebnf") + value.text;
  const auto [it, is_new] = embedded_.try_emplace(std::move(key));
  if (is_new) {
    it->second = AtFormat(tag_, format, "grammar", [&] {
      if (!is_lark) return Embedded{ImportRoot(*ParseEbnf(value.text, "root", limits_)), {}};
      LarkResult result = LarkToGrammar(value.text, {}, tokenizer_, limits_);
      return Embedded{ImportRoot(*result.grammar), std::move(result.report)};
    });
  }
  return Use(format, "grammar", it->second);
}

}  // namespace xgrammar::structural_tag
