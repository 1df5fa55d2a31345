// Expansion of conjunctions: the work list, positive literals and applicators.
//
// A run expands one location for one kind of instance, depth first with a stack of its own; a split
// copies the branch for every alternative but the last. Complements are complement.cc, plain
// keywords constraints.cc, locations locations.cc, values that are listed known_values.cc, what a
// complete branch becomes finish_object.cc and finish_array.cc.
#include "frontend/json_schema/merge.h"

#include <algorithm>
#include <utility>

#include "support/work_meter.h"

namespace xgrammar::json_schema {

namespace {

// Alternatives of `anyOf` under an unevaluated* keyword are taken in all combinations that are
// possible, because each one that holds contributes to what is evaluated; so many are tried.
constexpr size_t kMaxTrackedSets = 256;

}  // namespace

Merger::Merger(SchemaReader* reader, StringLanguage* strings, const JsonSchemaOptions& options)
    : reader_(*reader), strings_(*strings), evaluator_(reader, strings), options_(options) {
  only_types_.fill(kNoJson);
  // The two fixed locations: the empty conjunction, and a literal that nothing else can produce.
  for (Conjunction fixed : {Conjunction{}, Conjunction{{kNoJson, LiteralKind::kSchema}}}) {
    const auto place =
        locations_.emplace(std::move(fixed), static_cast<LocationId>(conjunctions_.size())).first;
    conjunctions_.push_back(&place->first);
    expansions_.push_back(nullptr);
  }
}

void Merger::Report(JsonId schema, std::string_view keyword, const std::string& reason,
                    const char* effect) {
  JsonSchemaReportRecord record{reader_.PointerTo(schema), std::string(keyword), reason, effect};
  std::string key = record.pointer;
  for (const std::string& part : {record.keyword, record.effect}) key.append(1, '\0').append(part);
  if (reported_keys_.insert(std::move(key)).second) report_.emplace_back(schema, std::move(record));
}

std::vector<JsonSchemaReportRecord> Merger::TakeReport() {
  std::stable_sort(report_.begin(), report_.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<JsonSchemaReportRecord> report;
  report.reserve(report_.size());
  for (auto& [schema, record] : report_) report.push_back(std::move(record));
  report_.clear();
  return report;
}

void Merger::Unsupported(JsonId schema, const char* keyword, const std::string& reason) {
  if (options_.lenient) {
    Report(schema, keyword, reason, "ignored");
    return;
  }
  Error error =
      reader_.MakeError(ErrorKind::kUnsupported, schema, keyword,
                        "Keyword '" + std::string(keyword) + "' cannot be enforced: " + reason);
  error.Hint("remove it, or pass lenient=True to have it dropped and reported");
  throw error;
}

// `size`: of what is copied or compared, so that the work is counted and not its results.
void Merger::CountWork(size_t size) {
  constexpr size_t kSizeOfUnit = 4;
  xgrammar::CountWork("expanding a schema", 20);
  work_count_ += 1 + static_cast<int64_t>(size / kSizeOfUnit);
  if (work_count_ > question_end_) throw QuestionGivenUp();
  CheckWork(work_count_);
}

void Merger::CheckWork(int64_t count) const {
  if (count > reader_.limits().max_schema_expansion) {
    ThrowLimitError("max_schema_expansion", count, reader_.limits().max_schema_expansion,
                    "the combinations of 'allOf', 'anyOf', 'oneOf', 'not' and 'if' of the schema");
  }
}

const Expansion& Merger::Expand(LocationId location) {
  if (expansions_[static_cast<size_t>(location)])
    return *expansions_[static_cast<size_t>(location)];
  xgrammar::CountWork("expanding a schema", 20);
  auto expansion = std::make_unique<Expansion>();
  if (location != kNothingLocation && !NarrowFinite(location, expansion.get()) &&
      !NarrowToText(location, expansion.get())) {
    const Conjunction& literals = *conjunctions_[static_cast<size_t>(location)];
    for (int i = 0; i < kNumInstanceTypes; ++i) {
      const auto type = static_cast<InstanceType>(i);
      if (std::all_of(literals.begin(), literals.end(),
                      [&](const Literal& l) { return MayHold(l, type); })) {
        ExpandType(literals, type, expansion.get());
      }
    }
    FilterValues(literals, &expansion->values);
  }
  std::unique_ptr<Expansion>& slot = expansions_[static_cast<size_t>(location)];
  slot = std::move(expansion);
  return *slot;
}

// A quick look at `type`, so that most kinds of instances are never expanded.
bool Merger::MayHold(const Literal& literal, InstanceType type) {
  if (literal.kind == LiteralKind::kConst)
    return Evaluator::TypeOf(reader_.document(), literal.id) == type;
  if (literal.kind == LiteralKind::kNotSchema || literal.kind == LiteralKind::kNotConst)
    return true;
  const Schema& schema = reader_.Read(literal.id);
  if (schema.is_boolean) return schema.boolean_value;
  TypeSet types = schema.types;
  if (options_.strict_mode && literal.kind == LiteralKind::kSchema) types &= schema.inferred_types;
  return (types & BitsOf(type)) != 0;
}

// Complements of objects that have members in common may multiply; then the ways to violate a
// schema by a member are kept together, and the object keeps track of which of them were met.
void Merger::ExpandType(const Conjunction& conjunction, InstanceType type, Expansion* result) {
  if (TryExpandType(conjunction, type, false, result)) return;
  has_kept_choices_ = true;
  result->objects.clear();
  TryExpandType(conjunction, type, true, result);
}

// False if the alternatives that complements make are too many.
bool Merger::TryExpandType(const Conjunction& conjunction, InstanceType type, bool keeps_choices,
                           Expansion* result) {
  constexpr size_t kManyViolations = 200;
  constexpr size_t kFewViolations = 50;  // Where they have multiplied before.
  const bool may_keep = type == InstanceType::kObject && !options_.any_order && !keeps_choices;
  const size_t max_violations = !may_keep           ? std::numeric_limits<size_t>::max()
                                : has_kept_choices_ ? kFewViolations
                                                    : kManyViolations;
  std::unique_ptr<Run> run = TakeRun();
  run->type = type;
  run->result = result;
  run->keeps_choices = keeps_choices;
  Work& first = run->stack.emplace_back();
  for (size_t i = conjunction.size(); i-- > 0;) Push(run.get(), &first, conjunction[i], -1, true);
  while (!run->stack.empty()) {
    Work work = std::move(run->stack.back());
    run->stack.pop_back();
    Outcome outcome = Outcome::kContinue;
    while (work.tasks >= 0 && outcome == Outcome::kContinue) {
      run->current = work.tasks;
      const Task task = run->tasks[static_cast<size_t>(work.tasks)];
      work.tasks = task.next;
      outcome = task.step ? DoStep(run.get(), &work, task) : DoLiteral(run.get(), &work, task);
    }
    if (run->num_violations > max_violations) return false;
    if (outcome == Outcome::kContinue) FinishBranch(run.get(), &work.branch);
  }
  result->values.insert(result->values.end(), run->values.begin(), run->values.end());
  KeepRun(std::move(run));
  return true;
}

// Most expansions are small, so that making their tables anew would be much of the work.
std::unique_ptr<Merger::Run> Merger::TakeRun() {
  if (idle_runs_.empty()) return std::make_unique<Run>();
  std::unique_ptr<Run> run = std::move(idle_runs_.back());
  idle_runs_.pop_back();
  return run;
}

void Merger::KeepRun(std::unique_ptr<Run> run) {
  constexpr size_t kLargestKept = 4096;
  if (run->tasks.capacity() > kLargestKept || !run->is_applied.empty()) return;
  run->tasks.clear();
  run->scopes.clear();
  run->applied.clear();
  run->values.clear();
  run->has_split = false;
  run->num_violations = 0;
  idle_runs_.push_back(std::move(run));
}

void Merger::Push(Run* run, Work* work, const Literal& literal, int32_t scope, bool is_conjunct) {
  Task task;
  task.is_conjunct = is_conjunct;
  task.literal = literal;
  task.scope = scope;
  task.next = work->tasks;
  work->tasks = static_cast<int32_t>(run->tasks.size());
  run->tasks.push_back(task);
}

// Replaces the current branch by alternatives; the first one is worked on first.
Merger::Outcome Merger::Split(Run* run, Work* work, std::vector<Work>* alternatives) {
  if (alternatives->empty()) return Outcome::kDead;
  if (alternatives->size() == 1) {
    *work = std::move(alternatives->front());
    return Outcome::kContinue;
  }
  run->has_split = true;
  for (size_t i = alternatives->size(); i-- > 0;) {
    CountWork((*alternatives)[i].branch.Size());
    run->stack.push_back(std::move((*alternatives)[i]));
  }
  return Outcome::kSplit;
}

Merger::Outcome Merger::Unsupport(Work* work, JsonId schema, const char* keyword,
                                  const char* reason) {
  work->branch.unsupported.push_back({schema, keyword, reason});
  return Outcome::kContinue;
}

Merger::Outcome Merger::DoLiteral(Run* run, Work* work, const Task& task) {
  const Literal& literal = task.literal;
  switch (literal.kind) {
    case LiteralKind::kSchema:
    case LiteralKind::kPlainSchema:
    case LiteralKind::kUnevaluated:
      return DoSchema(run, work, task);
    case LiteralKind::kNotSchema:
      return DoNotSchema(run, work, literal, task.scope);
    case LiteralKind::kConst:
      if (Evaluator::TypeOf(reader_.document(), literal.id) == run->type)
        run->values.push_back(literal.id);
      return Outcome::kDead;  // The value stands for the branch; FilterValues checks the rest.
    case LiteralKind::kNotConst:
      return DoNotConst(run, work, literal.id, task.scope);
  }
  return Outcome::kDead;
}

// Whether the schema is already on the path that led here. As a conjunct of itself it adds nothing,
// if there is anything else in it; any other cycle has no meaning.
bool Merger::IsRepeated(const Run& run, const Task& task) {
  bool is_conjunct = task.is_conjunct;
  for (int32_t above = task.scope; above >= 0;) {
    const Scope& scope = run.scopes[static_cast<size_t>(above)];
    if (scope.literal == task.literal) {
      const Schema& schema = reader_.Read(task.literal.id);
      if (is_conjunct && (schema.types != kAllTypes || schema.steps.size() > 1)) return true;
      throw reader_.MakeError(ErrorKind::kJsonSchema, task.literal.id, "$ref",
                              "The references form a cycle without content");
    }
    is_conjunct = is_conjunct && scope.is_conjunct;
    above = scope.parent;
  }
  return false;
}

// Whether the branch meets the literal already, and notes that it does from now on. Where nobody
// asks what was evaluated, applying it once more would change nothing, and ways that lead to one
// schema can double at every level.
bool Merger::WasApplied(Run* run, Work* work, const Literal& literal) {
  constexpr size_t kFewApplied = 16;
  std::vector<uint64_t>& applied = run->applied;
  for (; applied.size() > work->num_applied; applied.pop_back()) {
    if (!run->is_applied.empty()) run->is_applied.erase(applied.back());
  }
  const uint64_t key =
      uint64_t{static_cast<uint32_t>(literal.id)} << 8 | static_cast<uint64_t>(literal.kind);
  if (run->is_applied.empty() && applied.size() < kFewApplied) {
    if (std::ranges::find(applied, key) != applied.end()) return true;
  } else {
    if (run->is_applied.empty()) run->is_applied.insert(applied.begin(), applied.end());
    if (!run->is_applied.insert(key).second) return true;
  }
  applied.push_back(key);
  work->num_applied = applied.size();
  return false;
}

// If a schema lists its values: they stand for the branch, and FilterValues checks the rest of the
// conjunction for each.
bool Merger::TakeValues(Run* run, const Schema& schema) {
  if (schema.enum_values == kNoJson && schema.const_value == kNoJson) return false;
  const auto take = [&](JsonId value) {
    xgrammar::CountWork("expanding a schema", 2);
    if (Evaluator::TypeOf(reader_.document(), value) == run->type) run->values.push_back(value);
  };
  if (schema.const_value != kNoJson) {
    take(schema.const_value);
  } else {
    for (const JsonId value : reader_.document().items(schema.enum_values)) take(value);
  }
  return true;
}

Merger::Outcome Merger::DoSchema(Run* run, Work* work, const Task& task) {
  const Literal& literal = task.literal;
  const int32_t scope = task.scope;
  const Schema& schema = reader_.Read(literal.id);
  if (schema.is_boolean) return schema.boolean_value ? Outcome::kContinue : Outcome::kDead;
  if (!MayHold(literal, run->type)) return Outcome::kDead;
  if (IsRepeated(*run, task)) return Outcome::kContinue;
  if (schema.format != kNoJson) ReportFormat(schema);
  if (TakeValues(run, schema)) return Outcome::kDead;
  const bool is_tracked = scope >= 0 && run->scopes[static_cast<size_t>(scope)].tracks_evaluation;
  if (literal.kind != LiteralKind::kUnevaluated && WasApplied(run, work, literal) && !is_tracked)
    return Outcome::kContinue;
  const auto own_scope = static_cast<int32_t>(run->scopes.size());
  // Where it is tracked, a schema is applied once for each way that leads to it.
  xgrammar::CountWork("expanding a schema", 1);
  CheckWork(own_scope);
  const bool tracks = schema.HasUnevaluated() || is_tracked;
  const bool exactly = literal.kind == LiteralKind::kUnevaluated ||
                       (scope >= 0 && run->scopes[static_cast<size_t>(scope)].tracks_exactly);
  run->scopes.push_back({scope, literal, task.is_conjunct, tracks, exactly});
  if (!ApplyConstraints(run, work, schema, literal.kind, own_scope)) return Outcome::kDead;
  for (size_t i = schema.steps.size(); i-- > 0;) {
    Task step;
    step.step = &schema.steps[i];
    step.schema = &schema;
    step.literal = {literal.id, InnerKind(literal.kind)};
    step.scope = own_scope;
    step.next = work->tasks;
    work->tasks = static_cast<int32_t>(run->tasks.size());
    run->tasks.push_back(step);
  }
  return Outcome::kContinue;
}

Merger::Outcome Merger::DoStep(Run* run, Work* work, const Task& task) {
  const Step& step = *task.step;
  switch (step.kind) {
    case Step::Kind::kRef:
    case Step::Kind::kDynamicRef:
    case Step::Kind::kAllOfMember: {
      Outcome outcome = Outcome::kContinue;
      if (TakeConditions(run, work, task, &outcome)) return outcome;
      Push(run, work, {step.value, task.literal.kind}, task.scope, true);
      return Outcome::kContinue;
    }
    case Step::Kind::kAnyOf:
      return DoAnyOf(run, work, task);
    case Step::Kind::kOneOf:
      return DoOneOf(run, work, task);
    case Step::Kind::kNot:
      Push(run, work, {step.value, LiteralKind::kNotSchema}, task.scope);
      return Outcome::kContinue;
    case Step::Kind::kIf:
      return DoIf(run, work, task);
    case Step::Kind::kDependentRequired:
    case Step::Kind::kDependentSchema:
      return DoDependent(run, work, task);
    case Step::Kind::kObjectGroup:
      if (run->type == InstanceType::kObject) {
        work->branch.object.groups.push_back({task.schema, task.scope, task.literal.kind});
        if (run->has_split && !MembersPossible(*work, NamesToCheck(*work, *task.schema)))
          return Outcome::kDead;
      }
      return Outcome::kContinue;
  }
  return Outcome::kDead;
}

// The sets of alternatives that may hold together, none with two that exclude one another. Empty if
// there are too many.
std::vector<std::vector<size_t>> Merger::CompatibleSets(const std::vector<Literal>& members,
                                                        InstanceType type, const Names& required) {
  const auto plain = [&](size_t i) { return Literal{members[i].id, LiteralKind::kPlainSchema}; };
  std::vector<std::vector<size_t>> sets;
  for (size_t i = 0; i < members.size(); ++i) {
    const size_t known = sets.size();
    sets.push_back({i});
    for (size_t s = 0; s < known; ++s) {
      const bool is_possible = std::none_of(sets[s].begin(), sets[s].end(), [&](size_t other) {
        return AreDisjoint(plain(other), plain(i), type, required);
      });
      if (!is_possible) continue;
      sets.push_back(sets[s]);
      sets.back().push_back(i);
    }
    if (sets.size() > kMaxTrackedSets) return {};
  }
  return sets;
}

Merger::Outcome Merger::DoAnyOf(Run* run, Work* work, const Task& task) {
  const bool has_children = run->type == InstanceType::kObject || run->type == InstanceType::kArray;
  const Scope scope = run->scopes[static_cast<size_t>(task.scope)];
  const bool is_tracked = scope.tracks_evaluation && has_children;
  std::vector<Literal> live;
  for (const JsonId member : task.step->members) {
    const Literal literal{reader_.SkipReferences(member), task.literal.kind};
    if (!MayHold(literal, run->type)) continue;
    // No alternative of the branch: lists of alternatives with a value each need no copies.
    if (!is_tracked && TakeValues(run, reader_.Read(literal.id))) continue;
    if (std::find(live.begin(), live.end(), literal) == live.end()) live.push_back(literal);
  }
  const bool tracks = is_tracked && live.size() > 1;
  std::vector<std::vector<size_t>> sets;
  if (tracks) {
    sets = CompatibleSets(live, run->type, RequiredBy(*run, *work));
    if (sets.empty()) {
      Unsupport(work, task.schema->id, "anyOf",
                "too many combinations of alternatives under an unevaluated* keyword");
      if (scope.tracks_exactly) return Outcome::kContinue;
      // Lenient: as if nothing was left unevaluated.
      work->branch.array.ignores_unevaluated = work->branch.object.ignores_unevaluated = true;
    }
  }
  for (size_t i = 0; sets.size() < live.size(); ++i) sets.push_back({i});
  std::vector<Work> alternatives;
  alternatives.reserve(sets.size());
  for (const std::vector<size_t>& chosen : sets) {
    Work alternative = &chosen == &sets.back() ? std::move(*work) : *work;
    for (size_t member = live.size(); member-- > 0;) {
      if (std::find(chosen.begin(), chosen.end(), member) != chosen.end()) {
        Push(run, &alternative, live[member], task.scope);
      } else if (tracks && scope.tracks_exactly) {
        Push(run, &alternative, {live[member].id, LiteralKind::kNotSchema}, task.scope);
      }
    }
    alternatives.push_back(std::move(alternative));
  }
  return Split(run, work, &alternatives);
}

// Each alternative holds together with the complements of those others that it may overlap.
Merger::Outcome Merger::DoOneOf(Run* run, Work* work, const Task& task) {
  std::vector<JsonId> live;
  for (const JsonId raw : task.step->members) {
    const JsonId member = reader_.SkipReferences(raw);
    if (MayHold({member, LiteralKind::kPlainSchema}, run->type)) live.push_back(member);
  }
  const Names required = live.size() > 1 ? RequiredBy(*run, *work) : Names();
  std::vector<Work> alternatives;
  for (size_t i = 0; i < live.size(); ++i) {
    const Literal chosen{live[i], task.literal.kind};
    if (!MayHold(chosen, run->type))
      continue;  // Strict mode's inference may exclude what the standard allows.
    // Whether the others hold for a value is a matter of FilterValues.
    if (TakeValues(run, reader_.Read(live[i]))) continue;
    Work alternative = *work;
    for (size_t j = live.size(); j-- > 0;) {
      const Literal other{live[j], LiteralKind::kPlainSchema};
      if (j == i || AreDisjoint({live[i], LiteralKind::kPlainSchema}, other, run->type, required))
        continue;
      Push(run, &alternative, {live[j], LiteralKind::kNotSchema}, task.scope);
    }
    Push(run, &alternative, chosen, task.scope);
    alternatives.push_back(std::move(alternative));
  }
  return Split(run, work, &alternatives);
}

Merger::Outcome Merger::DoIf(Run* run, Work* work, const Task& task) {
  const JsonId then_schema = task.schema->then_schema;
  const JsonId else_schema = task.schema->else_schema;
  const bool tracks = run->scopes[static_cast<size_t>(task.scope)].tracks_evaluation;
  if (then_schema == kNoJson && else_schema == kNoJson && !tracks) return Outcome::kContinue;
  const Verdict verdict =
      run->type == InstanceType::kObject
          ? Decide(*work, reader_.Read(reader_.SkipReferences(task.step->value)))
          : Verdict::kOpen;
  if (verdict != Verdict::kOpen) {
    const bool holds = verdict == Verdict::kHolds;
    const JsonId consequence = holds ? then_schema : else_schema;
    if (consequence != kNoJson) Push(run, work, {consequence, task.literal.kind}, task.scope);
    if (holds) Push(run, work, {task.step->value, LiteralKind::kPlainSchema}, task.scope);
    return Outcome::kContinue;
  }
  std::vector<Work> alternatives;
  alternatives.reserve(2);
  const auto add = [&](Work alternative, LiteralKind condition, JsonId consequence) {
    if (consequence != kNoJson)
      Push(run, &alternative, {consequence, task.literal.kind}, task.scope);
    Push(run, &alternative, {task.step->value, condition}, task.scope);
    alternatives.push_back(std::move(alternative));
  };
  add(*work, LiteralKind::kPlainSchema, then_schema);
  add(std::move(*work), LiteralKind::kNotSchema, else_schema);
  return Split(run, work, &alternatives);
}

Merger::Outcome Merger::DoDependent(Run* run, Work* work, const Task& task) {
  if (run->type != InstanceType::kObject) return Outcome::kContinue;
  Outcome outcome = Outcome::kContinue;
  const bool is_decided = task.step->kind == Step::Kind::kDependentSchema
                              ? DecideDependency(run, work, task, &outcome)
                              : DecideNames(run, work, task, &outcome);
  if (is_decided) return outcome;
  std::vector<Work> alternatives;
  Work absent = *work;
  if (Forbid(&absent.branch, task.step->name)) alternatives.push_back(std::move(absent));
  Work present = std::move(*work);
  bool possible = RequireAnywhere(&present.branch, task.step->name);
  if (task.step->kind == Step::Kind::kDependentRequired) {
    for (const JsonId name : reader_.document().items(task.step->value)) {
      possible = possible && RequireAnywhere(&present.branch, reader_.document().text(name));
    }
  } else {
    Push(run, &present, {task.step->value, task.literal.kind}, task.scope);
  }
  if (possible) alternatives.push_back(std::move(present));
  return Split(run, work, &alternatives);
}

void Merger::FinishBranch(Run* run, Branch* branch) {
  for (const UnsupportedKeyword& keyword : branch->unsupported) {
    Unsupported(keyword.schema, keyword.keyword, keyword.reason);
  }
  Expansion* result = run->result;
  switch (run->type) {
    case InstanceType::kNull:
      result->allows_null = true;
      break;
    case InstanceType::kBoolean:
      result->allows_true = result->allows_true || branch->allows_true;
      result->allows_false = result->allows_false || branch->allows_false;
      break;
    case InstanceType::kNumber:
      if (!branch->number.IsPlainlyEmpty()) result->numbers.push_back(std::move(branch->number));
      break;
    case InstanceType::kString:
      result->strings.push_back(std::move(branch->string));
      break;
    case InstanceType::kArray:
      FinishArray(run, branch->array);
      break;
    case InstanceType::kObject:
      FinishObject(run, branch->object);
      break;
  }
}

bool Merger::IsInside(const Run& run, int32_t scope, int32_t ancestor) {
  while (scope > ancestor) scope = run.scopes[static_cast<size_t>(scope)].parent;
  return scope == ancestor;
}

bool Merger::IsInScope(const Run& run, int32_t scope, int32_t ancestor) const {
  // What holds inside a complement leaves no annotations.
  while (scope > ancestor) {
    if (run.scopes[static_cast<size_t>(scope)].literal.kind == LiteralKind::kNotSchema)
      return false;
    scope = run.scopes[static_cast<size_t>(scope)].parent;
  }
  return scope == ancestor;
}

}  // namespace xgrammar::json_schema
