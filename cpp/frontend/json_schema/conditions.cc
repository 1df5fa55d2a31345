// Lists of conditions on one property: `allOf` of many `if` the property is this, `then` ...
//
// Part of Merger. Taken one after another, n conditions make n branches that each walk the others,
// and conjunctions of up to n complements. Where the property must be there, the branch is split
// once for all of them: one alternative for each value, which then looks up the conditions that ask
// for it, and one for all other values. Only the plainest form is recognised; any other condition,
// and a property that may be missing, takes the general way (merge.cc).
#include <algorithm>
#include <optional>
#include <span>
#include <string_view>

#include "frontend/json_schema/merge.h"

namespace xgrammar::json_schema {

namespace {

// A shorter list is walked as fast as it is looked up.
constexpr size_t kFewConditions = 4;

bool IsAnnotation(std::string_view keyword) {
  return keyword == "title" || keyword == "description" || keyword == "$comment";
}

/// The string that a schema asks for by `const` or by an `enum` of one and by nothing else, or
/// kNoJson.
JsonId OnlyString(const JsonDocument& document, JsonId schema) {
  if (!document.IsObject(schema)) return kNoJson;
  JsonId value = kNoJson;
  for (const JsonDocument::Member& member : document.members(schema)) {
    const std::string_view keyword = document.key(member);
    const bool is_enum = keyword == "enum";
    if (is_enum || keyword == "const") {
      const bool is_one =
          !is_enum || (document.IsArray(member.value) && document.items(member.value).size() == 1);
      if (!is_one || value != kNoJson) return kNoJson;
      value = is_enum ? document.items(member.value)[0] : member.value;
    } else if (keyword == "type") {
      if (!document.IsString(member.value) || document.text(member.value) != "string")
        return kNoJson;
    } else if (!IsAnnotation(keyword)) {
      return kNoJson;
    }
  }
  return value != kNoJson && document.IsString(value) ? value : kNoJson;
}

/// Whether `required` names nothing but one property.
bool RequiresOnly(const JsonDocument& document, JsonId names, std::string_view name) {
  if (!document.IsArray(names)) return false;
  return std::ranges::all_of(document.items(names), [&](JsonId item) {
    return document.IsString(item) && document.text(item) == name;
  });
}

}  // namespace

// The condition in a member of `allOf`, if it is nothing but one, without `else`, that a property
// has a certain value. Looks at the document alone, so that schemas are read in the usual order.
std::optional<Merger::Condition> Merger::ReadCondition(JsonId schema) {
  const JsonDocument& document = reader_.document();
  if (schema >= document.size() || !document.IsObject(schema)) return std::nullopt;
  Condition found;
  bool has_then = false;
  for (const JsonDocument::Member& member : document.members(schema)) {
    const std::string_view keyword = document.key(member);
    if (keyword == "if") {
      found.test = member.value;
    } else if (keyword == "then") {
      has_then = true;
    } else if (!IsAnnotation(keyword)) {
      return std::nullopt;
    }
  }
  if (!has_then || found.test == kNoJson || !document.IsObject(found.test)) return std::nullopt;
  JsonId required = kNoJson;
  for (const JsonDocument::Member& member : document.members(found.test)) {
    const std::string_view keyword = document.key(member);
    if (keyword == "properties") {
      if (!document.IsObject(member.value) || document.members(member.value).size() != 1)
        return std::nullopt;
      const JsonDocument::Member& property = document.members(member.value)[0];
      found.name = document.key(property);
      found.property = property.value;
      found.value = OnlyString(document, property.value);
    } else if (keyword == "required") {
      required = member.value;
    } else if (!IsAnnotation(keyword)) {
      return std::nullopt;
    }
  }
  if (found.value == kNoJson) return std::nullopt;
  if (required != kNoJson && !RequiresOnly(document, required, found.name)) return std::nullopt;
  return found;
}

const std::vector<Merger::ConditionList>& Merger::ConditionListsOf(const Schema& schema) {
  const auto [place, is_new] = condition_lists_.try_emplace(&schema);
  std::vector<ConditionList>& lists = place->second;
  if (!is_new) return lists;
  ConditionList list;
  const auto end_list = [&] {
    if (list.conditions.size() >= kFewConditions) lists.push_back(std::move(list));
    list = {};
  };
  for (size_t i = 0; i < schema.steps.size(); ++i) {
    std::optional<Condition> condition;
    if (schema.steps[i].kind == Step::Kind::kAllOfMember)
      condition = ReadCondition(schema.steps[i].value);
    if (!condition || (!list.conditions.empty() && list.conditions[0].name != condition->name))
      end_list();
    if (!condition) continue;
    if (list.conditions.empty()) list.first = i;
    list.by_value[evaluator_.KeyNumber(condition->value)].push_back(i);
    list.conditions.push_back(*condition);
  }
  end_list();
  return lists;
}

// If the step is a condition of a list and the property is there: goes on with the next condition
// that asks for the property's value or, where the value is not known yet, splits by it. False if
// the step has to be taken as any other.
bool Merger::TakeConditions(Run* run, Work* work, const Task& task, Outcome* outcome) {
  const Schema& schema = *task.schema;
  if (run->type != InstanceType::kObject || schema.steps.size() < kFewConditions ||
      run->scopes[static_cast<size_t>(task.scope)].tracks_evaluation)
    return false;
  const auto step = static_cast<size_t>(task.step - schema.steps.data());
  const std::vector<ConditionList>& lists = ConditionListsOf(schema);
  const auto list = std::ranges::find_if(lists, [&](const ConditionList& one) {
    return one.first <= step && step < one.first + one.conditions.size();
  });
  if (list == lists.end()) return false;
  const ObjectAtoms& object = work->branch.object;
  const auto is_in = [&](const Names& names) {
    return std::find(names.begin(), names.end(), list->conditions[0].name) != names.end();
  };
  if (!is_in(object.required) && !is_in(object.required_anywhere)) return false;
  // Steps are pushed together, the last one first (DoSchema).
  const size_t end = list->first + list->conditions.size();
  const auto tasks_from = [&](size_t index) {
    if (index == step) return run->current;
    const int32_t task_id = run->current - static_cast<int32_t>(index - step);
    return index < schema.steps.size() ? task_id
                                       : run->tasks[static_cast<size_t>(task_id) + 1].next;
  };
  const JsonId value = KnownValue(*work, list->conditions[0].name);
  if (value == kNoJson) {
    if (end - step < kFewConditions) return false;
    *outcome = SplitByConditions(run, work, task, *list, tasks_from(end));
    return true;
  }
  const auto same = list->by_value.find(evaluator_.KeyNumber(value));
  size_t next = end;
  if (same != list->by_value.end()) {
    const auto found = std::lower_bound(same->second.begin(), same->second.end(), step);
    if (found != same->second.end()) next = *found;
  }
  if (next == step) return false;
  work->tasks = tasks_from(next);
  *outcome = Outcome::kContinue;
  return true;
}

// One alternative for each value, which begins with the first condition that asks for it, and one
// for all others, which has none of the conditions to meet.
Merger::Outcome Merger::SplitByConditions(Run* run, Work* work, const Task& task,
                                          const ConditionList& list, int32_t tasks_after) {
  const auto step = static_cast<size_t>(task.step - task.schema->steps.data());
  std::vector<Work> alternatives;
  std::unordered_set<int32_t> seen;
  Work other = *work;
  other.tasks = tasks_after;
  for (size_t i = step - list.first; i < list.conditions.size(); ++i) {
    const Condition& condition = list.conditions[i];
    other.branch.object.member_literals.emplace_back(
        condition.name, Literal{condition.property, LiteralKind::kNotSchema});
    if (!seen.insert(evaluator_.KeyNumber(condition.value)).second) continue;
    Work alternative = *work;
    alternative.tasks = run->current - static_cast<int32_t>(list.first + i - step);
    Push(run, &alternative, {condition.test, LiteralKind::kPlainSchema}, task.scope);
    alternatives.push_back(std::move(alternative));
  }
  const Names name = {list.conditions[0].name};
  if (Demand(&other.branch, name[0]) && MembersPossible(other, name))
    alternatives.push_back(std::move(other));
  return Split(run, work, &alternatives);
}

// The property for which a dependency asks for certain values; empty if there is none.
std::string_view Merger::ListedProperty(const Step& step) {
  if (step.kind != Step::Kind::kDependentSchema) return {};
  for (const NamedSchema& property : reader_.Read(reader_.SkipReferences(step.value)).properties) {
    const Schema& expected = reader_.Read(reader_.SkipReferences(property.schema));
    if (expected.enum_values != kNoJson || expected.const_value != kNoJson) return property.name;
  }
  return {};
}

// Whether the branch declares the properties that a schema declares.
bool Merger::DeclaresAll(const Work& work, const Schema& schema) {
  return std::ranges::all_of(schema.properties, [&](const NamedSchema& property) {
    return std::ranges::any_of(work.branch.object.groups, [&](const ScopedSchema& group) {
      return reader_.FindProperty(*group.schema, property.name) != kNoJson;
    });
  });
}

// If the values of members decide what a dependency asks for: whether its name may be there is no
// question then, or it may not. False if the step has to be taken as any other.
bool Merger::DecideDependency(Run* run, Work* work, const Task& task, Outcome* outcome) {
  if (run->scopes[static_cast<size_t>(task.scope)].tracks_evaluation) return false;
  const Schema& consequence = reader_.Read(reader_.SkipReferences(task.step->value));
  const Verdict verdict = Decide(*work, consequence);
  if (verdict == Verdict::kFails) {
    *outcome = Forbid(&work->branch, task.step->name) ? Outcome::kContinue : Outcome::kDead;
    return true;
  }
  if (verdict == Verdict::kHolds) return DeclaresAll(*work, consequence);
  return SplitByDependencies(run, work, task, outcome);
}

// The same for a dependency that asks for names. Where several ask for one name, the branch is
// split by that name, which decides all of them.
bool Merger::DecideNames(Run* run, Work* work, const Task& task, Outcome* outcome) {
  const JsonDocument& document = reader_.document();
  const ObjectAtoms& object = work->branch.object;
  const auto is_in = [](const Names& names, std::string_view name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  if (is_in(object.forbidden, task.step->name)) return true;
  std::optional<std::string_view> open;  // The empty name is one, too.
  for (const JsonId item : document.items(task.step->value)) {
    const std::string_view name = document.text(item);
    if (is_in(object.forbidden, name)) {
      *outcome = Forbid(&work->branch, task.step->name) ? Outcome::kContinue : Outcome::kDead;
      return true;
    }
    if (!is_in(object.required, name) && !is_in(object.required_anywhere, name)) open = name;
  }
  if (!open) return true;
  const Schema& schema = *task.schema;
  const auto left =
      std::span(schema.steps).subspan(static_cast<size_t>(task.step - schema.steps.data()));
  const auto num_similar = std::ranges::count_if(left, [&](const Step& step) {
    return step.kind == Step::Kind::kDependentRequired &&
           std::ranges::any_of(document.items(step.value),
                               [&](JsonId item) { return document.text(item) == *open; });
  });
  if (num_similar < static_cast<int64_t>(kFewConditions)) return false;
  std::vector<Work> alternatives(2, *work);
  for (Work& alternative : alternatives) alternative.tasks = run->current;  // To be asked again.
  RequireAnywhere(&alternatives[0].branch, *open);
  Forbid(&alternatives[1].branch, *open);
  *outcome = Split(run, work, &alternatives);
  return true;
}

// Dependencies that ask for certain values of one property: each of them would double the branches.
// Split by the property, one alternative for each of its values and one without it, all of them are
// decided.
bool Merger::SplitByDependencies(Run* run, Work* work, const Task& task, Outcome* outcome) {
  constexpr size_t kMaxValues = 64;
  const std::string_view name = ListedProperty(*task.step);
  const Schema& schema = *task.schema;
  const ObjectAtoms& object = work->branch.object;
  const bool is_known =
      KnownValue(*work, name) != kNoJson || std::ranges::count(object.forbidden, name) > 0;
  if (name.empty() || schema.steps.size() < kFewConditions || is_known) return false;
  const auto left =
      std::span(schema.steps).subspan(static_cast<size_t>(task.step - schema.steps.data()));
  const auto num_similar =
      std::ranges::count_if(left, [&](const Step& step) { return ListedProperty(step) == name; });
  if (num_similar < static_cast<int64_t>(kFewConditions)) return false;
  std::span<const JsonId> values;
  for (const ScopedSchema& group : object.groups) {
    const JsonId property = reader_.FindProperty(*group.schema, name);
    if (property == kNoJson) continue;
    const JsonId listed = reader_.Read(reader_.SkipReferences(property)).enum_values;
    if (listed != kNoJson) values = reader_.document().items(listed);
  }
  if (values.empty() || values.size() > kMaxValues) return false;
  std::vector<Work> alternatives;
  Work absent = *work;
  absent.tasks = run->current;  // To be asked again.
  if (Forbid(&absent.branch, name)) alternatives.push_back(std::move(absent));
  for (const JsonId value : values) {
    Work alternative = *work;
    alternative.tasks = run->current;
    if (!Demand(&alternative.branch, name)) break;
    alternative.branch.object.member_literals.emplace_back(name,
                                                           Literal{value, LiteralKind::kConst});
    alternatives.push_back(std::move(alternative));
  }
  *outcome = Split(run, work, &alternatives);
  return true;
}

}  // namespace xgrammar::json_schema
