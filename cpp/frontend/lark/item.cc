// Parser: definitions of rules and terminals, and the attributes of rules.
//
// Values of attributes are checked here. Whether a rule may have them is judged here as far as its
// other attributes decide it, and in names.cc as far as its body does.
#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "frontend/lark/parser.h"
#include "support/error.h"

namespace xgrammar::lark {

namespace {

constexpr int64_t kMaxTokenBudget = 1000000;
constexpr int64_t kMaxCharBudget = 2147483647;

/// After leading underscores, the case of the first letter tells terminals from rules.
bool IsTerminalName(const std::string& name) {
  const size_t first = name.find_first_not_of('_');
  return first != std::string::npos && name[first] >= 'A' && name[first] <= 'Z';
}

bool IsCaptureChar(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '-' || c == '.';
}

}  // namespace

void Parser::ParseItem() {
  switch (token_.kind) {
    case TokenKind::kNewline:
      Advance();
      return;
    case TokenKind::kDirective:
      ParseDirective();
      return;
    case TokenKind::kName:
    case TokenKind::kQuestion:
    case TokenKind::kBang:
      ParseDefinition();
      return;
    default:
      FailHere("expected rule or terminal name, got " + TokenText());
  }
}

void Parser::EndItem() {
  const bool ends = token_.kind == TokenKind::kNewline || token_.kind == TokenKind::kEnd ||
                    (depth_ > 0 && token_.kind == TokenKind::kCloseBrace);
  if (!ends) FailHere("unexpected " + TokenText());
}

void Parser::ParseDefinition() {
  if (token_.kind != TokenKind::kName) Advance();  // One prefix: it shapes trees, not languages.
  if (token_.kind != TokenKind::kName) FailHere("expected rule or terminal name");
  Definition definition;
  definition.name = token_.text;
  definition.offset = token_.offset;
  definition.is_terminal = IsTerminalName(definition.name);
  definition.first_node = static_cast<NodeId>(document_->nodes.size());
  Advance();
  if (token_.kind == TokenKind::kDot) {
    source().Refuse(token_.offset, "a priority", "leave it out: all alternatives are kept");
  }
  if (token_.kind == TokenKind::kOpenBrace) {
    source().Refuse(definition.offset, "a template", "write a rule for each argument");
  }
  if (token_.kind == TokenKind::kOpenBracket) ParseAttributes(&definition);
  Expect(TokenKind::kColon, "':' after a rule or terminal name");
  definition.body = ParseExpression();
  EndItem();
  document_->definitions.push_back(std::move(definition));
}

void Parser::ParseAttributes(Definition* definition) {
  const size_t offset = token_.offset;
  if (definition->is_terminal) FailHere("attributes are only supported on rules");
  Advance();
  std::vector<std::string> seen;
  ParseAttribute(definition, &seen);
  while (token_.kind == TokenKind::kComma) {
    Advance();
    ParseAttribute(definition, &seen);
  }
  Expect(TokenKind::kCloseBracket, "',' or ']' after an attribute");
  CheckAttributes(*definition, offset);
}

void Parser::ParseAttribute(Definition* definition, std::vector<std::string>* seen) {
  if (token_.kind != TokenKind::kName) FailHere("expected the name of an attribute");
  const std::string name = token_.text;
  const size_t offset = token_.offset;
  if (std::find(seen->begin(), seen->end(), name) != seen->end()) {
    FailHere("duplicate attribute '" + QuoteForMessage(name) + "'");
  }
  seen->push_back(name);
  Advance();
  Attributes& attributes = definition->attributes;
  const bool has_value = token_.kind == TokenKind::kEqual;
  if (name == "lazy") {
    if (has_value) FailHere("attribute 'lazy' takes no value");
    attributes.lazy = true;
    return;
  }
  if (name == "capture" && !has_value) {
    attributes.notes.push_back({name, offset, definition->name, 0});
    return;
  }
  const bool is_known = name == "suffix" || name == "stop" || name == "stop_capture" ||
                        name == "max_tokens" || name == "max_chars" || name == "capture" ||
                        name == "temperature";
  if (!is_known) source().Fail(offset, "unknown attribute '" + QuoteForMessage(name) + "'");
  Expect(TokenKind::kEqual, "'=' after the name of an attribute");
  if (name == "suffix") {
    attributes.suffix = ParseMarker();
  } else if (name == "stop") {
    attributes.stop = ParseMarker();
  } else if (name == "max_tokens") {
    attributes.max_tokens = ParseBudget(1, kMaxTokenBudget);
  } else if (name == "max_chars") {
    attributes.max_chars = ParseBudget(0, kMaxCharBudget);
  } else {
    Attributes::Note note;
    note.name = name;
    note.offset = offset;
    if (name == "temperature") {
      note.number = ParseTemperature();
    } else {
      note.text = ParseCaptureName();
    }
    attributes.notes.push_back(std::move(note));
  }
}

void Parser::CheckAttributes(const Definition& definition, size_t offset) const {
  const Attributes& attributes = definition.attributes;
  const auto has_note = [&](const char* name) {
    return std::any_of(attributes.notes.begin(), attributes.notes.end(),
                       [&](const Attributes::Note& note) { return note.name == name; });
  };
  if (attributes.suffix != kNoNode && attributes.stop != kNoNode) {
    source().Fail(offset, "suffix and stop cannot be used together");
  }
  if (has_note("stop_capture") && attributes.marker() == kNoNode) {
    source().Fail(offset, "stop_capture needs suffix or stop");
  }
  const bool shapes =
      attributes.lazy || attributes.marker() != kNoNode || attributes.max_tokens > 0;
  if (has_note("temperature") && shapes) {
    source().Fail(offset, "temperature cannot be used with max_tokens, lazy, suffix or stop");
  }
}

/// A string, a pattern or a terminal.
NodeId Parser::ParseMarker() {
  if (token_.kind == TokenKind::kString && token_.text.empty()) {
    FailHere("suffix and stop must not be an empty string");
  }
  const bool is_marker = token_.kind == TokenKind::kString || token_.kind == TokenKind::kRegex ||
                         token_.kind == TokenKind::kName;
  if (!is_marker) FailHere("suffix and stop take a string, a regular expression or a terminal");
  return ParseElement();
}

int64_t Parser::ParseBudget(int64_t min, int64_t max) {
  const std::string& text = token_.text;
  const bool is_integer = token_.kind == TokenKind::kNumber && text.size() <= 18 &&
                          text.find_first_not_of("0123456789") == std::string::npos;
  const int64_t value = is_integer ? std::stoll(text) : -1;
  if (value < min || value > max) {
    FailHere("expected an integer from " + std::to_string(min) + " to " + std::to_string(max));
  }
  Advance();
  return value;
}

std::string Parser::ParseCaptureName() {
  const bool is_name = token_.kind == TokenKind::kString && token_.flags.empty() &&
                       !token_.text.empty() &&
                       std::all_of(token_.text.begin(), token_.text.end(), IsCaptureChar);
  if (!is_name) FailHere("a capture name is a string of letters, digits, '_', '-' and '.'");
  std::string name = token_.text;
  Advance();
  return name;
}

double Parser::ParseTemperature() {
  const bool is_number = token_.kind == TokenKind::kNumber;
  const double value = is_number ? std::strtod(token_.text.c_str(), nullptr) : -1.0;
  if (!is_number || value < 0 || !std::isfinite(value)) {
    FailHere("the temperature must be a finite non-negative number");
  }
  Advance();
  return value;
}

}  // namespace xgrammar::lark
