// What a schema accepts in a style, judged by the reference recogniser.
//
// Shared by the tests of this folder. The recogniser reads the grammar as it is written, without
// automata, so an agreement does not come from shared code.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "frontend/json_schema/json_schema.h"
#include "grammar/reference_recognizer.h"

namespace xgrammar::json_schema {

/// A schema in a style.
class Styled {
 public:
  Styled(std::string_view style, std::string_view schema, std::vector<std::string> excludes = {}) {
    JsonSchemaOptions options;
    options.style = style;
    options.excludes = std::move(excludes);
    grammar_ = JsonSchemaToGrammar(schema, options).grammar;
  }

  bool Accepts(std::string_view text) const { return xgrammar::Accepts(*grammar_, text); }
  const Grammar& grammar() const { return *grammar_; }

 private:
  GrammarPtr grammar_;
};

/// An object with one required property `a`.
inline std::string ObjectOfA(std::string_view schema) {
  return R"({"type":"object","properties":{"a":)" + std::string(schema) + R"(},"required":["a"]})";
}

}  // namespace xgrammar::json_schema
