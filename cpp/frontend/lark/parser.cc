// Parser: expressions.
//
// From loose to tight: `|`, `&`, juxtaposition, `~` before an element, one quantifier after it.
// What is legal in terminals only, or in rules only, is judged when names are resolved.
#include "frontend/lark/parser.h"

#include <algorithm>
#include <utility>

#include "support/error.h"
#include "support/utf8.h"
#include "support/work_meter.h"

namespace xgrammar::lark {

namespace {

/// Grammars within grammars: the only recursion.
constexpr int64_t kMaxNestedGrammars = 100;

}  // namespace

void Parser::FailHere(std::string message) const {
  source().Fail(token_.offset, std::move(message));
}

std::string Parser::TokenText() const {
  if (token_.kind == TokenKind::kEnd) return "the end of the grammar";
  if (token_.kind == TokenKind::kNewline) return "the end of the line";
  return "'" + QuoteForMessage(source().text().substr(token_.offset, token_.size), 40) + "'";
}

void Parser::Expect(TokenKind kind, const char* what) {
  if (token_.kind != kind) FailHere(std::string("expected ") + what);
  Advance();
}

std::unique_ptr<Document> Parser::Parse() {
  document_ = std::make_unique<Document>();
  Advance();
  document_->begin = token_.offset;
  const bool is_nested = depth_ > 0;
  while (!(is_nested && token_.kind == TokenKind::kCloseBrace)) {
    if (token_.kind == TokenKind::kEnd) {
      if (is_nested) FailHere("expected '}' after a nested grammar");
      break;
    }
    ParseItem();
  }
  return std::move(document_);
}

/// Reads up to the token that cannot continue an expression.
NodeId Parser::ParseExpression() {
  groups_.clear();
  groups_.emplace_back();
  groups_.back().offset = token_.offset;
  while (ParseStep()) continue;
  if (groups_.size() > 1) {
    const bool is_round = groups_.back().close == TokenKind::kClose;
    FailHere(is_round ? "expected ')' after group" : "expected ']' after group");
  }
  const NodeId body = EndBody();
  groups_.clear();
  return body;
}

/// Reads one element, bracket or bar; returns false at any other token.
bool Parser::ParseStep() {
  CountWork("reading Lark", 2);
  Group& group = groups_.back();
  switch (token_.kind) {
    case TokenKind::kOpen:
    case TokenKind::kOpenBracket:
      OpenGroup();
      return true;
    case TokenKind::kClose:
    case TokenKind::kCloseBracket:
      if (groups_.size() == 1 || token_.kind != group.close) return false;
      CloseGroup();
      return true;
    case TokenKind::kBar:
      EndSequence();
      EndAlternative();
      Advance();
      return true;
    case TokenKind::kAmpersand:
      if (group.parts.empty()) FailHere("expected a terminal before '&'");
      EndSequence();
      Advance();
      return true;
    case TokenKind::kTilde:
      group.negated = !group.negated;
      group.not_offset = token_.offset;
      Advance();
      return true;
    case TokenKind::kArrow:
      ParseAlias();
      return true;
    default: {
      const NodeId element = ParseElement();
      if (element == kNoNode) return false;
      FinishElement(element);
      return true;
    }
  }
}

/// `-> name` says nothing about the language.
void Parser::ParseAlias() {
  Advance();
  Expect(TokenKind::kName, "a name after '->'");
  switch (token_.kind) {
    case TokenKind::kBar:
    case TokenKind::kNewline:
    case TokenKind::kEnd:
    case TokenKind::kClose:
    case TokenKind::kCloseBracket:
    case TokenKind::kCloseBrace:
      return;
    default:
      FailHere("an alias must end its alternative");
  }
}

void Parser::OpenGroup() {
  if (static_cast<int64_t>(groups_.size()) > limits_.max_nesting) {
    ThrowLimitError("max_nesting", static_cast<int64_t>(groups_.size()), limits_.max_nesting,
                    "the groups of a Lark grammar");
  }
  const bool is_round = token_.kind == TokenKind::kOpen;
  groups_.emplace_back();
  groups_.back().close = is_round ? TokenKind::kClose : TokenKind::kCloseBracket;
  groups_.back().offset = token_.offset;
  Advance();
}

void Parser::CloseGroup() {
  NodeId body = EndBody();
  const size_t offset = groups_.back().offset;
  const bool is_optional = groups_.back().close == TokenKind::kCloseBracket;
  groups_.pop_back();
  if (is_optional) body = document_->AddRepeat(offset, body, {0, 1});
  Advance();
  FinishElement(body);
}

/// The parts read so far become an operand.
void Parser::EndSequence() {
  Group& group = groups_.back();
  if (group.negated) source().Fail(group.not_offset, "expected a terminal after '~'");
  const size_t offset =
      group.parts.empty() ? token_.offset : document_->node(group.parts[0]).offset;
  if (group.parts.empty() && !group.operands.empty()) FailHere("expected a terminal after '&'");
  NodeId sequence = kNoNode;
  if (group.parts.empty()) {
    sequence = document_->Add(NodeKind::kEmpty, offset);
  } else if (group.parts.size() == 1) {
    sequence = group.parts[0];
  } else {
    sequence = document_->AddParent(NodeKind::kSequence, offset, group.parts);
  }
  group.parts.clear();
  group.operands.push_back(sequence);
}

/// The operands read so far become an alternative.
void Parser::EndAlternative() {
  Group& group = groups_.back();
  NodeId alternative = group.operands[0];
  if (group.operands.size() > 1) {
    const size_t offset = document_->node(alternative).offset;
    alternative = document_->AddParent(NodeKind::kAnd, offset, group.operands);
  }
  group.operands.clear();
  group.alternatives.push_back(alternative);
}

NodeId Parser::EndBody() {
  EndSequence();
  EndAlternative();
  const Group& group = groups_.back();
  if (group.alternatives.size() == 1) return group.alternatives[0];
  return document_->AddParent(NodeKind::kChoices, group.offset, group.alternatives);
}

/// Returns kNoNode at a token that begins no element.
NodeId Parser::ParseElement() {
  switch (token_.kind) {
    case TokenKind::kString:
      return ParseString();
    case TokenKind::kRegex: {
      const NodeId node =
          document_->AddLiteral(NodeKind::kRegex, token_.offset, token_.text, token_.flags);
      Advance();
      return node;
    }
    case TokenKind::kName:
      return ParseName();
    case TokenKind::kGrammar: {
      const NodeId node =
          document_->AddLiteral(NodeKind::kNamedGrammar, token_.offset, token_.text);
      Advance();
      return node;
    }
    case TokenKind::kSpecial:
      return ParseSpecial();
    case TokenKind::kDirective:
      return ParseValueDirective();
    default:
      return kNoNode;
  }
}

NodeId Parser::ParseString() {
  const Token first = token_;
  Advance();
  if (token_.kind != TokenKind::kDotDot) {
    return document_->AddLiteral(NodeKind::kString, first.offset, first.text, first.flags);
  }
  Advance();
  if (token_.kind != TokenKind::kString) FailHere("expected a string after '..'");
  const auto end_of_range = [this](const Token& token) {
    if (!token.flags.empty()) source().Fail(token.offset, "the ends of a range take no flags");
    if (token.text.empty() || DecodeUtf8(token.text, 0).size != token.text.size()) {
      source().Fail(token.offset, "each end of a range must be one character");
    }
    return static_cast<int32_t>(DecodeUtf8(token.text, 0).code_point);
  };
  const int32_t lo = end_of_range(first);
  const int32_t hi = end_of_range(token_);
  if (lo > hi) {
    source().Fail(first.offset, "range end must be greater than or equal to start");
  }
  Advance();
  return document_->Add(NodeKind::kRange, first.offset, lo, hi);
}

NodeId Parser::ParseName() {
  const NodeId node = document_->AddLiteral(NodeKind::kName, token_.offset, token_.text);
  const size_t offset = token_.offset;
  Advance();
  if (token_.kind != TokenKind::kOpenBrace || lexer_.IsNumberNext()) return node;
  // `{,m}` and `{,}` are quantifiers, too; a template takes an argument first.
  const std::string_view rest = source().text().substr(token_.offset + 1);
  const size_t next = rest.find_first_not_of(" \t");
  if (next == std::string_view::npos || rest[next] == ',' || rest[next] == '}') return node;
  source().Refuse(offset, "a template", "write a rule for each argument");
}

NodeId Parser::ParseValueDirective() {
  const size_t offset = token_.offset;
  const std::string name = token_.text;
  if (name == "lark") return ParseNested();
  if (name != "json" && name != "regex") return kNoNode;
  Advance();
  if (name == "regex") return ParseSubstring();
  const NodeId node = document_->AddLiteral(NodeKind::kJson, offset, token_.text);
  document_->nodes.back().count = static_cast<int32_t>(token_.offset - offset);
  Advance();
  return node;
}

NodeId Parser::ParseNested() {
  const size_t offset = token_.offset;
  if (depth_ >= limits_.max_nesting)
    ThrowLimitError("max_nesting", depth_ + 1, limits_.max_nesting, "grammars within grammars");
  if (depth_ >= kMaxNestedGrammars)
    ThrowFixedLimitError("grammars within grammars", depth_ + 1, kMaxNestedGrammars);
  Advance();
  if (token_.kind != TokenKind::kOpenBrace) FailHere("expected '{' after %lark");
  document_->nested.push_back(Parser(&lexer_, limits_, depth_ + 1).Parse());
  Advance();  // The nested parser stopped at the closing brace.
  return document_->Add(NodeKind::kNested, offset,
                        static_cast<int32_t>(document_->nested.size()) - 1);
}

/// Takes a quantifier and a pending `~`, and appends to the open group.
void Parser::FinishElement(NodeId element) {
  element = ParseQuantifier(element);
  Group& group = groups_.back();
  if (group.negated) {
    const NodeId parts[] = {element};
    element = document_->AddParent(NodeKind::kNot, group.not_offset, parts);
    group.negated = false;
  }
  group.parts.push_back(element);
}

NodeId Parser::ParseQuantifier(NodeId element) {
  Bounds bounds;
  switch (token_.kind) {
    case TokenKind::kQuestion:
      bounds.max = 1;
      break;
    case TokenKind::kStar:
      break;
    case TokenKind::kPlus:
      bounds.min = 1;
      break;
    case TokenKind::kTilde:
      return lexer_.IsNumberNext() ? ParseTilde(element) : element;
    case TokenKind::kOpenBrace:
      return ParseBraces(element);
    default:
      return element;
  }
  Advance();
  return document_->AddRepeat(document_->node(element).offset, element, bounds);
}

int64_t Parser::ParseCount() {
  const std::string& text = token_.text;
  const bool is_number = token_.kind == TokenKind::kNumber;
  if (!is_number || text.find_first_not_of("0123456789") != std::string::npos) {
    FailHere("invalid repetition count");
  }
  const size_t zeros = std::min(text.find_first_not_of('0'), text.size());
  const std::string digits = text.substr(zeros);
  if (digits.size() > 18 || (!digits.empty() && std::stoll(digits) > limits_.max_repeat)) {
    FailHere("invalid repetition count: it is above " + std::to_string(limits_.max_repeat));
  }
  Advance();
  return digits.empty() ? 0 : std::stoll(digits);
}

/// `~n` and `~n..m`.
NodeId Parser::ParseTilde(NodeId element) {
  const size_t offset = document_->node(element).offset;
  Advance();
  const size_t count_offset = token_.offset;
  Bounds bounds;
  bounds.min = ParseCount();
  bounds.max = bounds.min;
  if (token_.kind == TokenKind::kDotDot) {
    Advance();
    bounds.max = ParseCount();
  }
  if (bounds.max < bounds.min) {
    source().Fail(count_offset, "repetition end must be greater than or equal to start");
  }
  return document_->AddRepeat(offset, element, bounds);
}

/// `{n}`, `{n,m}`, `{n,}`, `{,m}`, `{,}`.
NodeId Parser::ParseBraces(NodeId element) {
  const size_t offset = document_->node(element).offset;
  Advance();
  const size_t count_offset = token_.offset;
  Bounds bounds;
  const bool has_min = token_.kind != TokenKind::kComma;
  if (has_min) bounds.min = ParseCount();
  if (token_.kind == TokenKind::kComma) {
    Advance();
    if (token_.kind != TokenKind::kCloseBrace) bounds.max = ParseCount();
  } else {
    bounds.max = bounds.min;
  }
  Expect(TokenKind::kCloseBrace, "'}' after a repetition count");
  if (bounds.max >= 0 && bounds.max < bounds.min) {
    source().Fail(count_offset, "repetition end must be greater than or equal to start");
  }
  return document_->AddRepeat(offset, element, bounds);
}

}  // namespace xgrammar::lark
