// The table of styles, and what their options may be.
//
// A row names a style, the converter that writes it, and which excluded texts it can keep out;
// texts that its own white space could break are refused. Families that differ in markers alone
// share one converter with data as its parameter.
#include "frontend/json_schema/style_registry.h"

#include <array>
#include <string>

#include "frontend/json_schema/styles/cohere_xml.h"
#include "frontend/json_schema/styles/gemma.h"
#include "frontend/json_schema/styles/minimax_m3_xml.h"
#include "frontend/json_schema/styles/pythonic.h"
#include "frontend/json_schema/styles/xml_formats.h"
#include "frontend/json_schema/styles/xml_parameters.h"
#include "support/error.h"
#include "support/utf8.h"

namespace xgrammar::json_schema {

namespace {

using ConverterPtr = std::unique_ptr<JSONSchemaConverter>;

template <typename Converter>
ConverterPtr Make(Merger* merger, const JsonSchemaOptions& options, const Limits& limits) {
  return std::make_unique<Converter>(merger, options, limits);
}

template <const XmlParameterFormat& kFormat>
ConverterPtr MakeXml(Merger* merger, const JsonSchemaOptions& options, const Limits& limits) {
  return std::make_unique<XmlParameterStyle>(merger, options, limits, kFormat);
}

/// What `excludes` may hold.
enum class Excludes : uint8_t {
  kAny,
  kTrimmed,  ///< No white space at the ends, where the style's own white space would do the same.
  kNone,
};

struct Style {
  std::string_view name;
  ConverterPtr (*make)(Merger*, const JsonSchemaOptions&, const Limits&);
  Excludes excludes;
};

constexpr std::array<Style, 12> kStyles = {{
    {"json", Make<JSONSchemaConverter>, Excludes::kAny},
    {"qwen_xml", MakeXml<kQwenXml>, Excludes::kTrimmed},
    {"minimax_xml", MakeXml<kMinimaxXml>, Excludes::kTrimmed},
    {"minimax_m3_xml", Make<MinimaxM3XmlStyle>, Excludes::kNone},
    {"deepseek_xml", MakeXml<kDeepseekXml>, Excludes::kTrimmed},
    {"deepseek_v4_1_xml", MakeXml<kDeepseekV41Xml>, Excludes::kTrimmed},
    {"glm_xml", MakeXml<kGlmXml>, Excludes::kTrimmed},
    {"cohere_xml", Make<CohereXmlStyle>, Excludes::kNone},
    {"kimi_k3_xml", MakeXml<kKimiK3Xml>, Excludes::kTrimmed},
    {"gemma", Make<GemmaStyle>, Excludes::kAny},
    {"pythonic", Make<PythonicStyle>, Excludes::kAny},
    {"step3_xml", MakeXml<kStep3Xml>, Excludes::kTrimmed},
}};

constexpr auto kNames = [] {
  std::array<std::string_view, kStyles.size()> names;
  for (size_t i = 0; i < names.size(); ++i) names[i] = kStyles[i].name;
  return names;
}();

const Style& FindStyle(std::string_view name) {
  for (const Style& style : kStyles) {
    if (style.name == name) return style;
  }
  std::string known;
  for (const Style& style : kStyles) known.append(known.empty() ? "" : ", ").append(style.name);
  throw Error(ErrorKind::kValue,
              "style must be one of " + known + ", not '" + QuoteForMessage(name) + "'");
}

void CheckExcludes(const Style& style, const std::vector<std::string>& excludes) {
  for (const std::string& text : excludes) {
    if (text.empty() || !IsValidUtf8(text)) {
      throw Error(ErrorKind::kValue, "excludes must be an array of non-empty strings");
    }
    if (style.excludes == Excludes::kTrimmed &&
        (IsJsonSpace(text.front()) || IsJsonSpace(text.back()))) {
      throw Error(ErrorKind::kUsage, "excludes of style " + std::string(style.name) +
                                         " must not start or end with formatting whitespace: '" +
                                         QuoteForMessage(text) + "'");
    }
  }
  if (style.excludes == Excludes::kNone && !excludes.empty()) {
    Error error(ErrorKind::kUnsupported,
                "excludes are not supported for " + std::string(style.name));
    error.Feature("excludes");
    error.Hint("leave the list empty");
    throw error;
  }
}

}  // namespace

std::span<const std::string_view> StyleNames() { return kNames; }

ConverterPtr MakeConverter(Merger* merger, const JsonSchemaOptions& options, const Limits& limits) {
  const Style& style = FindStyle(options.style);
  CheckExcludes(style, options.excludes);
  const bool has_layout = !options.any_whitespace || options.indent || options.separators;
  if (has_layout && style.name != "json") {
    throw Error(ErrorKind::kUsage, "style " + std::string(style.name) +
                                       " takes no indent and no separators, and needs "
                                       "any_whitespace=True");
  }
  return style.make(merger, options, limits);
}

}  // namespace xgrammar::json_schema
