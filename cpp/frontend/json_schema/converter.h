// JSONSchemaConverter: expanded locations -> grammar rules. Traversal is here, spelling is in
// virtual hooks, so that the styles of tool-call formats are small subclasses.
//
// Rules are written from a work queue: a reference to a child only allocates its rule, so neither
// deep nor recursive schemas use the native stack. Equal containers at equal depth share one rule.
// Standard lexemes (strings, numbers, white space) are rules with the same body in every schema, so
// that later stages share their tables.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "frontend/json_schema/automaton_memo.h"
#include "frontend/json_schema/merge.h"
#include "frontend/json_schema/whitespace.h"
#include "grammar/builder.h"

namespace xgrammar::json_schema {

/// Borrows merger and options; owned by one conversion. Raises kUnsupported, kUnsatisfiable,
/// kLimit.
class JSONSchemaConverter {
 public:
  JSONSchemaConverter(Merger* merger, const JsonSchemaOptions& options, const Limits& limits);
  virtual ~JSONSchemaConverter() = default;
  JSONSchemaConverter(const JSONSchemaConverter&) = delete;
  JSONSchemaConverter& operator=(const JSONSchemaConverter&) = delete;

  /// The grammar of a location. Raises kUnsatisfiable if nothing is accepted. Call once.
  GrammarPtr Convert(LocationId location);

 protected:
  // ---- Spelling hooks; the defaults are JSON. ----

  /// Places: of the document, and of the members and items of a container at a place.
  virtual Depth RootDepth() const { return layout_.RootDepth(); }
  virtual Depth MemberDepth(Depth depth) const { return layout_.ChildDepth(depth); }
  virtual Depth ItemDepth(Depth depth) const { return layout_.ChildDepth(depth); }
  /// How the containers of `enum` and `const` are spelled at a place.
  virtual Depth LiteralDepth(Depth depth) const { return depth; }

  /// How lowering treats the rules of values and containers at a place. A token may stand for a
  /// marker with its text only in rules that are kAuto, so that styles with markers want these.
  virtual RuleKind ValueRuleKind(Depth) const { return RuleKind::kStructure; }
  virtual RuleKind ContainerRuleKind(Depth) const { return RuleKind::kStructure; }

  /// Brackets with the white space inside them; between members; between key and value.
  virtual ExprId OpenObject(Depth depth) { return layout_.Open("{", depth); }
  virtual ExprId CloseObject(Depth depth) { return layout_.Close("}", depth); }
  virtual ExprId EmptyObject(Depth depth) { return layout_.Empty("{", "}", depth); }
  virtual ExprId MemberSeparator(Depth depth) { return layout_.ItemSeparator(depth); }
  virtual ExprId KeySeparator(Depth depth) { return layout_.KeySeparator(depth); }
  virtual ExprId OpenArray(Depth depth) { return layout_.Open("[", depth); }
  virtual ExprId CloseArray(Depth depth) { return layout_.Close("]", depth); }
  virtual ExprId EmptyArray(Depth depth) { return layout_.Empty("[", "]", depth); }
  virtual ExprId ArraySeparator(Depth depth) { return layout_.ItemSeparator(depth); }

  /// A member of a container at a place, for a property of `properties` or `required`.
  virtual ExprId DeclaredMember(std::string_view name, ExprId value, Depth depth);
  /// Its key.
  virtual ExprId DeclaredKey(std::string_view name, Depth depth);
  /// Any other key that decodes to none of the names.
  virtual ExprId AdditionalKey(const std::vector<std::string_view>& closed_names, Depth depth);
  /// Keys of a cell with a language of its own.
  virtual ExprId ConstrainedKey(const FreeCell& cell, Depth depth);

  /// Strings: any; a language of decoded texts; `min` to `max` characters of a set.
  /// `is_filtered`: excluded texts (JsonSchemaOptions::excludes) act on them.
  virtual ExprId FreeString(Depth depth);
  virtual ExprId ConstrainedString(const CodePointDfaPtr& decoded, bool is_filtered, Depth depth);
  /// A pattern whose automaton over bytes would be too large, with its repetitions counted; kNoExpr
  /// if that cannot be written.
  virtual ExprId PatternString(std::string_view pattern, Depth depth);
  /// A format by its name; kNoExpr: as the language of its decoded texts. Unless `may_be_empty`,
  /// without the empty text, which some formats have.
  virtual ExprId FormatString(std::string_view name, bool may_be_empty, Depth depth);
  virtual ExprId BoundedString(const CodePointSet& characters, const CountRange& length,
                               bool is_filtered, Depth depth);
  /// The texts of a language that have `length` characters, too many for an automaton.
  virtual ExprId CountedString(const CodePointDfaPtr& decoded, const CountRange& length,
                               bool is_filtered, Depth depth);
  virtual ExprId StringLiteral(std::string_view text, Depth depth);
  /// Whether items are JSON, so that the parser can compare them.
  virtual bool ComparesItems() const { return true; }
  /// `null`, `true`, `false`.
  virtual ExprId WordLiteral(std::string_view word) { return builder_.AddByteString(word); }

  /// Whether Placed acts on the values at a place; if not, scalar literals make one lexeme.
  virtual bool PlacesValues(Depth) const { return false; }
  /// A value with what surrounds it at its place, by its type. `is_free`: any value of the type.
  virtual ExprId Placed(InstanceType, bool is_free, ExprId value, Depth depth);
  /// Whether a value at a place is the arguments of a call: a schema that asks for no type means
  /// objects there.
  virtual bool HoldsArguments(Depth) const { return false; }
  /// Raises what a style cannot write of a location; `schema` is the first that speaks of it.
  virtual void CheckLocation(const Expansion&, JsonId) {}
  /// Any value, array or object; kNoExpr: as other locations, by their alternatives.
  virtual ExprId FreeValue(Depth depth);
  virtual ExprId FreeArray(const ArraySpec& spec, Depth depth);
  virtual ExprId FreeObject(const ObjectSpec& spec, Depth depth);
  /// Refuses an object that the style cannot write.
  virtual void CheckObject(const ObjectSpec&) const {}

  // ---- Parts for styles. ----

  GrammarBuilder& builder() { return builder_; }
  Layout& layout() { return layout_; }
  const JsonSchemaOptions& options() const { return options_; }
  const Limits& limits() const { return limits_; }
  const JsonDocument& document() const { return merger_.reader().document(); }
  /// The keys of a cell that has a language of its own.
  CodePointDfaPtr KeysOf(const FreeCell& cell);
  /// A reference to a lexeme rule with that body.
  ExprId Lexeme(std::string_view hint, ExprId body);
  ExprId TextInPieces(std::string_view text);
  /// Texts without any excluded one; null if all are.
  const CodePointDfaPtr& unexcluded() const { return unexcluded_; }
  /// An automaton that depends on nothing but a name and the excluded texts.
  template <typename Make>
  CodePointDfaPtr Remembered(std::string_view name, const Make& make) {
    return memo_->Get(std::string(name) + memo_suffix_, make);
  }
  /// The same, made when a parse comes to it.
  template <typename Make>
  LateAutomatonPtr RememberedLate(std::string_view name, const Make& make, bool accepts_empty,
                                  int64_t size) {
    return memo_->GetLate(std::string(name) + memo_suffix_, make, accepts_empty, size);
  }
  /// Texts of a language, a lexeme; the empty language is noted as one that exclusions emptied.
  ExprId TextLexeme(std::string_view hint, CodePointDfa text);
  /// Whether a longest length is better counted beside an automaton than multiplied into it.
  /// Written out, every state has a mask of its own; counted, states share theirs until the end of
  /// the length is as near as the longest token is long. So lengths that are near from the start
  /// are written out as long as the product is small; not where texts may end anywhere, for which
  /// the end of the length makes no difference (mask/length_order.h).
  static bool IsCounted(int64_t max_length, const CodePointDfa& text);
  struct LengthParts {
    CountRange written;  ///< To be multiplied into the automaton.
    CountRange counted;  ///< To be counted beside it.
  };
  static LengthParts SplitLength(const CountRange& length, const CodePointDfa& text);
  /// Texts of a language with `length` characters.
  ExprId CountedText(const CodePointDfa& text, const CountRange& length);
  /// Whether a least length is better counted, likewise: where its product is large and the ways
  /// to end a text differ little in their lengths.
  static bool IsLeastCounted(const CountRange& length, const CodePointDfa& text);
  /// Spellings of a language of which `length` characters are taken, an escape counted once;
  /// kNoExpr if there is none.
  ExprId CountedBody(CodePointDfaPtr spelled, const CountRange& length);
  /// A lexeme of a language with a bound that is counted while a text is read.
  ExprId CountedRule(CodePointDfaPtr body, const RuleOptions& bound);
  /// Nothing, because an excluded text would have to be written; so the schema is not at fault if
  /// nothing is left at all.
  ExprId Excluded();
  /// Whether a text as it is spelled contains an excluded one.
  bool IsExcluded(std::string_view spelled) const;
  /// The object without any constraint, at a place where it has no shared rules.
  ExprId AnyObject(Depth depth);

 private:
  struct PendingContainer {
    RuleId rule = -1;
    const ArraySpec* array = nullptr;
    const ObjectSpec* object = nullptr;
    Depth depth = kOneLine;
  };

  // convert_composite.cc
  ExprId LocationRef(LocationId location, Depth depth);
  ExprId MakeLocation(LocationId location, Depth depth);
  void AppendOthers(const Expansion& expansion, JsonId schema, Depth depth,
                    std::vector<ExprId>* alternatives);
  bool IsLeftOut(const ArraySpec& array, const Expansion& expansion);
  ExprId ContainerRef(const std::string& key, const PendingContainer& container,
                      std::string_view hint);
  ExprId ArrayRef(const ArraySpec& spec, Depth depth);
  ExprId ObjectRef(const ObjectSpec& spec, Depth depth);
  void DrainQueue();
  void CheckProductive(RuleId root, LocationId location);

  // unsatisfiable.cc
  [[noreturn]] void ThrowUnsatisfiable(JsonId schema);
  struct KnownFacts;
  std::vector<bool> AreUnsatisfiable(const std::vector<JsonId>& schemas, KnownFacts* known);

  // convert_literal.cc
  void AppendValues(const Expansion& expansion, bool is_inner, Depth depth,
                    std::vector<ExprId>* alternatives);
  void AppendLiterals(const std::vector<JsonId>& values, bool is_inner, Depth depth,
                      std::vector<ExprId>* alternatives);
  ExprId ContainerValue(JsonId value, bool is_inner, Depth depth);
  void AppendNumberSpellings(JsonId value, std::vector<ExprId>* alternatives);
  void MakeFreeValueRules();

  // convert_number.cc, convert_string.cc
  ExprId Number(const NumberConstraint& constraint, JsonId schema);
  ExprId String(const StringConstraint& constraint, JsonId schema, Depth depth);
  /// The pattern by PatternString if its automaton is too large to fold, else kNoExpr.
  ExprId LargePattern(const StringConstraint& constraint, const CodePointDfa& decoded, Depth depth);
  ExprId MakeString(const StringConstraint& constraint, JsonId schema, Depth depth);
  ExprId JsonText(std::string_view hint, CodePointDfaPtr spelled, bool is_filtered);
  ExprId Quoted(std::string_view hint, ExprId body);
  ExprId KeyExcept(std::vector<std::string_view> names);

  // convert_array.cc
  ExprId ArrayBody(const ArraySpec& spec, Depth depth);
  ExprId Items(const ArraySpec& spec, Depth depth);
  std::map<std::string, std::vector<ExprId>> ValueSpellings(LocationId location, Depth depth);
  ExprId UniqueItems(const ArraySpec& spec, Depth depth);
  ExprId DistinctItems(const ArraySpec& spec, Depth depth, const char** reason);
  int64_t CountValues(LocationId location, int64_t enough, int depth);
  bool IsCountExact(LocationId location);
  bool CanTrackUnique(const ArraySpec& spec);
  friend class ArrayMachine;

  // convert_object.cc
  ExprId ObjectBody(const ObjectSpec& spec, Depth depth);
  ExprId Member(const ObjectMember& member, Depth depth);
  ExprId FreeMember(const ObjectSpec& spec, const FreeCell& cell, LocationId value, Depth depth);
  ExprId AnyFreeMember(const ObjectSpec& spec, Depth depth);
  ExprId FreeMembers(const ObjectSpec& spec, const CountRange& count, int64_t before, Depth depth);
  ExprId AnyOrderMembers(const ObjectSpec& spec, Depth depth);
  ExprId OrderedObject(const ObjectSpec& spec, Depth depth);
  ExprId OptionalMembers(const ObjectSpec& spec, Depth depth);
  ExprId SortedMembers(const ObjectSpec& spec, Depth depth);
  /// convert_choices.cc. `counts`: whether the count of members has to be tracked.
  ExprId ChosenMembers(const ObjectSpec& spec, bool counts, Depth depth);
  friend class ChoiceMachine;
  friend class FreeSteps;
  friend class ObjectMachine;

  Merger& merger_;
  const JsonSchemaOptions& options_;
  const Limits& limits_;
  GrammarBuilder builder_;
  Layout layout_;
  std::shared_ptr<AutomatonMemo> memo_;
  std::string memo_suffix_;     ///< Of keys: the excluded texts.
  CodePointDfaPtr unexcluded_;  ///< Texts without any excluded one; null if all are.
  bool has_excluded_ = false;   ///< An excluded text had to be left out.
  std::unordered_map<int64_t, ExprId> locations_;              ///< By location and depth.
  std::unordered_map<std::string, ExprId> containers_;         ///< By spec and depth.
  std::unordered_map<std::string, int32_t> indent_levels_;     ///< Depths at which a spec occurs.
  std::unordered_map<std::string, ExprId> lexemes_;            ///< By hint and body.
  std::unordered_map<std::string, ExprId> closed_;             ///< Additional keys by closed names.
  std::unordered_map<const CodePointDfa*, ExprId> cell_keys_;  ///< Kept alive by the merger.
  std::unordered_map<const CodePointDfa*, LateAutomatonPtr> spelled_;  ///< By what they spell.
  std::unordered_map<std::string, ExprId> numbers_;
  std::unordered_map<std::string, ExprId> strings_;
  std::unordered_map<ExprId, ExprId> member_tails_;  ///< Rules of ChoiceMachine by their bodies.
  std::deque<PendingContainer> queue_;
  std::deque<ArraySpec> const_arrays_;
  std::deque<ObjectSpec> const_objects_;
  ObjectSpec any_object_;
  ExprId free_string_ = kNoExpr;                              ///< Used if there are excluded texts.
  std::array<ExprId, 2> regex_formats_ = {kNoExpr, kNoExpr};  ///< Not empty; any.
  ExprId free_value_ = kNoExpr;
  ExprId free_object_ = kNoExpr;
  ExprId free_array_ = kNoExpr;
};

}  // namespace xgrammar::json_schema
