// The formats tag and tags_with_separator.
//
// The ends of a tag become the scope of its content, so that free text inside stops before them.
// Begins and ends are literals of ordinary rules, or whole tokens by id. Tags that triggers start
// are in lower_dispatch.cc.
#include "frontend/structural_tag/lower.h"

namespace xgrammar::structural_tag {

ExprId Lowerer::Literals(std::span<const std::string> texts) {
  std::vector<ExprId> alternatives;
  for (const std::string& text : texts) alternatives.push_back(builder_.AddByteString(text));
  return builder_.AddChoices(alternatives);
}

ExprId Lowerer::Ends(const Format& format, const Tag& value) {
  if (const auto* texts = std::get_if<std::vector<std::string>>(&value.end))
    return Literals(*texts);
  return builder_.AddTokenSet({TokenId(format, std::get<TokenName>(value.end))}, false);
}

ExprId Lowerer::LowerValue(const Format& format, const Tag& value, const Scope&) {
  Scope inner;
  if (const auto* texts = std::get_if<std::vector<std::string>>(&value.end)) {
    inner.end_texts = *texts;
  } else {
    inner.end_token = TokenId(format, std::get<TokenName>(value.end));
  }
  ExprId begin = kNoExpr;
  if (const auto* text = std::get_if<std::string>(&value.begin)) {
    begin = builder_.AddByteString(*text);
  } else {
    begin = builder_.AddTokenSet({TokenId(format, std::get<TokenName>(value.begin))}, false);
  }
  return builder_.AddSequence({begin, Lower(value.content, inner), Ends(format, value)});
}

ExprId Lowerer::AnyTag(std::span<const FormatId> tags, const Scope& scope) {
  std::vector<ExprId> alternatives;
  for (FormatId id : tags) alternatives.push_back(Lower(id, scope));
  return builder_.AddChoices(alternatives);
}

ExprId Lowerer::LowerValue(const Format&, const TagsWithSeparator& value, const Scope& scope) {
  ExprId tag = AnyTag(value.tags, scope);
  if (!value.flow.stop_after_first) {
    tag = Shared(tag, "tag");
    const ExprId more = builder_.AddSequence({builder_.AddByteString(value.separator), tag});
    tag = builder_.AddSequence({tag, builder_.AddStar(Shared(more, "more_tags"))});
  }
  return value.flow.at_least_one ? tag : builder_.AddOptional(tag);
}

}  // namespace xgrammar::structural_tag
