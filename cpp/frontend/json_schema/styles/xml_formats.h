// The formats of the XML-like parameter styles, by model family, as data of XmlParameterStyle.
//
// Each is what the family's chat template writes for past calls, and its parsers read. A new family
// that differs in markers alone is an entry here and a line in style_registry.cc.
#pragma once

#include "frontend/json_schema/styles/xml_parameters.h"

namespace xgrammar::json_schema {

/// Qwen3-Coder, Qwen3.5, MiMo.
inline constexpr XmlParameterFormat kQwenXml = {
    .key_open = "<parameter=",
    .key_close = ">",
    .key_end = ">",
    .value_close = "</parameter>",
};

/// MiniMax-M2.
inline constexpr XmlParameterFormat kMinimaxXml = {
    .key_open = "<parameter name=\"",
    .key_close = "\">",
    .key_end = "\"",
    .value_close = "</parameter>",
};

/// GLM-4.5 and later.
inline constexpr XmlParameterFormat kGlmXml = {
    .key_open = "<arg_key>",
    .key_close = "</arg_key>",
    .key_end = "</arg_key>",
    .value_open = "<arg_value>",
    .value_close = "</arg_value>",
};

/// DeepSeek-V3.2 and V4: whether a value is a raw string.
inline constexpr XmlParameterFormat kDeepseekXml = {
    .key_open = "<｜DSML｜parameter name=\"",
    .key_close = "\"",
    .key_end = "\"",
    .attribute_open = " string=\"",
    .attributes = {"false", "false", "false", "true", "false", "false"},
    .attribute_close = "\">",
    .value_close = "</｜DSML｜parameter>",
    .pads_strings = false,
};

/// DeepSeek-V4.1: a space after each marker.
inline constexpr XmlParameterFormat kDeepseekV41Xml = {
    .key_open = "<｜DSML｜ parameter name=\"",
    .key_close = "\"",
    .key_end = "\"",
    .attribute_open = kDeepseekXml.attribute_open,
    .attributes = kDeepseekXml.attributes,
    .attribute_close = kDeepseekXml.attribute_close,
    .value_close = "</｜DSML｜ parameter>",
    .pads_strings = false,
};

/// Kimi-K3: the JSON type of each value.
inline constexpr XmlParameterFormat kKimiK3Xml = {
    .key_open = "<|open|>argument key=\"",
    .key_close = "\"",
    .key_end = "\"",
    .attribute_open = " type=\"",
    .attributes = {"null", "boolean", "number", "string", "array", "object"},
    .attribute_close = "\"<|sep|>",
    .value_close = "<|close|>argument<|sep|>",
    .escaped_in_keys = "&\"",
};

/// Step 3.
inline constexpr XmlParameterFormat kStep3Xml = {
    .key_open = "<steptml:parameter name=\"",
    .key_close = "\">",
    .key_end = "\"",
    .value_close = "</steptml:parameter>",
};

/// Cohere Command ("cmd5"): values at every level, with how each is to be read.
inline constexpr XmlParameterFormat kCohereXml = {
    .key_open = "<cofl:value name=\"",
    .key_close = "\"",
    .key_end = "\"",
    .attribute_open = " type=\"",
    .attributes = {"json", "json", "json", "raw", "list", "dict"},
    .attribute_close = "\">",
    .value_close = "</cofl:value>",
    .escaped_in_keys = "&<>\"",
    .pads_strings = false,
    .has_identifier_keys = false,
};

}  // namespace xgrammar::json_schema
