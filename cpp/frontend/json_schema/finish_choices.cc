// Choices of an object branch: which ways its members and cells leave, and what follows from those
// with a single one.
//
// See finish_choices.h. What is dropped is dropped for good reason only: a way is impossible if its
// value surely is, a choice is met if every object of the spec meets it.
#include "frontend/json_schema/finish_choices.h"

#include <algorithm>
#include <utility>

#include "support/work_meter.h"

namespace xgrammar::json_schema {

bool ChoiceResolver::Resolve(std::vector<const MemberChoice*> open) {
  for (bool has_changed = true; has_changed;) {
    has_changed = false;
    spec_.choices.clear();
    std::vector<const MemberChoice*> left;
    for (const MemberChoice* choice : open) {
      CountWork("expanding a schema", static_cast<int64_t>(choice->size()));
      Ways ways = WaysOf(*choice);
      if (ways.is_met) continue;
      if (ways.choice.ways.empty()) return false;
      if (ways.choice.ways.size() == 1 && TakeOnly(ways.choice.ways[0])) {
        has_changed = true;
        continue;
      }
      left.push_back(choice);
      spec_.choices.push_back(std::move(ways.choice));
    }
    open = std::move(left);
  }
  DropAbsent();
  return true;
}

ChoiceResolver::Ways ChoiceResolver::WaysOf(const MemberChoice& choice) {
  Ways ways;
  for (const MemberWay& way : choice) {
    if (way.kind == MemberWay::Kind::kSome) {
      AddSome(way, &ways);
    } else {
      AddNamed(way, &ways);
    }
    if (ways.is_met) break;
  }
  return ways;
}

void ChoiceResolver::AddNamed(const MemberWay& way, Ways* out) {
  const auto member = std::ranges::find(spec_.members, way.name, &ObjectMember::name);
  const bool or_absent = way.kind == MemberWay::Kind::kAbsent || way.or_absent;
  if (member == spec_.members.end() || member->value == kNothingLocation) {
    out->is_met = out->is_met || or_absent;
    return;
  }
  const auto index = static_cast<size_t>(member - spec_.members.begin());
  if (or_absent && !member->required)
    out->choice.ways.push_back({ObjectChoice::Kind::kAbsent, static_cast<int32_t>(index), {}});
  if (way.kind == MemberWay::Kind::kHas) AddMember(index, &way.literal, or_absent, out);
}

void ChoiceResolver::AddSome(const MemberWay& way, Ways* out) {
  const Literal* literal = way.clause.has_value ? &way.clause.value : nullptr;
  for (size_t m = 0; m < spec_.members.size(); ++m) {
    if (SpeaksOf(way, spec_.members[m].name)) AddMember(m, literal, false, out);
  }
  const auto keys = keys_.find(&way);
  if (keys == keys_.end() || keys->second.pattern < 0) return;
  for (size_t c = 0; c < spec_.cells.size(); ++c) {
    if (!cell_matches_[c][static_cast<size_t>(keys->second.pattern)]) continue;
    if (literal && IsImpossible(spec_.cells[c].value, *literal)) continue;
    out->choice.ways.push_back(
        {ObjectChoice::Kind::kCell, static_cast<int32_t>(c), literal ? *literal : Literal{}});
  }
}

// A member that meets the choice by a value, or by being there.
void ChoiceResolver::AddMember(size_t index, const Literal* literal, bool or_absent, Ways* out) {
  const ObjectMember& member = spec_.members[index];
  if (member.value == kNothingLocation) return;
  if (literal && IsImpossible(member.value, *literal)) return;
  const bool is_any = !literal || merger_.InternWith(member.value, *literal) == member.value;
  if (is_any && (member.required || or_absent)) out->is_met = true;
  out->choice.ways.push_back(
      {ObjectChoice::Kind::kMember, static_cast<int32_t>(index), is_any ? Literal{} : *literal});
}

bool ChoiceResolver::SpeaksOf(const MemberWay& way, std::string_view name) {
  const auto keys = keys_.find(&way);
  if (keys != keys_.end()) return keys->second.keys->Accepts(name);
  const Schema& schema = *way.clause.schema;
  return merger_.reader().FindProperty(schema, name) == kNoJson &&
         std::ranges::none_of(schema.pattern_properties, [&](const NamedSchema& pattern) {
           return merger_.strings()
               .Pattern(pattern.name, schema.id, "patternProperties")
               ->Accepts(name);
         });
}

// Makes the only way part of its member. False if it is a free member, which stays a choice.
bool ChoiceResolver::TakeOnly(const ObjectChoice::Way& way) {
  if (way.kind == ObjectChoice::Kind::kCell) return false;
  ObjectMember& member = spec_.members[static_cast<size_t>(way.index)];
  if (way.kind == ObjectChoice::Kind::kAbsent) {
    member.value = kNothingLocation;
    return true;
  }
  member.required = true;
  if (way.literal.id != kNoJson) member.value = merger_.InternWith(member.value, way.literal);
  return true;
}

// Takes out the members that cannot be there.
void ChoiceResolver::DropAbsent() {
  std::vector<int32_t> places;
  std::vector<ObjectMember> kept;
  for (const ObjectMember& member : spec_.members) {
    places.push_back(static_cast<int32_t>(kept.size()));
    if (member.value != kNothingLocation) kept.push_back(member);
  }
  spec_.members = std::move(kept);
  for (ObjectChoice& choice : spec_.choices) {
    for (ObjectChoice::Way& way : choice.ways) {
      if (way.kind != ObjectChoice::Kind::kCell) way.index = places[static_cast<size_t>(way.index)];
    }
  }
}

bool ChoiceResolver::IsImpossible(LocationId location, const Literal& literal) {
  const LocationId value = merger_.InternWith(location, literal);
  return value == kNothingLocation || merger_.IsSurelyEmpty(value);
}

}  // namespace xgrammar::json_schema
