// Numbers: two standard lexemes, and automata for everything that is bounded (numeric_range.h).
//
// Part of JSONSchemaConverter. Numbers without constraints may have an exponent; bounded ones are
// plain decimals. In lenient mode, divisors that are too large for an automaton are reported and
// dropped.
#include <memory>

#include "frontend/json_schema/converter.h"
#include "frontend/json_schema/numeric_range.h"
#include "support/error.h"

namespace xgrammar::json_schema {

namespace {

ExprId Digits(GrammarBuilder* builder, char first) {
  return builder->AddCharClass(CodePointSet({{static_cast<uint32_t>(first), '9'}}));
}

ExprId NaturalNumber(GrammarBuilder* builder) {
  return builder->AddSequence({Digits(builder, '1'), builder->AddStar(Digits(builder, '0'))});
}

// 0 | -?[1-9][0-9]*
ExprId IntegerBody(GrammarBuilder* builder) {
  const ExprId minus = builder->AddOptional(builder->AddByteString("-"));
  return builder->AddChoices(
      {builder->AddByteString("0"), builder->AddSequence({minus, NaturalNumber(builder)})});
}

// -?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?
ExprId NumberBody(GrammarBuilder* builder) {
  const ExprId minus = builder->AddOptional(builder->AddByteString("-"));
  const ExprId digits = builder->AddPlus(Digits(builder, '0'));
  const ExprId integer = builder->AddChoices({builder->AddByteString("0"), NaturalNumber(builder)});
  const ExprId fraction = builder->AddSequence({builder->AddByteString("."), digits});
  const ExprId exponent = builder->AddSequence(
      {builder->AddCharClass(CodePointSet({{'E', 'E'}, {'e', 'e'}})),
       builder->AddOptional(builder->AddCharClass(CodePointSet({{'+', '+'}, {'-', '-'}}))),
       digits});
  return builder->AddSequence(
      {minus, integer, builder->AddOptional(fraction), builder->AddOptional(exponent)});
}

}  // namespace

ExprId JSONSchemaConverter::Number(const NumberConstraint& constraint, JsonId schema) {
  if (constraint.IsFree()) {
    return constraint.integer ? Lexeme("integer", IntegerBody(&builder_))
                              : Lexeme("number", NumberBody(&builder_));
  }
  const std::string key = constraint.Key();
  const auto found = numbers_.find(key);
  if (found != numbers_.end()) return found->second;
  NumberConstraint enforced = constraint;
  ExprId result = kNoExpr;
  while (result == kNoExpr) {
    try {
      CodePointDfaPtr dfa =
          memo_->Get("number " + enforced.Key(), [&] { return NumberToDfa(enforced, limits_); });
      result = dfa->IsEmpty() ? builder_.AddNothing()
                              : Lexeme(enforced.integer ? "integer" : "number",
                                       builder_.AddAutomaton(std::move(dfa)));
    } catch (const Error& cause) {
      if (cause.kind() == ErrorKind::kBudget) throw;
      const bool is_of_divisors = cause.kind() == ErrorKind::kUnsupported ||
                                  (cause.kind() == ErrorKind::kLimit &&
                                   !(enforced.multiples.empty() && enforced.not_multiples.empty()));
      if (!is_of_divisors) {
        Error error = merger_.reader().MakeError(cause.kind(), schema, "", cause.message());
        error.Limit(cause.limit_name(), cause.limit_value(), cause.limit_maximum());
        throw error;
      }
      merger_.Unsupported(schema, "multipleOf", cause.message());
      // Lenient: without the divisors the language only grows.
      enforced.multiples.clear();
      enforced.not_multiples.clear();
      if (enforced.IsFree()) return Number(enforced, schema);
    }
  }
  numbers_.emplace(key, result);
  return result;
}

}  // namespace xgrammar::json_schema
