// Values of `enum` and `const`, and the rules for values without any constraint.
//
// Part of JSONSchemaConverter. A number may be written as in the schema or as a plain decimal; a
// container as any other of its shape, or compactly. Which values remain was decided by Merger.
#include <algorithm>
#include <array>

#include "frontend/json_schema/converter.h"
#include "json/decimal.h"
#include "json/writer.h"

namespace xgrammar::json_schema {

namespace {

constexpr int64_t kMaxPlainSpelling =
    2000;  // Longer plain forms of numbers such as 1e9999 are not offered.

}  // namespace

void JSONSchemaConverter::AppendValues(const Expansion& expansion, bool is_inner, Depth depth,
                                       std::vector<ExprId>* alternatives) {
  AppendLiterals(expansion.values, is_inner, depth, alternatives);
  const auto add = [&](InstanceType type, std::string_view hint, const std::vector<ExprId>& words) {
    if (words.empty()) return;
    const ExprId lexeme = Lexeme(hint, builder_.AddChoices(words));
    alternatives->push_back(PlacesValues(depth) ? Placed(type, words.size() > 1, lexeme, depth)
                                                : lexeme);
  };
  if (expansion.allows_null) add(InstanceType::kNull, "null", {WordLiteral("null")});
  std::vector<ExprId> booleans;
  if (expansion.allows_true) booleans.push_back(WordLiteral("true"));
  if (expansion.allows_false) booleans.push_back(WordLiteral("false"));
  add(InstanceType::kBoolean, "boolean", booleans);
}

// Scalars make one lexeme, or one for each type where the type matters; containers make rules.
void JSONSchemaConverter::AppendLiterals(const std::vector<JsonId>& values, bool is_inner,
                                         Depth depth, std::vector<ExprId>* alternatives) {
  const bool is_placed = PlacesValues(depth);
  std::array<std::vector<ExprId>, kNumInstanceTypes> scalars;
  std::vector<ExprId> containers;
  for (const JsonId value : values) {
    const InstanceType type = Evaluator::TypeOf(document(), value);
    std::vector<ExprId>& lexemes = scalars[is_placed ? static_cast<size_t>(type) : 0];
    switch (type) {
      case InstanceType::kNull:
        lexemes.push_back(WordLiteral("null"));
        break;
      case InstanceType::kBoolean:
        lexemes.push_back(
            WordLiteral(document().kind(value) == JsonKind::kTrue ? "true" : "false"));
        break;
      case InstanceType::kString:
        lexemes.push_back(StringLiteral(document().text(value), depth));
        break;
      case InstanceType::kNumber:
        AppendNumberSpellings(value, &lexemes);
        break;
      case InstanceType::kArray:
      case InstanceType::kObject: {
        const ExprId container = ContainerValue(value, is_inner, depth);
        containers.push_back(is_placed ? Placed(type, false, container, depth) : container);
        break;
      }
    }
  }
  for (size_t type = 0; type < scalars.size(); ++type) {
    if (scalars[type].empty()) continue;
    const ExprId lexeme = Lexeme("literal", builder_.AddChoices(scalars[type]));
    alternatives->push_back(
        is_placed ? Placed(static_cast<InstanceType>(type), false, lexeme, depth) : lexeme);
  }
  alternatives->insert(alternatives->end(), containers.begin(), containers.end());
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

// A container is spelled as any other container of its shape, and in addition compactly as a whole;
// or by the style's own place for literals.
ExprId JSONSchemaConverter::ContainerValue(JsonId value, bool is_inner, Depth depth) {
  const Depth literal_depth = LiteralDepth(depth);
  ExprId spelled = kNoExpr;
  const auto child = [&](JsonId id) { return merger_.Intern({{id, LiteralKind::kConst}}); };
  if (document().IsArray(value)) {
    ArraySpec& spec = const_arrays_.emplace_back();
    for (const JsonId item : document().items(value)) spec.prefix.push_back(child(item));
    spec.rest = kNothingLocation;
    spec.count = {static_cast<int64_t>(spec.prefix.size()),
                  static_cast<int64_t>(spec.prefix.size())};
    spelled = ArrayRef(spec, literal_depth);
  } else {
    ObjectSpec& spec = const_objects_.emplace_back();
    for (const auto& member : document().members(value)) {
      spec.members.push_back({document().key(member), true, child(member.value)});
    }
    spec.count = {static_cast<int64_t>(spec.members.size()),
                  static_cast<int64_t>(spec.members.size())};
    spelled = ObjectRef(spec, literal_depth);
  }
  const bool is_spelled_compactly = depth < kOneLine || literal_depth < kOneLine;
  if (is_inner || is_spelled_compactly || layout_.allows_compact()) return spelled;
  return builder_.AddChoices({spelled, builder_.AddByteString(WriteJson(document(), value))});
}

void JSONSchemaConverter::MakeFreeValueRules() {
  const RuleId value = builder_.AddRule(builder_.UnusedName("json_value"), ValueRuleKind(kOneLine));
  const RuleId object =
      builder_.AddRule(builder_.UnusedName("json_object"), ContainerRuleKind(kOneLine));
  const RuleId array =
      builder_.AddRule(builder_.UnusedName("json_array"), ContainerRuleKind(kOneLine));
  free_value_ = builder_.AddRuleRef(value);
  free_object_ = builder_.AddRuleRef(object);
  free_array_ = builder_.AddRuleRef(array);
  const ExprId number = Number({}, document().root());
  const ExprId boolean =
      Lexeme("boolean", builder_.AddChoices({WordLiteral("true"), WordLiteral("false")}));
  const ExprId null = Lexeme("null", WordLiteral("null"));
  const auto placed = [&](InstanceType type, ExprId expr) {
    return PlacesValues(kOneLine) ? Placed(type, true, expr, kOneLine) : expr;
  };
  builder_.SetBody(value, builder_.AddChoices({placed(InstanceType::kObject, free_object_),
                                               placed(InstanceType::kArray, free_array_),
                                               placed(InstanceType::kString, FreeString(kOneLine)),
                                               placed(InstanceType::kNumber, number),
                                               placed(InstanceType::kBoolean, boolean),
                                               placed(InstanceType::kNull, null)}));
  const ExprId member =
      builder_.AddSequence({AdditionalKey({}, kOneLine), KeySeparator(kOneLine), free_value_});
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

ExprId JSONSchemaConverter::Placed(InstanceType, bool, ExprId value, Depth) { return value; }

ExprId JSONSchemaConverter::FreeValue(Depth) {
  if (free_value_ == kNoExpr) MakeFreeValueRules();
  return free_value_;
}

ExprId JSONSchemaConverter::FreeArray(const ArraySpec&, Depth) {
  if (free_value_ == kNoExpr) MakeFreeValueRules();
  return free_array_;
}

ExprId JSONSchemaConverter::FreeObject(const ObjectSpec&, Depth) {
  if (free_value_ == kNoExpr) MakeFreeValueRules();
  return free_object_;
}

}  // namespace xgrammar::json_schema
