// Values of `enum` and `const`, and the rules for values without any constraint.
#include <algorithm>

#include "frontend/json_schema/converter.h"
#include "json/decimal.h"
#include "json/writer.h"

namespace xgrammar::json_schema {

namespace {

constexpr int64_t kMaxPlainSpelling =
    2000;  // Longer plain forms of numbers such as 1e9999 are not offered.

}  // namespace

// Scalars make one lexeme; containers make rules.
void JSONSchemaConverter::AppendValues(const Expansion& expansion, bool is_inner, Depth depth,
                                       std::vector<ExprId>* alternatives) {
  std::vector<ExprId> scalars;
  std::vector<ExprId> containers;
  for (const JsonId value : expansion.values) {
    switch (document().kind(value)) {
      case JsonKind::kNull:
        scalars.push_back(WordLiteral("null"));
        break;
      case JsonKind::kTrue:
        scalars.push_back(WordLiteral("true"));
        break;
      case JsonKind::kFalse:
        scalars.push_back(WordLiteral("false"));
        break;
      case JsonKind::kString:
        scalars.push_back(StringLiteral(document().text(value)));
        break;
      case JsonKind::kNumber:
        AppendNumberSpellings(value, &scalars);
        break;
      case JsonKind::kArray:
      case JsonKind::kObject:
        containers.push_back(ContainerValue(value, is_inner, depth));
        break;
    }
  }
  if (!scalars.empty()) alternatives->push_back(Lexeme("literal", builder_.AddChoices(scalars)));
  alternatives->insert(alternatives->end(), containers.begin(), containers.end());
  if (expansion.allows_null) alternatives->push_back(Lexeme("null", WordLiteral("null")));
  std::vector<ExprId> booleans;
  if (expansion.allows_true) booleans.push_back(WordLiteral("true"));
  if (expansion.allows_false) booleans.push_back(WordLiteral("false"));
  if (!booleans.empty()) alternatives->push_back(Lexeme("boolean", builder_.AddChoices(booleans)));
}

// As in the schema, and as a plain decimal without superfluous parts.
void JSONSchemaConverter::AppendNumberSpellings(JsonId value, std::vector<ExprId>* alternatives) {
  const std::string_view text = document().text(value);
  alternatives->push_back(builder_.AddByteString(text));
  const Decimal number = Decimal::FromJsonNumber(text);
  if (number.PlainSize() > kMaxPlainSpelling) return;
  const std::string plain = number.ToPlain();
  if (plain != text) alternatives->push_back(builder_.AddByteString(plain));
}

// A container is spelled as any other container of its shape, and in addition compactly as a whole.
ExprId JSONSchemaConverter::ContainerValue(JsonId value, bool is_inner, Depth depth) {
  ExprId spelled = kNoExpr;
  const auto child = [&](JsonId id) { return merger_.Intern({{id, LiteralKind::kConst}}); };
  if (document().IsArray(value)) {
    ArraySpec& spec = const_arrays_.emplace_back();
    for (const JsonId item : document().items(value)) spec.prefix.push_back(child(item));
    spec.rest = kNothingLocation;
    spec.count = {static_cast<int64_t>(spec.prefix.size()),
                  static_cast<int64_t>(spec.prefix.size())};
    spelled = ArrayRef(spec, depth);
  } else {
    ObjectSpec& spec = const_objects_.emplace_back();
    for (const auto& member : document().members(value)) {
      spec.members.push_back({document().key(member), true, child(member.value)});
    }
    spec.count = {static_cast<int64_t>(spec.members.size()),
                  static_cast<int64_t>(spec.members.size())};
    spelled = ObjectRef(spec, depth);
  }
  if (is_inner || layout_.allows_compact()) return spelled;
  return builder_.AddChoices({spelled, builder_.AddByteString(WriteJson(document(), value))});
}

void JSONSchemaConverter::MakeFreeValueRules() {
  const RuleId value = builder_.AddRule(builder_.UnusedName("json_value"), RuleKind::kStructure);
  const RuleId object = builder_.AddRule(builder_.UnusedName("json_object"), RuleKind::kStructure);
  const RuleId array = builder_.AddRule(builder_.UnusedName("json_array"), RuleKind::kStructure);
  free_value_ = builder_.AddRuleRef(value);
  free_object_ = builder_.AddRuleRef(object);
  free_array_ = builder_.AddRuleRef(array);
  NumberConstraint number;
  builder_.SetBody(
      value,
      builder_.AddChoices(
          {free_object_, free_array_, FreeString(), Number(number, document().root()),
           Lexeme("boolean", builder_.AddChoices({WordLiteral("true"), WordLiteral("false")})),
           Lexeme("null", WordLiteral("null"))}));
  const ExprId member =
      builder_.AddSequence({AdditionalKey({}), KeySeparator(kOneLine), free_value_});
  const auto list = [&](ExprId item, ExprId separator) {
    return builder_.AddSequence({item, builder_.AddStar(builder_.AddSequence({separator, item}))});
  };
  builder_.SetBody(
      object, builder_.AddChoices({EmptyObject(kOneLine),
                                   builder_.AddSequence({OpenObject(kOneLine),
                                                         list(member, MemberSeparator(kOneLine)),
                                                         CloseObject(kOneLine)})}));
  builder_.SetBody(
      array, builder_.AddChoices({EmptyArray(kOneLine),
                                  builder_.AddSequence({OpenArray(kOneLine),
                                                        list(free_value_, ArraySeparator(kOneLine)),
                                                        CloseArray(kOneLine)})}));
}

ExprId JSONSchemaConverter::FreeValue() {
  if (free_value_ == kNoExpr) MakeFreeValueRules();
  return free_value_;
}

ExprId JSONSchemaConverter::FreeContainer(bool is_object) {
  if (free_value_ == kNoExpr) MakeFreeValueRules();
  return is_object ? free_object_ : free_array_;
}

}  // namespace xgrammar::json_schema
