// Rules of the format `regex`, right-linear but for the groups: a rule reads terms up to the next
// class or group, that, a quantifier if there is one, and goes on with itself. So a long pattern
// is a loop, and the bytes alone tell what comes next.
//
// Depth, look-around and the one named group are as in regex_groups.cc. Behind a name of one letter
// three automata of plain terms say where the letter is remembered: up to a reference, and until
// something else is read.
#include "frontend/json_schema/regex_rules.h"

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "frontend/json_schema/regex_class.h"
#include "frontend/json_schema/regex_quantifier.h"
#include "frontend/json_schema/regex_terms.h"
#include "frontend/json_schema/string_spelling.h"
#include "support/fork_safety.h"
#include "support/work_meter.h"

namespace xgrammar::json_schema {

namespace {

constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyz";

CodePointDfaPtr Share(CodePointDfa dfa) {
  return std::make_shared<const CodePointDfa>(std::move(dfa));
}

CodePointDfa NotEmpty(const CodePointDfa& dfa) {
  constexpr int64_t kMaxStates = 100'000;
  return Intersect(dfa, LengthRange(1, kUnbounded, kMaxStates), kMaxStates);
}

CodePointDfa Spelled(const std::string& regex) { return SpellCanonically(RegexPart(regex)); }

// A quantifier without braces.
constexpr const char* kSignRegex = "[*+?][?]?";

// Plain terms: characters, short escapes and quantifiers of one sign, assertions.
std::string PlainAtomRegex() {
  return "(?:[^\\^$\\\\.*+?()\\[\\]{}|]|\\.|\\\\(?:" + RegexShortEscapes() + "))";
}
std::string PlainTermsRegex() {
  return "(?:" + PlainAtomRegex() + "(?:" + kSignRegex + ")?|[\\^$|]|\\\\[bB])*";
}

// Names of more than one character, and of one that is no lower-case letter.
CodePointDfa LongNames() {
  constexpr int32_t kLong = 1;
  constexpr int32_t kLetter = 2;
  std::vector<CodePointDfa::State> states(3);
  const CodePointDfa first = RegexPart("[$_\\p{ID_Start}]");
  for (const CodePointEdge& edge : first.states()[0].edges) {
    // No range goes on behind a letter.
    const bool is_letter = edge.lo == uint32_t{'a'} && edge.hi == uint32_t{'z'};
    states[0].edges.push_back({edge.lo, edge.hi, is_letter ? kLetter : kLong});
  }
  const CodePointDfa further = RegexPart("[$\\u200C\\u200D\\p{ID_Continue}]");
  for (const CodePointEdge& edge : further.states()[0].edges) {
    states[kLong].edges.push_back({edge.lo, edge.hi, kLong});
    states[kLetter].edges.push_back({edge.lo, edge.hi, kLong});
  }
  states[kLong].accept = true;
  return CodePointDfa(states);
}

// Made when a parse comes to it. `size`: of its states and edges at most.
LateAutomatonPtr Later(CodePointDfa (*make)(), bool accepts_empty, int64_t size) {
  return std::make_shared<const LateAutomaton>(
      LateAutomaton::Source{[make] {
                              const WorkPause pause;  // A constant is on nobody's account.
                              return Share(make());
                            },
                            {},
                            {}},
      accepts_empty, size);
}

// What the rules are put together from, in its canonical spelling in a JSON string.
struct Parts {
  CodePointDfaPtr terms = Share(SpellCanonically(RegexTerms(false)));  ///< Without classes.
  CodePointDfaPtr some_terms = Share(NotEmpty(*terms));
  CodePointDfaPtr quantifier = Share(RegexQuantifier());
  CodePointDfaPtr braces = Share(RegexQuantifierRest());  ///< After `{`.
  CodePointDfaPtr sign = Share(RegexPart(kSignRegex));    ///< A plain quantifier.
  LateAutomatonPtr classes = Later([] { return SpelledRegexClass(); }, false, 100'000);
  LateAutomatonPtr long_names = Later([] { return LongNames(); }, false, 4'000);
  LateAutomatonPtr long_escapes =  ///< After the backslash.
      Later([] { return RegexPart(RegexLongEscapes()); }, false, 1'000);
  /// Any number of plain terms; the last one an atom; a backslash behind them.
  LateAutomatonPtr plain = Later([] { return Spelled(PlainTermsRegex()); }, true, 2'000);
  LateAutomatonPtr plain_to_atom =
      Later([] { return Spelled(PlainTermsRegex() + PlainAtomRegex()); }, false, 2'000);
  LateAutomatonPtr plain_to_escape =
      Later([] { return Spelled(PlainTermsRegex() + "\\\\"); }, false, 2'000);
};

const Parts& SharedParts() {
  const ForkSection made_whole;
  const WorkPause pause;
  static const Parts parts;
  return parts;
}

class RegexRules {
 public:
  explicit RegexRules(GrammarBuilder* builder) : b_(*builder), parts_(SharedParts()) {}

  ExprId Write(bool may_be_empty) {
    // Inside of look-around, of the deepest groups and of the named group nothing nests.
    flat_ = AddRule("regex_flat");
    SetTerms(flat_, Atom(classes_, flat_));
    // Of three levels of groups, the last one is flat.
    const RuleId deep = AddRule("regex_group");
    SetTerms(deep, Atom(b_.AddChoices({classes_, Group(flat_)}), deep));
    const RuleId group = AddRule("regex_group");
    SetTerms(group, Atom(b_.AddChoices({classes_, Group(deep)}), group));
    behind_ = AddRule("regex_behind");
    SetTerms(behind_, Atom(b_.AddChoices({classes_, Group(flat_)}), behind_));
    const RuleId whole = AddRule("regex");
    const ExprId looks =
        b_.AddSequence({b_.AddChoices({Text("(?="), Text("(?!"), Text("(?<="), Text("(?<!")}),
                        Ref(flat_), close_, Ref(whole)});
    const ExprId more = b_.AddChoices({Atom(b_.AddChoices({classes_, Group(group)}), whole), looks,
                                       b_.AddSequence({Text("(?<"), Named()})});
    SetTerms(whole, more);
    if (may_be_empty) return Ref(whole);
    const ExprId some_terms = b_.AddAutomaton(parts_.some_terms);
    return b_.AddChoices({b_.AddSequence({some_terms, b_.AddOptional(more)}), more});
  }

 private:
  ExprId Text(std::string_view text) { return b_.AddByteString(text); }
  ExprId Ref(RuleId rule) { return b_.AddRuleRef(rule); }
  RuleId AddRule(std::string_view hint) {
    return b_.AddRule(b_.UnusedName(hint), RuleKind::kStructure);
  }
  RuleId AddRule(std::string_view hint, ExprId body) {
    return b_.AddRuleWithHint(hint, body, RuleKind::kStructure);
  }

  /// A rule of terms, in which `more` may follow at last.
  void SetTerms(RuleId rule, ExprId more) {
    b_.SetBody(rule, b_.AddSequence({terms_, b_.AddOptional(more)}));
  }
  /// A class or group, and how the rule goes on behind it.
  ExprId Atom(ExprId atom, RuleId rule) {
    return b_.AddSequence({atom, b_.AddOptional(quantifier_), Ref(rule)});
  }
  ExprId Group(RuleId inside) {
    return b_.AddSequence({b_.AddChoices({Text("("), Text("(?:")}), Ref(inside), close_});
  }

  // The one named group behind `(?<`, and all that follows.
  ExprId Named() {
    const ExprId long_name = b_.AddSequence({b_.AddLateAutomaton(parts_.long_names), Text(">"),
                                             Ref(flat_), close_, Atom(b_.AddEmpty(), behind_)});
    std::vector<ExprId> names = {long_name};
    // Where the letter is forgotten, inside of the group and behind it.
    const ExprId inside =
        AddForgetting(classes_, b_.AddSequence({Ref(flat_), close_, Atom(b_.AddEmpty(), behind_)}));
    const ExprId behind = AddForgetting(b_.AddChoices({classes_, Group(flat_)}), Ref(behind_));
    for (const char letter : kLetters) names.push_back(NamedBy(letter, inside, behind));
    return b_.AddChoices(names);
  }

  // Plain terms, and a term that is not plain, behind which the letter is not known any more.
  ExprId AddForgetting(ExprId class_or_group, ExprId rest) {
    const ExprId by_braces = b_.AddSequence({to_atom_, Text("{"), braces_});
    const ExprId by_atom = b_.AddSequence(
        {b_.AddChoices({b_.AddSequence({plain_, class_or_group}),
                        b_.AddSequence({to_escape_, b_.AddLateAutomaton(parts_.long_escapes)})}),
         b_.AddOptional(quantifier_)});
    return Ref(
        AddRule("regex_forgetting", b_.AddSequence({b_.AddChoices({by_braces, by_atom}), rest})));
  }

  ExprId NamedBy(char letter, ExprId forgets_inside, ExprId forgets_behind) {
    const std::string name(1, letter);
    const ExprId reference = b_.AddSequence({to_escape_, Text("k<" + name + ">")});
    const RuleId inside = AddRule("regex_inside_" + name);
    const RuleId behind = AddRule("regex_behind_" + name);
    // What follows an atom: braces are no plain quantifier.
    const auto go_on = [&](RuleId plain, ExprId rest) {
      return b_.AddChoices({b_.AddSequence({Text("{"), braces_, rest}),
                            b_.AddSequence({b_.AddOptional(sign_), Ref(plain)})});
    };
    const ExprId rest_inside = b_.AddSequence({Ref(flat_), close_, Atom(b_.AddEmpty(), behind_)});
    b_.SetBody(behind,
               b_.AddChoices({plain_, b_.AddSequence({reference, go_on(behind, Ref(behind_))}),
                              forgets_behind}));
    b_.SetBody(inside, b_.AddChoices({b_.AddSequence({plain_, close_, go_on(behind, Ref(behind_))}),
                                      b_.AddSequence({reference, go_on(inside, rest_inside)}),
                                      forgets_inside}));
    return b_.AddSequence({Text(name + ">"), Ref(inside)});
  }

  GrammarBuilder& b_;
  const Parts& parts_;
  const ExprId terms_ = b_.AddAutomaton(parts_.terms);
  const ExprId quantifier_ = b_.AddAutomaton(parts_.quantifier);
  const ExprId braces_ = b_.AddAutomaton(parts_.braces);
  const ExprId sign_ = b_.AddAutomaton(parts_.sign);
  const ExprId classes_ = b_.AddLateAutomaton(parts_.classes);
  const ExprId plain_ = b_.AddLateAutomaton(parts_.plain);
  const ExprId to_atom_ = b_.AddLateAutomaton(parts_.plain_to_atom);
  const ExprId to_escape_ = b_.AddLateAutomaton(parts_.plain_to_escape);
  const ExprId close_ = b_.AddByteString(")");
  RuleId flat_ = -1;
  RuleId behind_ = -1;  ///< Behind the named group.
};

}  // namespace

ExprId AddRegexFormat(GrammarBuilder* builder, bool may_be_empty) {
  return RegexRules(builder).Write(may_be_empty);
}

}  // namespace xgrammar::json_schema
