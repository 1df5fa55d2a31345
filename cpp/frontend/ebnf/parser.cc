// EBNF front end: rules and expressions -> Grammar.
//
// Two passes over the tokens. The first collects the names that are defined, so that rules keep
// their source order and may be used before their definition; the second builds the bodies. Groups
// are kept on an explicit stack, so nesting uses no native stack. Linear in the source.
#include "frontend/ebnf/parser.h"

#include <string>
#include <utility>
#include <vector>

#include "frontend/ebnf/dispatch_macro.h"
#include "frontend/ebnf/lazy_rules.h"
#include "frontend/ebnf/lexer.h"
#include "frontend/ebnf/macro.h"
#include "frontend/ebnf/printed_automata.h"
#include "frontend/ebnf/regex_macro.h"
#include "frontend/ebnf/rule_options.h"
#include "frontend/ebnf/token_macro.h"
#include "grammar/builder.h"
#include "grammar/substring.h"
#include "support/error.h"
#include "support/work_meter.h"

namespace xgrammar {

namespace ebnf {
namespace {

enum class Region : uint8_t { kBody, kLookahead };

/// `{m,n}`.
struct Bounds {
  int64_t min = 0;
  int64_t max = kUnbounded;
};

/// One open group; the outermost is the body or the lookahead itself.
struct Group {
  size_t parts_start = 0;         // The parts of the current alternative are parts_[parts_start..].
  size_t alternatives_start = 0;  // Finished alternatives are alternatives_[alternatives_start..].
  bool is_any_order = false;      // The arguments of AnyOrder or Distinct, separated by commas.
  bool is_distinct = false;
  size_t arguments_start = 0;  // Finished ones are arguments_[arguments_start..].
  Bounds bounds;               // Of AnyOrder or Distinct.
};

class Parser {
 public:
  Parser(std::string_view text, const Limits& limits)
      : lexer_(text), limits_(limits), builder_(limits) {}

  GrammarPtr Parse(std::string_view root_rule_name) {
    try {
      CollectRules();
      RuleId root = builder_.FindRule(root_rule_name);
      if (root < 0) {
        lexer_.Fail(
            0, "The root rule with name \"" + QuoteForMessage(root_rule_name) + "\" is not found");
      }
      Advance();
      while (token_.kind != TokenKind::kEnd) ParseRule();
      ShortenLazyRules(lazy_rules_, lexer_, &builder_, limits_);
      return FoldPrintedAutomata(builder_.Build(root), limits_);
    } catch (Error& error) {
      // Limits are raised by stages that know no place; the current token is the nearest one.
      if (error.line() == 0) {
        Error here = lexer_.ErrorAt(error.kind(), token_.offset, {});
        error.At(here.line(), here.column());
      }
      throw;
    }
  }

 private:
  void Advance() {
    CountWork("reading EBNF");
    lexer_.Next(&token_);
  }
  std::string TokenText() const {
    if (token_.kind == TokenKind::kEnd) return "end of input";
    return QuoteForMessage(lexer_.SourceOf(token_), 40);
  }
  [[noreturn]] void FailHere(std::string message) const {
    lexer_.Fail(token_.offset, std::move(message));
  }
  [[noreturn]] void FailElement() const { FailHere("Expect element, but got " + TokenText()); }
  bool AtDefinition() const {
    return next_definition_ < definitions_.size() &&
           definitions_[next_definition_] == token_.offset;
  }

  void CollectRules();
  void AddDefinition(const Token& name);
  void ParseRule();
  ExprId ParseChoices(Region region);
  bool AtAnyOrder() const;
  void OpenGroup();
  void OpenAnyOrder();
  void EndArgument();
  ExprId CloseGroup();
  ExprId CloseAnyOrder(const Group& group);
  void EndAlternative();
  void AppendPart(ExprId element);
  ExprId ParseElement(Region region);
  ExprId ParseName(Region region);
  ExprId ParseMacro(Region region);
  ExprId ParseSubstring(const MacroCall& call);
  ExprId ParseTokenLiteral();
  void ParseOptions(size_t rule_offset);
  ExprId ParseQuantifier(ExprId element);
  Bounds ParseBounds();

  Lexer lexer_;
  const Limits& limits_;
  GrammarBuilder builder_;
  Token token_;
  RuleId rule_ = -1;                 // The rule whose body is being read.
  std::vector<size_t> definitions_;  // Offsets of the names before `::=`, ascending.
  size_t next_definition_ = 0;
  std::vector<LazyRule> lazy_rules_;
  std::vector<Group> groups_;
  std::vector<ExprId> parts_;
  std::vector<ExprId> alternatives_;
  std::vector<ExprId> arguments_;
};

// The `::=` decides what is a definition, so the two tokens before it are remembered.
void Parser::CollectRules() {
  Token before_previous;
  Token previous;
  bool is_first = true;
  for (Advance(); token_.kind != TokenKind::kEnd; Advance()) {
    if (token_.kind == TokenKind::kAssign) {
      if (is_first) FailHere("Assign should not be the first token");
      bool has_options = previous.kind == TokenKind::kOptions;
      AddDefinition(has_options ? before_previous : previous);
    }
    is_first = false;
    before_previous.kind = previous.kind;
    before_previous.offset = previous.offset;
    before_previous.size = previous.size;
    previous.kind = token_.kind;
    previous.offset = token_.offset;
    previous.size = token_.size;
  }
  lexer_.Rewind();
}

void Parser::AddDefinition(const Token& name) {
  if (name.kind != TokenKind::kIdentifier) {
    FailHere("Assign should be preceded by an identifier");
  }
  if (!lexer_.IsFirstOnLine(name.offset)) {
    lexer_.Fail(name.offset, "The rule name should be at the beginning of the line");
  }
  definitions_.push_back(name.offset);
  std::string_view text = lexer_.SourceOf(name);
  if (builder_.FindRule(text) < 0) builder_.AddRule(std::string(text));
}

void Parser::ParseRule() {
  if (!AtDefinition()) FailHere("Expect rule name, but got " + TokenText());
  ++next_definition_;
  rule_ = builder_.FindRule(lexer_.SourceOf(token_));
  if (builder_.view().rule(rule_).body != kNoExpr) {
    FailHere("Rule \"" + TokenText() + "\" is defined multiple times");
  }
  const size_t offset = token_.offset;
  Advance();
  if (token_.kind == TokenKind::kOptions) ParseOptions(offset);
  Advance();  // The `::=` that made it a definition.
  builder_.SetBody(rule_, ParseChoices(Region::kBody));
  if (token_.kind != TokenKind::kOpenLookahead) return;
  Advance();
  const size_t lookahead_offset = token_.offset;
  ExprId lookahead = ParseChoices(Region::kLookahead);
  if (builder_.view().kind(lookahead) == ExprKind::kEmpty) {
    lexer_.Fail(lookahead_offset, "Empty string should not be in lookahead assertion");
  }
  builder_.SetLookahead(rule_, lookahead);
  Advance();
}

void Parser::ParseOptions(size_t rule_offset) {
  const RuleOptionList list = ReadRuleOptions(lexer_, token_);
  builder_.SetOptions(rule_, list.options);
  RuleNotes notes = list.notes;
  if (list.captures_by_name) notes.capture = builder_.view().rule(rule_).name;
  builder_.SetNotes(rule_, notes);
  if (list.lazy) lazy_rules_.push_back({rule_, rule_offset});
  Advance();
}

// Reads up to the token that cannot continue the region: the next rule, the lookahead, or its
// closing parenthesis.
ExprId Parser::ParseChoices(Region region) {
  groups_.clear();
  groups_.push_back(Group());
  parts_.clear();
  alternatives_.clear();
  arguments_.clear();
  for (;;) {
    bool outermost = groups_.size() == 1;
    switch (token_.kind) {
      case TokenKind::kOpen:
        OpenGroup();
        continue;
      case TokenKind::kClose:
        if (!outermost) {
          AppendPart(CloseGroup());
          continue;
        }
        break;
      case TokenKind::kBar:
        if (outermost && region == Region::kLookahead) {
          FailHere("Choices in lookahead assertion are not supported yet");
        }
        EndAlternative();
        Advance();
        continue;
      case TokenKind::kComma:
        if (!groups_.back().is_any_order) FailElement();
        EndArgument();
        Advance();
        continue;
      case TokenKind::kIdentifier:
        if (AtDefinition()) break;
        if (AtAnyOrder()) {
          OpenAnyOrder();
        } else {
          AppendPart(ParseElement(region));
        }
        continue;
      case TokenKind::kOpenLookahead:
      case TokenKind::kEnd:
        break;
      default:
        AppendPart(ParseElement(region));
        continue;
    }
    // A closing parenthesis ends a lookahead and nothing else does; other ends are those of a rule.
    if (parts_.size() == groups_.back().parts_start) FailElement();
    bool must_close = !outermost || region == Region::kLookahead;
    if (must_close && token_.kind != TokenKind::kClose) {
      FailHere("Expect ), but got " + TokenText());
    }
    EndAlternative();
    return builder_.AddChoices(alternatives_);
  }
}

void Parser::OpenGroup() {
  int64_t depth = static_cast<int64_t>(groups_.size());
  if (depth > limits_.max_nesting) {
    ThrowLimitError("max_nesting", depth, limits_.max_nesting, "nested groups");
  }
  groups_.push_back({parts_.size(), alternatives_.size(), false, false, arguments_.size(), {}});
  Advance();
}

// A rule of that name takes precedence.
bool Parser::AtAnyOrder() const {
  const std::string_view name = lexer_.SourceOf(token_);
  return (name == "AnyOrder" || name == "Distinct") && builder_.FindRule(std::string(name)) < 0;
}

// `AnyOrder(separator, part, ...)` or `AnyOrder{m,n}(separator, part, ...)`, and likewise
// `Distinct(separator, other items, first item, ...)`: the arguments are expressions, so they are
// read as a group.
void Parser::OpenAnyOrder() {
  const bool is_distinct = lexer_.SourceOf(token_) == "Distinct";
  Advance();
  Bounds bounds;
  if (token_.kind == TokenKind::kOpenBrace) {
    Advance();
    bounds = ParseBounds();
    Advance();
  }
  if (token_.kind != TokenKind::kOpen)
    FailHere(is_distinct ? "Expect ( after Distinct" : "Expect ( after AnyOrder");
  OpenGroup();
  groups_.back().is_any_order = true;
  groups_.back().is_distinct = is_distinct;
  groups_.back().bounds = bounds;
}

void Parser::EndArgument() {
  if (parts_.size() == groups_.back().parts_start) FailElement();
  EndAlternative();
  const size_t start = groups_.back().alternatives_start;
  arguments_.push_back(builder_.AddChoices(std::span<const ExprId>(alternatives_).subspan(start)));
  alternatives_.resize(start);
}

ExprId Parser::CloseAnyOrder(const Group& group) {
  EndArgument();
  const std::span<const ExprId> arguments =
      std::span<const ExprId>(arguments_).subspan(group.arguments_start);
  if (arguments.size() < 2) {
    FailHere(group.is_distinct ? "Distinct expects a separator and an item"
                               : "AnyOrder expects a separator and at least one part");
  }
  const ExprId expr = group.is_distinct
                          ? builder_.AddDistinct(arguments[0], arguments[1], arguments.subspan(2),
                                                 group.bounds.min, group.bounds.max)
                          : builder_.AddAnyOrder(arguments[0], arguments.subspan(1),
                                                 group.bounds.min, group.bounds.max);
  arguments_.resize(group.arguments_start);
  groups_.pop_back();
  Advance();
  return expr;
}

// Empty alternatives are the caller's business: `( )` and `("a" |)` hold one.
void Parser::EndAlternative() {
  size_t start = groups_.back().parts_start;
  alternatives_.push_back(builder_.AddSequence(std::span<const ExprId>(parts_).subspan(start)));
  parts_.resize(start);
}

ExprId Parser::CloseGroup() {
  const Group closed = groups_.back();
  if (closed.is_any_order) return CloseAnyOrder(closed);
  EndAlternative();
  size_t start = groups_.back().alternatives_start;
  ExprId group = builder_.AddChoices(std::span<const ExprId>(alternatives_).subspan(start));
  alternatives_.resize(start);
  groups_.pop_back();
  Advance();
  return group;
}

void Parser::AppendPart(ExprId element) { parts_.push_back(ParseQuantifier(element)); }

ExprId Parser::ParseElement(Region region) {
  ExprId element = kNoExpr;
  switch (token_.kind) {
    case TokenKind::kString:
      if (token_.text.empty() && region == Region::kLookahead && groups_.size() == 1) {
        FailHere("Empty string should not be in lookahead assertion");
      }
      element = builder_.AddByteString(token_.text);
      break;
    case TokenKind::kCharClass:
      element = builder_.AddTextClass(token_.set);
      break;
    case TokenKind::kTokenLiteral:
      element = ParseTokenLiteral();
      break;
    case TokenKind::kIdentifier:
      return ParseName(region);
    default:
      FailElement();
  }
  Advance();
  return element;
}

ExprId Parser::ParseName(Region region) {
  std::string_view name = lexer_.SourceOf(token_);
  if (IsMacroName(name)) return ParseMacro(region);
  RuleId rule = builder_.FindRule(name);
  ExprId element = kNoExpr;
  if (rule >= 0) {
    element = builder_.AddRuleRef(rule);
  } else if (name == ".") {
    // GBNF writes any character so; a rule of that name takes precedence.
    element = builder_.AddCharClass(CodePointSet::All());
  } else {
    FailHere("Rule \"" + TokenText() + "\" is not defined");
  }
  Advance();
  return element;
}

ExprId Parser::ParseMacro(Region region) {
  const size_t offset = token_.offset;
  MacroCall call = ParseMacroCall(&lexer_, &token_, limits_);
  const bool is_token = call.name == "Token" || call.name == "ExcludeToken";
  if (region == Region::kLookahead && !is_token) {
    lexer_.Fail(offset, call.name + " should not be in lookahead assertion");
  }
  if (call.name == "Regex") {
    const std::string& rule_name = builder_.view().rule(rule_).name;
    return BuildRegexMacro(call, lexer_, rule_name, &builder_, limits_);
  }
  if (call.name == "TagDispatch") return BuildTagDispatch(call, lexer_, &builder_, limits_);
  if (call.name == "TokenTagDispatch") return BuildTokenTagDispatch(call, lexer_, &builder_);
  if (call.name == "Substring") return ParseSubstring(call);
  return BuildTokenMacro(call, lexer_, &builder_);
}

ExprId Parser::ParseSubstring(const MacroCall& call) {
  if (!call.named.empty()) {
    lexer_.Fail(call.arguments_offset, "Substring() does not accept named arguments");
  }
  std::vector<std::string> chunks;
  chunks.reserve(call.positional.size());
  for (const MacroArgument& argument : call.positional) {
    if (argument.kind != MacroArgument::Kind::kString) {
      lexer_.Fail(call.arguments_offset, "Substring() arguments must be strings");
    }
    chunks.push_back(argument.text);
  }
  const std::string hint = builder_.view().rule(rule_).name + "_substring";
  return AddSubstring(chunks, hint, &builder_, limits_);
}

ExprId Parser::ParseTokenLiteral() {
  if (token_.integer < 0) return builder_.AddNamedToken(token_.text, token_.negated);
  if (token_.integer > kMaxTokenId) FailHere(TokenIdTooLarge(token_.integer));
  return builder_.AddTokenSet({static_cast<int32_t>(token_.integer)}, token_.negated);
}

ExprId Parser::ParseQuantifier(ExprId element) {
  switch (token_.kind) {
    case TokenKind::kStar:
      element = builder_.AddStar(element);
      break;
    case TokenKind::kPlus:
      element = builder_.AddPlus(element);
      break;
    case TokenKind::kQuestion:
      element = builder_.AddOptional(element);
      break;
    case TokenKind::kOpenBrace: {
      Advance();
      const Bounds bounds = ParseBounds();
      element = builder_.AddRepeat(element, bounds.min, bounds.max);
      break;
    }
    default:
      return element;
  }
  Advance();
  return element;
}

// `m}`, `m,}`, `m,n}` or `m,-1}`, from the first integer to the closing brace.
Bounds Parser::ParseBounds() {
  if (token_.kind != TokenKind::kInteger || token_.integer < 0) {
    FailHere("Expect integer, but got " + TokenText());
  }
  int64_t min = token_.integer;
  int64_t max = min;
  Advance();
  if (token_.kind == TokenKind::kComma) {
    Advance();
    max = kUnbounded;
    if (token_.kind == TokenKind::kInteger) {
      max = token_.integer;
      if (max < kUnbounded) FailHere("Upper bound should not be negative: " + TokenText());
      if (max >= 0 && max < min) {
        FailHere("Lower bound is larger than upper bound: " + std::to_string(min) + " > " +
                 std::to_string(max));
      }
      Advance();
    } else if (token_.kind != TokenKind::kCloseBrace) {
      FailHere("Expect integer, but got " + TokenText());
    }
  }
  if (token_.kind != TokenKind::kCloseBrace) {
    FailHere("Expect ',' or '}' in repetition range, but got " + TokenText());
  }
  return {min, max};
}

}  // namespace
}  // namespace ebnf

GrammarPtr ParseEbnf(std::string_view text, std::string_view root_rule_name, const Limits& limits) {
  int64_t size = static_cast<int64_t>(text.size());
  if (size > limits.max_source_bytes) {
    ThrowLimitError("max_source_bytes", size, limits.max_source_bytes, "the EBNF text");
  }
  return ebnf::Parser(text, limits).Parse(root_rule_name);
}

}  // namespace xgrammar
