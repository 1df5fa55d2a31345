// Merger: conjunctions of schemas -> disjunctions of branches, the heart of the exact treatment of
// JSON Schema.
//
// A location is a conjunction of literals. Expanding it walks the literals in document order, for
// one kind of instance at a time, and splits where a keyword offers alternatives: the result is a
// disjunctive normal form whose atoms are bounds, patterns, property groups and so on; children are
// conjunctions again, interned as locations, so that recursion through references closes.
// Complements are taken keyword by keyword (De Morgan; complement.cc), so `not`, `if`, `oneOf` and
// dependencies need no treatment of their own. Work is bounded by Limits::max_schema_expansion.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "frontend/json_schema/branch.h"
#include "frontend/json_schema/conjunction.h"
#include "frontend/json_schema/evaluate.h"
#include "frontend/json_schema/json_schema.h"
#include "frontend/json_schema/reader.h"
#include "frontend/json_schema/string_language.h"

namespace xgrammar::json_schema {

/// Borrows reader and string language; owned by one conversion.
class Merger {
 public:
  Merger(SchemaReader* reader, StringLanguage* strings, const JsonSchemaOptions& options);

  /// What was reported so far, in the order of the document, however the schema was walked.
  std::vector<JsonSchemaReportRecord> TakeReport();

  /// The location of a conjunction, simplified: trivial literals dropped, bare references followed.
  LocationId Intern(Conjunction conjunction);
  LocationId InternSchema(JsonId schema) { return Intern({{schema, LiteralKind::kSchema}}); }
  /// The location of a conjunction with one more literal.
  LocationId InternWith(LocationId location, const Literal& literal);
  const Conjunction& conjunction(LocationId location) const {
    return *conjunctions_[static_cast<size_t>(location)];
  }
  /// Valid as long as the merger. Raises kUnsupported for live keywords that cannot be enforced
  /// (unless lenient).
  const Expansion& Expand(LocationId location);
  using Names = std::vector<std::string_view>;
  /// Whether nothing satisfies the location, as far as a search of bounded depth can tell.
  bool IsEmpty(LocationId location, int depth = 3);
  /// The same, given up where it takes long.
  bool IsSurelyEmpty(LocationId location);
  /// Whether no instance of a type satisfies both literals, as far as a search of bounded depth can
  /// tell. Of objects, only those that have all `required` names count.
  bool AreDisjoint(const Literal& a, const Literal& b, InstanceType type,
                   const Names& required = {});

  SchemaReader& reader() { return reader_; }
  StringLanguage& strings() { return strings_; }
  Evaluator& evaluator() { return evaluator_; }
  /// Records or raises, as the options say.
  void Unsupported(JsonId schema, const char* keyword, const std::string& reason);
  void Report(JsonId schema, std::string_view keyword, const std::string& reason,
              const char* effect);

 private:
  // A task still to be done on a branch; tasks form persistent lists, so that branches share their
  // tails.
  struct Task {
    const Step* step = nullptr;  ///< A step of `schema`, or null for a literal.
    const Schema* schema = nullptr;
    Literal literal;
    int32_t scope = -1;
    int32_t next = -1;
    bool is_conjunct = true;  ///< Reached by references and `allOf` only from its scope.
  };
  // One schema on the path from the location to an applicator.
  struct Scope {
    int32_t parent = -1;
    Literal literal;
    bool is_conjunct = true;
    bool tracks_evaluation = false;  ///< Itself or an ancestor holds an unevaluated* keyword.
    bool tracks_exactly = false;     ///< That keyword is violated, so that more must not hold.
  };
  // A branch under construction.
  struct Work {
    int32_t tasks = -1;
    size_t num_applied = 0;  ///< How much of Run::applied it shares.
    Branch branch;
  };
  enum class Outcome : uint8_t { kContinue, kDead, kSplit };
  enum class Verdict : uint8_t { kOpen, kHolds, kFails };
  // The tables of one running expansion. Expansions nest (disjointness of alternatives), so they
  // are passed along.
  struct Run {
    InstanceType type = InstanceType::kNull;
    std::vector<Task> tasks;
    std::vector<Scope> scopes;
    // The literals applied to the branch that is worked on, in order and as a set: branches are
    // taken depth first, so that each begins with the first ones.
    std::vector<uint64_t> applied;
    std::unordered_set<uint64_t> is_applied;  ///< Empty while there are few.
    std::vector<Work> stack;
    std::vector<JsonId> values;
    int32_t current = -1;  ///< The task that is worked on.
    bool has_split = false;
    bool keeps_choices = false;  ///< Ways to violate a schema by a member stay one alternative.
    size_t num_violations = 0;   ///< Alternatives that complements have made.
    Expansion* result = nullptr;
  };

  // A condition that a property has a certain value.
  struct Condition {
    JsonId test = kNoJson;  ///< What stands at `if`.
    std::string_view name;
    JsonId property = kNoJson;  ///< The schema of the property.
    JsonId value = kNoJson;
  };
  // Steps of a schema, one after another, that are conditions on one property.
  struct ConditionList {
    size_t first = 0;  ///< Index of the first step.
    std::vector<Condition> conditions;
    std::unordered_map<int32_t, std::vector<size_t>> by_value;  ///< Steps by number of the value.
  };

  // merge.cc
  void ExpandType(const Conjunction& conjunction, InstanceType type, Expansion* result);
  bool TryExpandType(const Conjunction& conjunction, InstanceType type, bool keeps_choices,
                     Expansion* result);
  bool MayHold(const Literal& literal, InstanceType type);
  void FinishBranch(Run* run, Branch* branch);
  std::unique_ptr<Run> TakeRun();
  void KeepRun(std::unique_ptr<Run> run);
  void Push(Run* run, Work* work, const Literal& literal, int32_t scope, bool is_conjunct = false);
  Outcome Split(Run* run, Work* work, std::vector<Work>* alternatives);
  Outcome DoLiteral(Run* run, Work* work, const Task& task);
  Outcome DoSchema(Run* run, Work* work, const Task& task);
  bool TakeValues(Run* run, const Schema& schema);
  bool IsRepeated(const Run& run, const Task& task);
  static bool WasApplied(Run* run, Work* work, const Literal& literal);
  Outcome DoStep(Run* run, Work* work, const Task& task);
  std::vector<std::vector<size_t>> CompatibleSets(const std::vector<Literal>& members,
                                                  InstanceType type, const Names& required);
  Outcome DoAnyOf(Run* run, Work* work, const Task& task);
  Outcome DoOneOf(Run* run, Work* work, const Task& task);
  Outcome DoIf(Run* run, Work* work, const Task& task);
  Outcome DoDependent(Run* run, Work* work, const Task& task);
  Outcome Unsupport(Work* work, JsonId schema, const char* keyword, const char* reason);
  void CountWork(size_t size = 0);
  void CheckWork(int64_t count) const;

  // locations.cc
  LocationId InternNew(const Conjunction& conjunction);
  void DropImplied(Conjunction* literals);
  bool IsContradictory(const Conjunction& literals);

  // known_values.cc
  // Literals of a conjunction, by index: complements of one value each, by its number; all others.
  struct ComplementsByValue {
    std::unordered_multimap<int32_t, size_t> of_value;
    std::vector<size_t> others;
  };
  bool NarrowFinite(LocationId location, Expansion* result);
  bool NarrowToText(LocationId location, Expansion* result);
  std::pair<const Expansion*, size_t> ExpandedBeginning(const Conjunction& conjunction);
  ComplementsByValue FindComplements(const Conjunction& conjunction);
  bool IsNewSpelling(JsonId value, JsonId first, std::set<std::string>* spellings) const;
  void FilterValues(const Conjunction& conjunction, std::vector<JsonId>* values);
  bool HasWitness(LocationId location);

  // constraints.cc
  bool ApplyConstraints(Run* run, Work* work, const Schema& schema, LiteralKind kind,
                        int32_t scope);
  bool IsPatternDropped(const Schema& schema);
  void ReportFormat(const Schema& schema);
  static bool Require(Branch* branch, std::string_view name);
  static bool Demand(Branch* branch, std::string_view name);
  static bool RequireAnywhere(Branch* branch, std::string_view name);
  static bool Forbid(Branch* branch, std::string_view name);

  // conditions.cc
  std::optional<Condition> ReadCondition(JsonId schema);
  const std::vector<ConditionList>& ConditionListsOf(const Schema& schema);
  bool TakeConditions(Run* run, Work* work, const Task& task, Outcome* outcome);
  Outcome SplitByConditions(Run* run, Work* work, const Task& task, const ConditionList& list,
                            int32_t tasks_after);
  bool DecideDependency(Run* run, Work* work, const Task& task, Outcome* outcome);
  bool DecideNames(Run* run, Work* work, const Task& task, Outcome* outcome);
  bool DeclaresAll(const Work& work, const Schema& schema);
  bool SplitByDependencies(Run* run, Work* work, const Task& task, Outcome* outcome);
  std::string_view ListedProperty(const Step& step);

  // complement.cc
  Outcome DoNotSchema(Run* run, Work* work, const Literal& literal, int32_t scope);
  Outcome DoNotConst(Run* run, Work* work, JsonId value, int32_t scope);
  bool SplitByDiscriminator(const Work& work, const Schema& schema, std::vector<Work>* out,
                            Work* rest);
  bool IsViolated(const Work& work, const Schema& schema);
  void ComplementScalars(Run* run, const Work& work, const Schema& schema, std::vector<Work>* out);
  void ComplementArray(Run* run, const Work& work, const Schema& schema, int32_t scope,
                       std::vector<Work>* out);
  MemberChoice ViolatingMembers(const Schema& schema);
  bool TakeWay(Work* work, const MemberWay& way);
  void ComplementObject(Run* run, const Work& work, const Schema& schema, int32_t scope,
                        std::vector<Work>* out);
  void ComplementSteps(Run* run, const Work& work, const Schema& schema, int32_t scope,
                       std::vector<Work>* out);
  void ComplementDependent(Run* run, const Work& work, const Step& step, int32_t scope,
                           std::vector<Work>* out);

  // emptiness.cc
  // A property that has a fixed set of values, by their numbers.
  struct Discriminator {
    std::string_view name;
    bool required = false;
    std::vector<int32_t> values;
  };
  class Question;
  struct QuestionGivenUp {};
  static constexpr int64_t kNoQuestionEnd = std::numeric_limits<int64_t>::max();
  const std::vector<Discriminator>& DiscriminatorsOf(const Schema& schema);
  std::optional<int32_t> OnlyMatchOf(const Schema& schema);
  bool DifferInMember(const Literal& a, const Literal& b, const Names& required);
  Names RequiredBy(const Run& run, const Work& work);
  bool MembersPossible(const Work& work, const Names& names);
  static Names NamesToCheck(const Work& work, const Schema& group);
  JsonId KnownValue(const Work& work, std::string_view name);
  Verdict Decide(const Work& work, const Schema& schema);
  const Expansion* TryExpand(LocationId location);
  bool AllowsNone(const Expansion& expansion, InstanceType type, int depth, const Names& required);
  bool IsEmptyString(const StringConstraint& string);
  bool IsEmptyArray(const ArraySpec& array, int depth);
  bool IsEmptyObject(const ObjectSpec& object, int depth, const Names& required);

  // finish_array.cc, finish_object.cc
  void FinishArray(Run* run, const ArrayAtoms& atoms);
  bool AddViolation(const Run& run, const ArrayAtoms& atoms, const ScopedSchema& keyword,
                    std::vector<ItemClause>* clauses);
  std::vector<UncountedItems> UnevaluatedItems(const Run& run, const ArrayAtoms& atoms,
                                               std::vector<ItemClause>* clauses);
  void FinishObject(Run* run, const ObjectAtoms& atoms);
  static bool IsInside(const Run& run, int32_t scope, int32_t ancestor);
  bool IsInScope(const Run& run, int32_t scope, int32_t ancestor) const;
  friend class ObjectFinisher;

  SchemaReader& reader_;
  StringLanguage& strings_;
  Evaluator evaluator_;
  const JsonSchemaOptions& options_;
  std::vector<std::pair<JsonId, JsonSchemaReportRecord>> report_;
  std::unordered_set<std::string> reported_keys_;  ///< Pointer, keyword and effect of each record.
  std::unordered_set<JsonId> reported_;            ///< Schemas whose format is only an annotation.
  std::unordered_map<Conjunction, LocationId, ConjunctionHash> locations_;
  std::unordered_map<Conjunction, LocationId, ConjunctionHash> asked_;  ///< As given to Intern.
  std::vector<const Conjunction*> conjunctions_;  ///< Keys of locations_, by id.
  std::vector<std::unique_ptr<Expansion>> expansions_;
  std::array<JsonId, kAllTypes + 1> only_types_;      ///< The first schema with nothing but `type`.
  std::unordered_map<LocationId, JsonId> witnesses_;  ///< Values that satisfy locations.
  using Answers = std::unordered_map<Conjunction, bool, ConjunctionHash>;
  std::array<Answers, kNumInstanceTypes> disjoint_;  ///< By the type asked about.
  std::unordered_map<JsonId, std::vector<Discriminator>> discriminators_;  ///< By schema.
  std::unordered_map<const Schema*, std::vector<ConditionList>> condition_lists_;
  std::vector<std::unique_ptr<Run>> idle_runs_;  ///< Cleared, for the memory they hold.
  int64_t work_count_ = 0;
  bool has_kept_choices_ = false;
  int nesting_ = 0;                        ///< Of questions.
  int64_t question_end_ = kNoQuestionEnd;  ///< The work count at which a question is given up.
};

}  // namespace xgrammar::json_schema
