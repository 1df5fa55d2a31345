// Making JsonSchemaOptions from Python values that the facade has checked.
//
// The constructor of _core.JsonSchemaOptions, which both Grammar and GrammarCompiler take, so that
// an option means the same to both. Style and excluded texts are not set here: structural tags
// alone have them.
#pragma once

#include <cstdint>
#include <new>
#include <optional>
#include <string>
#include <utility>

#include "frontend/json_schema/json_schema.h"

namespace xgrammar::bindings {

inline void InitJsonSchemaOptions(JsonSchemaOptions* self, bool any_whitespace,
                                  std::optional<int64_t> indent,
                                  std::optional<std::pair<std::string, std::string>> separators,
                                  bool strict_mode, std::optional<int64_t> max_whitespace_cnt,
                                  bool any_order, bool lenient) {
  new (self) JsonSchemaOptions();
  self->any_whitespace = any_whitespace;
  self->indent = indent;
  self->separators = std::move(separators);
  self->strict_mode = strict_mode;
  self->max_whitespace_cnt = max_whitespace_cnt;
  self->any_order = any_order;
  self->lenient = lenient;
}

}  // namespace xgrammar::bindings
