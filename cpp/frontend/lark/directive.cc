// Parser: `%` items, and the value of `%regex`.
//
// An imported terminal becomes a definition like any other, whose body is its pattern.
#include <string>
#include <utility>
#include <vector>

#include "frontend/lark/imports.h"
#include "frontend/lark/json_place.h"
#include "frontend/lark/parser.h"
#include "support/error.h"
#include "support/utf8.h"

namespace xgrammar::lark {

namespace {

enum class CharKind : uint8_t { kWord, kSpace, kOther };

CharKind KindOf(uint32_t c) {
  const bool is_word = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
                       c == '_' || c >= 0x80;
  if (is_word) return CharKind::kWord;
  return c == ' ' || (c >= '\t' && c <= '\r') ? CharKind::kSpace : CharKind::kOther;
}

std::vector<std::string> SplitCharacters(std::string_view text) {
  std::vector<std::string> chunks;
  for (size_t i = 0; i < text.size(); i += DecodeUtf8(text, i).size) {
    chunks.emplace_back(text.substr(i, DecodeUtf8(text, i).size));
  }
  return chunks;
}

/// Runs of word characters, runs of white space, and each other character.
std::vector<std::string> SplitWords(std::string_view text) {
  std::vector<std::string> chunks;
  CharKind previous = CharKind::kOther;
  for (size_t i = 0; i < text.size();) {
    const DecodedCodePoint decoded = DecodeUtf8(text, i);
    const CharKind kind = KindOf(decoded.code_point);
    if (kind == CharKind::kOther || kind != previous) chunks.emplace_back();
    chunks.back().append(text.substr(i, decoded.size));
    previous = kind;
    i += decoded.size;
  }
  return chunks;
}

}  // namespace

void Parser::ParseDirective() {
  const std::string& name = token_.text;
  if (name == "import") return ParseImport();
  if (name == "ignore") return ParseIgnore();
  if (name == "grammar_options" || name == "llguidance") return ParseOptions();
  if (name == "declare" || name == "override" || name == "extend") {
    source().Refuse(token_.offset, "%" + name, "define each terminal and rule once, with its text");
  }
  if (name == "json" || name == "regex" || name == "lark") {
    FailHere("expected rule or terminal name: %" + name + " stands in the body of a rule");
  }
  FailHere("unknown directive '%" + QuoteForMessage(name, 40) + "'");
}

/// `%import common.NAME`, `%import common.NAME -> ALIAS`, `%import common (A, B)`.
void Parser::ParseImport() {
  Advance();
  std::string module;
  std::string last;
  size_t offset = token_.offset;
  std::string relative;  // There are no files that it could mean.
  for (; token_.kind == TokenKind::kDot; Advance()) relative += '.';
  last = token_.text;
  Expect(TokenKind::kName, "a module after %import");
  while (token_.kind == TokenKind::kDot) {
    Advance();
    module += (module.empty() ? "" : ".") + last;
    last = token_.text;
    Expect(TokenKind::kName, "a name after '.'");
  }
  if (token_.kind != TokenKind::kOpen) {
    std::string alias = last;
    if (token_.kind == TokenKind::kArrow) {
      Advance();
      alias = token_.text;
      Expect(TokenKind::kName, "a name after '->'");
    }
    ImportOne(relative + (module.empty() ? last : module + "." + last), offset, alias);
    return EndItem();
  }
  module += (module.empty() ? "" : ".") + last;
  do {
    Advance();
    offset = token_.offset;
    last = token_.text;
    Expect(TokenKind::kName, "the name of a terminal");
    ImportOne(relative + module + "." + last, offset, last);
  } while (token_.kind == TokenKind::kComma);
  Expect(TokenKind::kClose, "')' after the imported names");
  EndItem();
}

void Parser::ImportOne(const std::string& name, size_t name_offset, const std::string& alias) {
  constexpr std::string_view kModule = "common.";
  const bool is_common = name.compare(0, kModule.size(), kModule) == 0;
  const std::string_view pattern =
      is_common ? CommonTerminal(std::string_view(name).substr(kModule.size()))
                : std::string_view();
  if (pattern.empty()) {
    source().Fail(name_offset, "unknown common import '" + QuoteForMessage(name) + "'");
  }
  Definition definition;
  definition.name = alias;
  definition.offset = name_offset;
  definition.is_terminal = true;
  definition.body = document_->AddLiteral(NodeKind::kRegex, name_offset, std::string(pattern));
  definition.first_node = definition.body;
  document_->definitions.push_back(std::move(definition));
}

void Parser::ParseIgnore() {
  Advance();
  if (token_.kind == TokenKind::kNewline || token_.kind == TokenKind::kEnd) {
    FailHere("expected a terminal after %ignore");
  }
  Ignore ignore;
  ignore.first_node = static_cast<NodeId>(document_->nodes.size());
  ignore.body = ParseExpression();
  EndItem();
  document_->ignores.push_back(ignore);
}

void Parser::ParseOptions() {
  Advance();
  const JsonDocument json = ReadJson(token_.text, token_.offset, source(), limits_);
  if (!json.IsObject(json.root())) FailHere("the options must be a JSON object");
  for (const JsonDocument::Member& member : json.members(json.root())) {
    const std::string key(json.key(member));
    const size_t offset = token_.offset + static_cast<size_t>(json.offset(member.value));
    const bool is_known =
        key == "allow_initial_skip" || key == "no_forcing" || key == "allow_invalid_utf8";
    if (!is_known) source().Fail(offset, "unknown grammar option '" + QuoteForMessage(key) + "'");
    if (!json.IsBool(member.value))
      source().Fail(offset, "grammar option '" + key + "' must be true or false");
    const bool value = json.kind(member.value) == JsonKind::kTrue;
    if (key == "allow_initial_skip") {
      document_->allow_initial_skip = value;
    } else if (value) {
      source().Refuse(offset, "grammar option '" + key + "'", "leave it out");
    }
  }
  Advance();
  EndItem();
}

/// The value after `%regex`: an object with one field that says how the text is cut.
NodeId Parser::ParseSubstring() {
  const size_t offset = token_.offset;
  const JsonDocument json = ReadJson(token_.text, offset, source(), limits_);
  if (!json.IsObject(json.root()) || json.members(json.root()).size() != 1) {
    FailHere("%regex takes an object with one field");
  }
  const JsonDocument::Member& member = json.members(json.root())[0];
  const std::string_view key = json.key(member);
  std::vector<std::string> chunks;
  if (key == "substring_chunks") {
    bool is_valid = json.IsArray(member.value);
    if (is_valid) {
      for (JsonId item : json.items(member.value)) {
        is_valid = is_valid && json.IsString(item);
        if (is_valid) chunks.emplace_back(json.text(item));
      }
    }
    if (!is_valid) FailHere("substring_chunks must be an array of strings");
  } else if (key == "substring_words" || key == "substring_chars") {
    if (!json.IsString(member.value)) FailHere(std::string(key) + " must be a string");
    const std::string_view text = json.text(member.value);
    chunks = key == "substring_words" ? SplitWords(text) : SplitCharacters(text);
  } else {
    FailHere("unknown %regex field '" + QuoteForMessage(key) +
             "'; use substring_chunks, substring_words or substring_chars");
  }
  document_->substrings.push_back(std::move(chunks));
  Advance();
  return document_->Add(NodeKind::kSubstring, offset,
                        static_cast<int32_t>(document_->substrings.size()) - 1);
}

}  // namespace xgrammar::lark
