// Locations: alternatives of lexemes and containers, the work queue, and the check that something
// is accepted.
//
// Part of JSONSchemaConverter. Locations and containers become rules when they are first mentioned
// and get their bodies from the queue, so recursion of schemas costs no stack. What productive
// means is analysis/grammar_facts.h.
#include <algorithm>
#include <iterator>
#include <memory>
#include <utility>

#include "analysis/grammar_facts.h"
#include "automata/free_run.h"
#include "frontend/json_schema/converter.h"
#include "support/error.h"
#include "support/work_meter.h"

namespace xgrammar::json_schema {

namespace {

// An indented document needs rules of its own for each depth. A recursive schema is followed this
// deep; deeper nesting is not accepted (docs/json-schema.md).
constexpr int32_t kMaxIndentLevels = 64;

// Whether a container is written as any other of its type. With an indent that is on one line, so
// only if no keyword speaks of its contents (json-schema.md 1.2).
template <typename Spec>
bool IsOneLine(const Spec& spec, Depth depth) {
  return spec.IsFree() && !(depth >= 0 && spec.has_keyword);
}

}  // namespace

JSONSchemaConverter::JSONSchemaConverter(Merger* merger, const JsonSchemaOptions& options,
                                         const Limits& limits)
    : merger_(*merger),
      options_(options),
      limits_(limits),
      builder_(limits),
      layout_(options, &builder_),
      memo_(options.memo ? options.memo : std::make_shared<AutomatonMemo>()) {
  if (!options.excludes.empty()) {
    for (const std::string& text : options.excludes)
      memo_suffix_ += " " + std::to_string(text.size()) + ":" + text;
    unexcluded_ =
        Remembered("texts", [&] { return ExcludingText(options.excludes, limits.max_dfa_states); });
  }
  any_object_.cells.emplace_back();
}

ExprId JSONSchemaConverter::Lexeme(std::string_view hint, ExprId body) {
  std::string key(hint);
  key += ' ';
  key += std::to_string(body);
  const auto found = lexemes_.find(key);
  if (found != lexemes_.end()) return found->second;
  const ExprId reference =
      builder_.AddRuleRef(builder_.AddRuleWithHint(hint, body, RuleKind::kLexeme));
  lexemes_.emplace(std::move(key), reference);
  return reference;
}

GrammarPtr JSONSchemaConverter::Convert(LocationId location) {
  const RuleId root = builder_.AddRule("root", ValueRuleKind(RootDepth()));
  builder_.SetBody(root, LocationRef(location, RootDepth()));
  DrainQueue();
  CheckProductive(root, location);
  return builder_.Build(root);
}

void JSONSchemaConverter::DrainQueue() {
  while (!queue_.empty()) {
    CountWork("writing a schema", 10);
    const PendingContainer container = queue_.front();
    queue_.pop_front();
    const ExprId body = container.array ? ArrayBody(*container.array, container.depth)
                                        : ObjectBody(*container.object, container.depth);
    builder_.SetBody(container.rule, body);
  }
}

void JSONSchemaConverter::CheckProductive(RuleId root, LocationId location) {
  if (has_excluded_ || IsProductive(builder_.view(), root)) return;
  const Conjunction& literals = merger_.conjunction(location);
  const bool known = !literals.empty() && literals.front().id != kNoJson;
  ThrowUnsatisfiable(known ? literals.front().id : merger_.reader().Root());
}

ExprId JSONSchemaConverter::LocationRef(LocationId location, Depth depth) {
  const int64_t key = (static_cast<int64_t>(location) << 32) | static_cast<uint32_t>(depth);
  const auto found = locations_.find(key);
  if (found != locations_.end()) return found->second;
  CountWork("writing a schema", 10);
  const ExprId expr = MakeLocation(location, depth);
  locations_[key] = expr;
  return expr;
}

ExprId JSONSchemaConverter::MakeLocation(LocationId location, Depth depth) {
  if (location == kAnyLocation) {
    const ExprId free = FreeValue(depth);
    if (free != kNoExpr) return free;
  }
  const Expansion& expansion = merger_.Expand(location);
  const Conjunction& literals = merger_.conjunction(location);
  const JsonId schema = literals.empty() ? document().root() : literals.front().id;
  CheckLocation(expansion, schema);
  const bool is_inner = literals.size() == 1 && literals.front().kind == LiteralKind::kConst;
  std::vector<ExprId> alternatives;
  if (HoldsArguments(depth) && expansion.IsUntyped()) {
    Expansion values;
    std::ranges::copy_if(expansion.values, std::back_inserter(values.values),
                         [&](JsonId value) { return document().IsObject(value); });
    AppendValues(values, is_inner, depth, &alternatives);
  } else {
    AppendValues(expansion, is_inner, depth, &alternatives);
    AppendOthers(expansion, schema, depth, &alternatives);
  }
  for (const ObjectSpec& object : expansion.objects) {
    const ExprId value = ObjectRef(object, depth);
    alternatives.push_back(
        PlacesValues(depth) ? Placed(InstanceType::kObject, object.IsFree(), value, depth) : value);
  }
  const ExprId choices = builder_.AddChoices(alternatives);
  const bool is_simple =
      alternatives.size() < 2 || builder_.view().kind(choices) != ExprKind::kChoices;
  if (is_simple) return choices;
  return builder_.AddRuleRef(builder_.AddRuleWithHint("value", choices, ValueRuleKind(depth)));
}

// The branches for strings, numbers and arrays.
void JSONSchemaConverter::AppendOthers(const Expansion& expansion, JsonId schema, Depth depth,
                                       std::vector<ExprId>* alternatives) {
  const auto add = [&](InstanceType type, bool is_free, ExprId value) {
    alternatives->push_back(PlacesValues(depth) ? Placed(type, is_free, value, depth) : value);
  };
  for (const StringConstraint& string : expansion.strings)
    add(InstanceType::kString, string.IsFree(), String(string, schema, depth));
  for (const NumberConstraint& number : expansion.numbers)
    add(InstanceType::kNumber, number.IsFree(), Number(number, schema));
  for (const ArraySpec& array : expansion.arrays) {
    if (!IsLeftOut(array, expansion))
      add(InstanceType::kArray, array.IsFree(), ArrayRef(array, depth));
  }
}

// Two equal items out of infinitely many cannot be asked for. That is one of the ways to violate a
// schema, and where there is another one, texts that take this way are left out.
bool JSONSchemaConverter::IsLeftOut(const ArraySpec& array, const Expansion& expansion) {
  if (!array.repeated || CanTrackUnique(array)) return false;
  const bool has_others =
      expansion.allows_null || expansion.allows_true || expansion.allows_false ||
      !expansion.values.empty() || !expansion.numbers.empty() || !expansion.strings.empty() ||
      !expansion.objects.empty() ||
      std::ranges::any_of(expansion.arrays, [](const ArraySpec& other) { return !other.repeated; });
  if (!has_others) return false;
  merger_.Report(array.unique_schema, "uniqueItems",
                 "two equal items cannot be asked for where the items are not from a small finite "
                 "set, so arrays that violate only this are left out",
                 "narrowed");
  return true;
}

ExprId JSONSchemaConverter::ContainerRef(const std::string& spec_key,
                                         const PendingContainer& container, std::string_view hint) {
  const std::string key = spec_key + "@" + std::to_string(container.depth);
  const auto found = containers_.find(key);
  if (found != containers_.end()) return found->second;
  if (container.depth >= 0 && ++indent_levels_[spec_key] > kMaxIndentLevels)
    return builder_.AddNothing();
  PendingContainer pending = container;
  pending.rule = builder_.AddRule(builder_.UnusedName(hint), ContainerRuleKind(container.depth));
  const ExprId reference = builder_.AddRuleRef(pending.rule);
  containers_.emplace(key, reference);
  queue_.push_back(pending);
  return reference;
}

ExprId JSONSchemaConverter::ArrayRef(const ArraySpec& spec, Depth depth) {
  const ExprId free = IsOneLine(spec, depth) ? FreeArray(spec, depth) : kNoExpr;
  if (free != kNoExpr) return free;
  PendingContainer container;
  container.array = &spec;
  container.depth = depth;
  return ContainerRef(spec.Key(), container, "array");
}

ExprId JSONSchemaConverter::ObjectRef(const ObjectSpec& spec, Depth depth) {
  CheckObject(spec);
  const ExprId free = IsOneLine(spec, depth) ? FreeObject(spec, depth) : kNoExpr;
  if (free != kNoExpr) return free;
  PendingContainer container;
  container.object = &spec;
  container.depth = depth;
  return ContainerRef(spec.Key(), container, "object");
}

ExprId JSONSchemaConverter::AnyObject(Depth depth) { return ObjectRef(any_object_, depth); }

}  // namespace xgrammar::json_schema
