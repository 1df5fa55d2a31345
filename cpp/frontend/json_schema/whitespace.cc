// Free white space is one shared lexeme rule; fixed layouts are literals.
//
// Every piece of layout of a document comes from here, so a style that lays out containers
// otherwise overrides few functions. Options are checked when the layout is made.
#include "frontend/json_schema/whitespace.h"

#include "support/error.h"

namespace xgrammar::json_schema {

namespace {

constexpr int64_t kMaxIndent = 1000;

}  // namespace

Layout::Layout(const JsonSchemaOptions& options, GrammarBuilder* builder) : builder_(*builder) {
  if (options.max_whitespace_cnt && *options.max_whitespace_cnt <= 0) {
    throw Error(ErrorKind::kUsage, "max_whitespace_cnt must be positive, not " +
                                       std::to_string(*options.max_whitespace_cnt));
  }
  if (options.indent && (*options.indent < 0 || *options.indent > kMaxIndent)) {
    throw Error(ErrorKind::kUsage,
                "indent must be between 0 and 1000, not " + std::to_string(*options.indent));
  }
  any_whitespace_ = options.any_whitespace;
  const bool indented = !any_whitespace_ && options.indent.has_value();
  if (indented) indent_ = *options.indent;
  if (options.separators) {
    item_separator_ = options.separators->first;
    indented_item_separator_ = item_separator_;
    key_separator_ = options.separators->second;
  } else {
    item_separator_ = any_whitespace_ ? "," : ", ";
    indented_item_separator_.push_back(',');
    key_separator_ = any_whitespace_ ? ":" : ": ";
  }
  allows_compact_ = !indented && item_separator_ == "," && key_separator_ == ":";
  if (!any_whitespace_) return;
  const ExprId space =
      builder->AddCharClass(CodePointSet({{'\t', '\n'}, {'\r', '\r'}, {' ', ' '}}));
  const int64_t max = options.max_whitespace_cnt.value_or(kUnbounded);
  const RuleId rule =
      builder->AddRuleWithHint("ws", builder->AddRepeat(space, 0, max), RuleKind::kLexeme);
  whitespace_ = builder->AddRuleRef(rule);
}

std::string Layout::LineBreak(Depth depth) const {
  std::string out(1, '\n');
  return out.append(static_cast<size_t>(indent_) * static_cast<size_t>(depth), ' ');
}

ExprId Layout::Padded(const std::string& literal) {
  return builder_.AddSequence({whitespace_, builder_.AddByteString(literal), whitespace_});
}

ExprId Layout::Open(std::string_view bracket, Depth depth) {
  std::string text(bracket);
  if (depth >= 0) text += LineBreak(depth + 1);
  const ExprId literal = builder_.AddByteString(text);
  return HasFreeSpace(depth) ? builder_.AddSequence({literal, whitespace_}) : literal;
}

ExprId Layout::Close(std::string_view bracket, Depth depth) {
  std::string text = depth < 0 ? "" : LineBreak(depth);
  const ExprId literal = builder_.AddByteString(text.append(bracket));
  return HasFreeSpace(depth) ? builder_.AddSequence({whitespace_, literal}) : literal;
}

ExprId Layout::Empty(std::string_view open, std::string_view close, Depth depth) {
  if (!HasFreeSpace(depth)) return builder_.AddByteString(std::string(open).append(close));
  return builder_.AddSequence(
      {builder_.AddByteString(open), whitespace_, builder_.AddByteString(close)});
}

ExprId Layout::ItemSeparator(Depth depth) {
  if (depth == kCompact) return builder_.AddByteString(",");
  if (any_whitespace_) return Padded(item_separator_);
  if (depth < 0) return builder_.AddByteString(item_separator_);
  return builder_.AddByteString(indented_item_separator_ + LineBreak(depth + 1));
}

ExprId Layout::KeySeparator(Depth depth) {
  if (depth == kCompact) return builder_.AddByteString(":");
  return any_whitespace_ ? Padded(key_separator_) : builder_.AddByteString(key_separator_);
}

bool Layout::SpellsJson() const {
  const auto is_only = [](const std::string& text, char c) {
    const size_t first = text.find_first_not_of(" \t\n\r");
    return first != std::string::npos && text[first] == c &&
           text.find_last_not_of(" \t\n\r") == first;
  };
  return is_only(item_separator_, ',') && is_only(key_separator_, ':');
}

ExprId Layout::Space() { return any_whitespace_ ? whitespace_ : builder_.AddEmpty(); }

}  // namespace xgrammar::json_schema
