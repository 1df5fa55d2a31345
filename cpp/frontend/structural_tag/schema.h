// The tree of formats that a structural tag describes: one struct for each kind of format.
//
// Formats are named by ids into StructuralTag::formats, so that the tree needs no pointers; a
// format has a larger id than the formats in it. optional, star, plus and repeat are one struct,
// for they differ in bounds only. Made by reader.h; immutable afterwards.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "json/value.h"

namespace xgrammar::structural_tag {

using FormatId = int32_t;
/// No bound of a repetition, no budget of free text.
constexpr int64_t kNoBound = -1;
/// The largest bound that a structural tag can name.
constexpr int64_t kMaxBound = 2147483647;

/// A token by id, or by its decoded text.
using TokenName = std::variant<int64_t, std::string>;

struct ConstString {
  std::string value;
};

/// A JSON value for a schema, spelled in a style.
struct JsonSchema {
  JsonId schema = kNoJson;
  std::string style = "json";
  bool any_order = false;
  std::optional<int64_t> max_whitespace_cnt;
  std::vector<std::string> excludes;
};

/// Free text; the budgets belong to each occurrence.
struct AnyText {
  std::vector<std::string> excludes;
  int64_t max_tokens = kNoBound;
  int64_t max_chars = kNoBound;
};

struct Regex {
  std::string pattern;
};

/// A grammar in a language of grammars.
struct EmbeddedGrammar {
  enum class Syntax : uint8_t { kEbnf, kLark };
  std::string text;
  Syntax syntax = Syntax::kEbnf;
};

struct Sequence {
  std::vector<FormatId> elements;
};

struct Or {
  std::vector<FormatId> elements;
};

/// `min` to `max` copies; max kNoBound.
struct Repeat {
  FormatId content = -1;
  int64_t min = 0;
  int64_t max = kNoBound;
};

/// `begin`, content, and any one of `ends`. Either edge may be a token instead of text.
struct Tag {
  std::variant<std::string, TokenName> begin;
  FormatId content = -1;
  std::variant<std::vector<std::string>, TokenName> end;
};

/// How tags follow one another in free text, and in a separated list.
struct TagFlow {
  bool at_least_one = false;
  bool stop_after_first = false;
};

/// Free text in which a trigger starts one of the tags.
struct TriggeredTags {
  std::vector<std::string> triggers;
  std::vector<FormatId> tags;
  std::vector<std::string> excludes;
  TagFlow flow;
};

struct TagsWithSeparator {
  std::vector<FormatId> tags;
  std::string separator;
  TagFlow flow;
};

/// Free text in which each pattern is followed by its format.
struct Dispatch {
  std::vector<std::pair<std::string, FormatId>> rules;
  std::vector<std::string> excludes;
  bool loop = true;
};

struct Token {
  TokenName token;
};

struct ExcludeToken {
  std::vector<TokenName> excludes;
};

struct AnyTokens {
  std::vector<TokenName> excludes;
  int64_t max_tokens = kNoBound;
};

struct TokenTriggeredTags {
  std::vector<TokenName> triggers;
  std::vector<FormatId> tags;
  std::vector<TokenName> excludes;
  TagFlow flow;
};

struct TokenDispatch {
  std::vector<std::pair<TokenName, FormatId>> rules;
  std::vector<TokenName> excludes;
  bool loop = true;
};

using FormatValue = std::variant<ConstString, JsonSchema, AnyText, Regex, EmbeddedGrammar, Sequence,
                                 Or, Repeat, Tag, TriggeredTags, TagsWithSeparator, Dispatch, Token,
                                 ExcludeToken, AnyTokens, TokenTriggeredTags, TokenDispatch>;

struct Format {
  JsonId source = kNoJson;  ///< Where the format stands in the document, for error messages.
  FormatValue value;
};

struct StructuralTag {
  JsonDocument document;
  std::vector<Format> formats;
  FormatId root = -1;

  const Format& format(FormatId id) const { return formats[static_cast<size_t>(id)]; }
};

}  // namespace xgrammar::structural_tag
