// Reading the formats of whole tokens: token, exclude_token, any_tokens, token_triggered_tags,
// token_dispatch.
//
// A token is named by its id or its text; which one that is depends on a vocabulary and is found
// out when it is lowered.
#include <utility>

#include "frontend/structural_tag/reader.h"

namespace xgrammar::structural_tag {

FormatValue FormatReader::ReadToken(JsonId id, int) {
  return Token{FieldReader(document_, id, "TokenFormat").Token("token")};
}

FormatValue FormatReader::ReadExcludeToken(JsonId id, int) {
  const FieldReader fields(document_, id, "ExcludeToken");
  return ExcludeToken{fields.Tokens("exclude_tokens", false)};
}

FormatValue FormatReader::ReadAnyTokens(JsonId id, int) {
  const FieldReader fields(document_, id, "AnyTokens");
  return AnyTokens{fields.Tokens("exclude_tokens", false), fields.Budget("max_tokens")};
}

FormatValue FormatReader::ReadTokenTriggeredTags(JsonId id, int depth) {
  const FieldReader fields(document_, id, "TokenTriggeredTags");
  TokenTriggeredTags out;
  out.triggers = fields.Tokens("trigger_tokens", true);
  if (out.triggers.empty()) fields.Fail("format's trigger_tokens must be non-empty");
  out.tags = Tags(fields, depth);
  out.excludes = fields.Tokens("exclude_tokens", false);
  out.flow = Flow(fields);
  return out;
}

FormatValue FormatReader::ReadTokenDispatch(JsonId id, int depth) {
  const FieldReader fields(document_, id, "TokenDispatch");
  TokenDispatch out;
  for (JsonId rule : fields.NonEmptyArray("rules")) {
    const auto pair = Pair(fields, rule);
    if (!document_.IsString(pair[0]) && !document_.IsNumber(pair[0])) {
      fields.Fail("format: a rule's first element must be a token id or a token string");
    }
    TokenName token = fields.TokenItem(pair[0], "a rule's first element");
    out.rules.emplace_back(std::move(token), Read(pair[1], depth + 1));
  }
  out.loop = fields.Bool("loop", true);
  out.excludes = fields.Tokens("exclude_tokens", false);
  return out;
}

}  // namespace xgrammar::structural_tag
