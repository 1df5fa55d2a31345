// Complements: an instance violates a schema if it violates one of its keywords, so each keyword
// that acts on the kind of instance gives one alternative (De Morgan's laws).
//
// Part of Merger. The alternatives go back into the work list of merge.cc like those of `anyOf`.
// Values that discriminate alternatives are taken first, because then most of the others need not
// be tried.
#include <algorithm>
#include <utility>

#include "frontend/json_schema/merge.h"
#include "frontend/json_schema/string_formats.h"

namespace xgrammar::json_schema {

Merger::Outcome Merger::DoNotSchema(Run* run, Work* work, const Literal& literal, int32_t scope) {
  const Schema& schema = reader_.Read(literal.id);
  if (schema.is_boolean) return schema.boolean_value ? Outcome::kDead : Outcome::kContinue;
  if ((schema.types & BitsOf(run->type)) == 0) return Outcome::kContinue;
  for (int32_t above = scope; above >= 0; above = run->scopes[static_cast<size_t>(above)].parent) {
    if (run->scopes[static_cast<size_t>(above)].literal == literal) {
      throw reader_.MakeError(ErrorKind::kJsonSchema, literal.id, "not",
                              "The references form a cycle without content");
    }
  }
  // What already holds may exclude the schema; then its many ways to fail need not be tried one by
  // one.
  const ObjectAtoms& object = work->branch.object;
  constexpr size_t kManyWays = 4;
  const bool has_many_ways =
      schema.properties.size() + schema.required.size() + schema.steps.size() >= kManyWays;
  const Names required =
      has_many_ways && !object.groups.empty() ? RequiredBy(*run, *work) : Names();
  for (const ScopedSchema& group : object.groups) {
    // A schema that is still being worked on does not hold yet; it may exclude the other one only
    // by this very complement. One that is violated by its `unevaluatedProperties` never holds.
    const Scope& of_group = run->scopes[static_cast<size_t>(group.scope)];
    if (of_group.literal.kind == LiteralKind::kUnevaluated) continue;
    if (IsInside(*run, scope, group.scope)) continue;
    if (has_many_ways &&
        AreDisjoint({group.schema->id, LiteralKind::kPlainSchema},
                    {literal.id, LiteralKind::kPlainSchema}, run->type, required)) {
      return Outcome::kContinue;
    }
  }
  if (WasApplied(run, work, literal)) return Outcome::kContinue;
  const auto own_scope = static_cast<int32_t>(run->scopes.size());
  run->scopes.push_back({scope, literal, false, false, false});
  std::vector<Work> alternatives;
  if (run->type == InstanceType::kObject && !run->keeps_choices &&
      !SplitByDiscriminator(*work, schema, &alternatives, work)) {
    return Split(run, work, &alternatives);
  }
  // The usual complement of a discriminator's value, without copies of the branch.
  if (run->type == InstanceType::kString && schema.const_value != kNoJson &&
      schema.enum_values == kNoJson && schema.HasOnlyValuesForStrings()) {
    return DoNotConst(run, work, schema.const_value, own_scope);
  }
  for (const bool is_enum : {false, true}) {
    const JsonId values = is_enum ? schema.enum_values : schema.const_value;
    if (values == kNoJson) continue;
    Work alternative = *work;
    const auto exclude = [&](JsonId value) {
      if (Evaluator::TypeOf(reader_.document(), value) == run->type) {
        Push(run, &alternative, {value, LiteralKind::kNotConst}, own_scope);
      }
    };
    if (is_enum) {
      for (const JsonId value : reader_.document().items(values)) exclude(value);
    } else {
      exclude(values);
    }
    alternatives.push_back(std::move(alternative));
  }
  if (run->type == InstanceType::kObject && IsViolated(*work, schema)) {
    alternatives.push_back(std::move(*work));
    return Split(run, work, &alternatives);
  }
  ComplementScalars(run, *work, schema, &alternatives);
  if (run->type == InstanceType::kArray)
    ComplementArray(run, *work, schema, own_scope, &alternatives);
  if (run->type == InstanceType::kObject)
    ComplementObject(run, *work, schema, own_scope, &alternatives);
  ComplementSteps(run, *work, schema, own_scope, &alternatives);
  if (alternatives.size() > 1) run->num_violations += alternatives.size();
  return Split(run, work, &alternatives);
}

// A property with a fixed set of values is decided first: either it is missing or has another
// value, or it is as the schema says and something else is violated. The alternatives exclude one
// another, so that complements of schemas that differ in that property do not multiply. False if
// nothing but the alternatives already in `out` is left.
bool Merger::SplitByDiscriminator(const Work& work, const Schema& schema, std::vector<Work>* out,
                                  Work* rest) {
  for (const NamedSchema& property : schema.properties) {
    const Schema& value = reader_.Read(reader_.SkipReferences(property.schema));
    if (value.enum_values == kNoJson && value.const_value == kNoJson) continue;
    const bool is_required = std::find(schema.required.begin(), schema.required.end(),
                                       property.name) != schema.required.end();
    const auto with = [&](LiteralKind kind, bool require) {
      Work alternative = work;
      if (require && !Demand(&alternative.branch, property.name)) return alternative;
      alternative.branch.object.member_literals.emplace_back(property.name,
                                                             Literal{property.schema, kind});
      return alternative;
    };
    // Missing or with another value: a property that may have another value.
    Work different = with(LiteralKind::kNotSchema, !is_required);
    const Names name = {property.name};
    if (!different.branch.object.member_literals.empty() &&
        different.branch.object.member_literals.size() >
            work.branch.object.member_literals.size() &&
        MembersPossible(different, name)) {
      out->push_back(std::move(different));
    }
    Work same = with(LiteralKind::kPlainSchema, is_required);
    const bool possible =
        same.branch.object.member_literals.size() > work.branch.object.member_literals.size() &&
        MembersPossible(same, name);
    if (possible) *rest = std::move(same);
    return possible;
  }
  return true;
}

void Merger::ComplementScalars(Run* run, const Work& work, const Schema& schema,
                               std::vector<Work>* out) {
  const auto add = [&](auto change) {
    Work alternative = work;
    change(&alternative.branch);
    out->push_back(std::move(alternative));
  };
  if (run->type == InstanceType::kNumber) {
    const auto add_number = [&](auto change) {
      Work alternative = work;
      change(&alternative.branch.number);
      if (!alternative.branch.number.IsPlainlyEmpty()) out->push_back(std::move(alternative));
    };
    if ((schema.types & kNumberBit) == 0)
      add_number([](NumberConstraint* number) { number->non_integer = true; });
    if (schema.minimum) {
      add_number([&](NumberConstraint* number) {
        number->LowerUpper({schema.minimum->value, !schema.minimum->exclusive});
      });
    }
    if (schema.maximum) {
      add_number([&](NumberConstraint* number) {
        number->RaiseLower({schema.maximum->value, !schema.maximum->exclusive});
      });
    }
    if (schema.multiple_of) {
      add_number(
          [&](NumberConstraint* number) { number->not_multiples.push_back(*schema.multiple_of); });
    }
  } else if (run->type == InstanceType::kString) {
    if (schema.length.min > 0)
      add([&](Branch* branch) { branch->string.length.LowerMax(schema.length.min - 1); });
    if (schema.length.HasMax())
      add([&](Branch* branch) { branch->string.length.RaiseMin(schema.length.max + 1); });
    if (schema.pattern != kNoJson) {
      const bool is_dropped = IsPatternDropped(schema);
      add([&](Branch* branch) {
        if (is_dropped) return;
        branch->string.atoms.push_back({schema.pattern, schema.id, false, true});
      });
    }
    if (schema.format != kNoJson) {
      const std::string_view name = reader_.document().text(schema.format);
      const FormatKind kind = FormatKindOf(name);
      const int64_t max_length = MaxLengthOfFormat(name);
      if (max_length != kNoMaximum)
        add([&](Branch* branch) { branch->string.length.RaiseMin(max_length + 1); });
      if (HasAutomaton(kind)) {
        add([&](Branch* branch) {
          branch->string.atoms.push_back({schema.format, schema.id, true, true});
        });
      } else if (kind != FormatKind::kUnknown) {
        add([&](Branch* branch) {
          branch->unsupported.push_back({schema.id, "format", "its complement is not implemented"});
        });
      }
    }
    std::erase_if(
        *out, [](const Work& alternative) { return alternative.branch.string.length.IsEmpty(); });
  }
}

void Merger::ComplementArray(Run* run, const Work& work, const Schema& schema, int32_t scope,
                             std::vector<Work>* out) {
  const auto add = [&](auto change) {
    Work alternative = work;
    change(&alternative.branch.array);
    if (!alternative.branch.array.count.IsEmpty()) out->push_back(std::move(alternative));
  };
  if (schema.item_count.min > 0)
    add([&](ArrayAtoms* array) { array->count.LowerMax(schema.item_count.min - 1); });
  if (schema.item_count.HasMax())
    add([&](ArrayAtoms* array) { array->count.RaiseMin(schema.item_count.max + 1); });
  for (size_t i = 0; i < schema.prefix_items.size(); ++i) {
    add([&](ArrayAtoms* array) {
      array->count.RaiseMin(static_cast<int64_t>(i) + 1);
      array->item_literals.emplace_back(static_cast<int64_t>(i),
                                        Literal{schema.prefix_items[i], LiteralKind::kNotSchema});
    });
  }
  if (schema.items != kNoJson) {
    add([&](ArrayAtoms* array) {
      const auto first = static_cast<int64_t>(schema.prefix_items.size());
      array->count.RaiseMin(first + 1);
      array->clauses.push_back({{schema.items, LiteralKind::kNotSchema}, first, {1, kNoMaximum}});
    });
  }
  if (schema.contains != kNoJson) {
    const Literal literal{schema.contains, LiteralKind::kPlainSchema};
    const CountRange& range = schema.contains_count;
    if (range.min > 0) {
      add([&](ArrayAtoms* array) { array->clauses.push_back({literal, 0, {0, range.min - 1}}); });
    }
    if (range.HasMax()) {
      add([&](ArrayAtoms* array) {
        array->clauses.push_back({literal, 0, {range.max + 1, kNoMaximum}});
      });
    }
  }
  if (schema.unique_items) {
    add([&](ArrayAtoms* array) {
      array->repeated = true;
      array->unique_schema = schema.id;
      array->count.RaiseMin(2);
    });
  }
  if (schema.unevaluated_items != kNoJson) {
    Work alternative = work;
    Push(run, &alternative, {schema.id, LiteralKind::kUnevaluated}, scope);
    out->push_back(std::move(alternative));
  }
}

// Whether what the branch asks of names and members violates the schema already. Then no other way
// to violate it adds anything, and complements of schemas that have much in common do not multiply.
bool Merger::IsViolated(const Work& work, const Schema& schema) {
  const ObjectAtoms& object = work.branch.object;
  const auto is_in = [](const auto& list, const auto& value) {
    return std::find(list.begin(), list.end(), value) != list.end();
  };
  const auto is_missing = [&](std::string_view name) { return is_in(object.forbidden, name); };
  if (std::ranges::any_of(schema.required, is_missing)) return true;
  const bool is_closed = schema.additional_properties != kNoJson &&
                         schema.pattern_properties.empty() &&
                         IsFalse(reader_.Read(schema.additional_properties));
  if (is_closed) {
    const bool has_other = std::ranges::any_of(object.required, [&](std::string_view name) {
      return reader_.FindProperty(schema, name) == kNoJson;
    });
    if (has_other) return true;
  }
  return std::ranges::any_of(object.member_literals, [&](const auto& entry) {
    const auto& [name, literal] = entry;
    if (literal.kind != LiteralKind::kNotSchema) return false;
    const JsonId property = reader_.FindProperty(schema, name);
    return property != kNoJson && (is_in(object.required, name) || is_in(schema.required, name)) &&
           reader_.ShapeOf(reader_.SkipReferences(property)) ==
               reader_.ShapeOf(reader_.SkipReferences(literal.id));
  });
}

// The ways to violate a schema by a member.
MemberChoice Merger::ViolatingMembers(const Schema& schema) {
  MemberChoice ways;
  for (const std::string_view name : schema.required) {
    const JsonId value = reader_.FindProperty(schema, name);
    const bool has_value = value != kNoJson && !reader_.Read(value).IsTrivial();
    if (!has_value) ways.push_back({MemberWay::Kind::kAbsent, name, {}, false, {}});
  }
  for (const NamedSchema& property : schema.properties) {
    if (reader_.Read(property.schema).IsTrivial()) continue;
    // A required one that is missing or has a wrong value may have a wrong value: one way.
    const bool is_required = std::ranges::count(schema.required, property.name) > 0;
    ways.push_back({MemberWay::Kind::kHas,
                    property.name,
                    {property.schema, LiteralKind::kNotSchema},
                    is_required,
                    {}});
  }
  const auto add_clause = [&](MemberClause::Keys keys, std::string_view pattern, bool has_value,
                              JsonId value) {
    if (reader_.Read(value).IsTrivial()) return;
    const MemberClause clause{keys, pattern, &schema, has_value, {value, LiteralKind::kNotSchema}};
    ways.push_back({MemberWay::Kind::kSome, {}, {}, false, clause});
  };
  for (const NamedSchema& pattern : schema.pattern_properties)
    add_clause(MemberClause::Keys::kPattern, pattern.name, true, pattern.schema);
  if (schema.additional_properties != kNoJson)
    add_clause(MemberClause::Keys::kAdditional, {}, true, schema.additional_properties);
  if (schema.property_names != kNoJson)
    add_clause(MemberClause::Keys::kInvalidName, {}, false, schema.property_names);
  return ways;
}

// Makes a branch take one way. False if it cannot.
bool Merger::TakeWay(Work* work, const MemberWay& way) {
  Branch& branch = work->branch;
  switch (way.kind) {
    case MemberWay::Kind::kAbsent:
      return Forbid(&branch, way.name);
    case MemberWay::Kind::kHas:
      if (!way.or_absent && !Demand(&branch, way.name)) return false;
      branch.object.member_literals.emplace_back(way.name, way.literal);
      return MembersPossible(*work, {way.name});
    case MemberWay::Kind::kSome:
      branch.object.clauses.push_back(way.clause);
      branch.object.count.RaiseMin(1);
      return true;
  }
  return false;
}

void Merger::ComplementObject(Run* run, const Work& work, const Schema& schema, int32_t scope,
                              std::vector<Work>* out) {
  const size_t size = work.branch.Size();
  const auto add = [&](auto change) {
    CountWork(size);
    Work alternative = work;
    if (change(&alternative.branch) && !alternative.branch.object.count.IsEmpty()) {
      out->push_back(std::move(alternative));
    }
  };
  MemberChoice ways = ViolatingMembers(schema);
  if (run->keeps_choices && ways.size() > 1) {
    add([&](Branch* branch) {
      branch->object.choices.push_back(std::make_shared<const MemberChoice>(std::move(ways)));
      return true;
    });
  } else {
    for (const MemberWay& way : ways) {
      CountWork(size);
      Work alternative = work;
      if (TakeWay(&alternative, way) && !alternative.branch.object.count.IsEmpty())
        out->push_back(std::move(alternative));
    }
  }
  if (schema.property_count.min > 0) {
    add([&](Branch* branch) {
      branch->object.count.LowerMax(schema.property_count.min - 1);
      return true;
    });
  }
  if (schema.property_count.HasMax()) {
    add([&](Branch* branch) {
      branch->object.count.RaiseMin(schema.property_count.max + 1);
      return true;
    });
  }
  if (schema.unevaluated_properties != kNoJson) {
    Work alternative = work;
    Push(run, &alternative, {schema.id, LiteralKind::kUnevaluated}, scope);
    out->push_back(std::move(alternative));
  }
}

void Merger::ComplementDependent(Run* run, const Work& work, const Step& step, int32_t scope,
                                 std::vector<Work>* out) {
  if (run->type != InstanceType::kObject) return;
  const auto add = [&](std::string_view missing, JsonId violated) {
    Work alternative = work;
    if (!Demand(&alternative.branch, step.name)) return;
    if (violated != kNoJson) {
      Push(run, &alternative, {violated, LiteralKind::kNotSchema}, scope);
    } else if (!Forbid(&alternative.branch, missing)) {
      return;
    }
    out->push_back(std::move(alternative));
  };
  if (step.kind == Step::Kind::kDependentSchema) {
    add({}, step.value);
  } else {
    for (const JsonId name : reader_.document().items(step.value))
      add(reader_.document().text(name), kNoJson);
  }
}

void Merger::ComplementSteps(Run* run, const Work& work, const Schema& schema, int32_t scope,
                             std::vector<Work>* out) {
  const auto add = [&](const Conjunction& literals) {
    Work alternative = work;
    for (size_t i = literals.size(); i-- > 0;) Push(run, &alternative, literals[i], scope);
    out->push_back(std::move(alternative));
  };
  const auto negative = [](JsonId id) { return Literal{id, LiteralKind::kNotSchema}; };
  const auto positive = [](JsonId id) { return Literal{id, LiteralKind::kPlainSchema}; };
  for (const Step& step : schema.steps) {
    switch (step.kind) {
      case Step::Kind::kRef:
      case Step::Kind::kDynamicRef:
      case Step::Kind::kAllOfMember:
        add({negative(step.value)});
        break;
      case Step::Kind::kAnyOf:
      case Step::Kind::kOneOf: {
        const std::vector<JsonId>& members = step.members;
        Conjunction none;
        for (const JsonId member : members) none.push_back(negative(member));
        add(none);
        if (step.kind == Step::Kind::kAnyOf) break;
        const Names required = RequiredBy(*run, work);
        for (size_t i = 0; i < members.size(); ++i) {
          for (size_t j = i + 1; j < members.size(); ++j) {
            if (!AreDisjoint(positive(members[i]), positive(members[j]), run->type, required)) {
              add({positive(members[i]), positive(members[j])});
            }
          }
        }
        break;
      }
      case Step::Kind::kNot:
        add({positive(step.value)});
        break;
      case Step::Kind::kIf:
        if (schema.then_schema != kNoJson)
          add({positive(step.value), negative(schema.then_schema)});
        if (schema.else_schema != kNoJson)
          add({negative(step.value), negative(schema.else_schema)});
        break;
      case Step::Kind::kDependentRequired:
      case Step::Kind::kDependentSchema:
        ComplementDependent(run, work, step, scope, out);
        break;
      case Step::Kind::kObjectGroup:
        break;  // ComplementObject.
    }
  }
}

// A container differs from a value in its size, in a missing key or in one of its children.
Merger::Outcome Merger::DoNotConst(Run* run, Work* work, JsonId value, int32_t) {
  const JsonDocument& document = reader_.document();
  if (Evaluator::TypeOf(document, value) != run->type) return Outcome::kContinue;
  Branch& branch = work->branch;
  std::vector<Work> alternatives;
  switch (run->type) {
    case InstanceType::kNull:
      return Outcome::kDead;
    case InstanceType::kBoolean:
      (document.kind(value) == JsonKind::kTrue ? branch.allows_true : branch.allows_false) = false;
      return branch.allows_true || branch.allows_false ? Outcome::kContinue : Outcome::kDead;
    case InstanceType::kNumber:
      branch.number.excluded.push_back(Decimal::FromJsonNumber(document.text(value)));
      return Outcome::kContinue;
    case InstanceType::kString:
      branch.string.excluded.push_back(document.text(value));
      return Outcome::kContinue;
    case InstanceType::kArray: {
      const auto items = document.items(value);
      const auto size = static_cast<int64_t>(items.size());
      const auto add = [&](auto change) {
        Work alternative = *work;
        change(&alternative.branch.array);
        if (!alternative.branch.array.count.IsEmpty())
          alternatives.push_back(std::move(alternative));
      };
      if (size > 0) add([&](ArrayAtoms* array) { array->count.LowerMax(size - 1); });
      add([&](ArrayAtoms* array) { array->count.RaiseMin(size + 1); });
      for (int64_t i = 0; i < size; ++i) {
        add([&](ArrayAtoms* array) {
          array->count.RaiseMin(i + 1);
          array->item_literals.emplace_back(
              i, Literal{items[static_cast<size_t>(i)], LiteralKind::kNotConst});
        });
      }
      break;
    }
    case InstanceType::kObject: {
      const auto members = document.members(value);
      const auto size = static_cast<int64_t>(members.size());
      for (const auto& member : members) {
        Work absent = *work;
        if (Forbid(&absent.branch, document.key(member))) alternatives.push_back(std::move(absent));
        Work different = *work;
        if (Demand(&different.branch, document.key(member))) {
          different.branch.object.member_literals.emplace_back(
              document.key(member), Literal{member.value, LiteralKind::kNotConst});
          alternatives.push_back(std::move(different));
        }
      }
      Work larger = *work;
      larger.branch.object.count.RaiseMin(size + 1);
      if (!larger.branch.object.count.IsEmpty()) alternatives.push_back(std::move(larger));
      break;
    }
  }
  return Split(run, work, &alternatives);
}

}  // namespace xgrammar::json_schema
