// The styles by name: how a schema's values are spelled (docs/reference/styles.md).
//
// A new style is one file in styles/ (or one format in styles/xml_formats.h) and one line in the
// table of style_registry.cc.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "frontend/json_schema/converter.h"

namespace xgrammar::json_schema {

/// In the order in which docs and messages list them.
std::span<const std::string_view> StyleNames();

/// The converter of JsonSchemaOptions::style; borrows all three. Raises kValue for an unknown style
/// or an empty or ill-formed excluded text, kUsage or kUnsupported for options that the style does
/// not take.
std::unique_ptr<JSONSchemaConverter> MakeConverter(Merger* merger, const JsonSchemaOptions& options,
                                                   const Limits& limits);

}  // namespace xgrammar::json_schema
