// RegexToGrammar, RegexToExpr: syntax tree -> grammar expressions.
//
// Counted repetitions stay repetitions, so a{0,1000000} costs one node. Anchors are resolved by
// where they stand: a top-down pass finds for each node whether the text certainly starts (ends)
// there, certainly does not, or may. An anchor becomes the empty string, nothing, or, in the third
// case, the whole pattern becomes an automaton, as it does for look-around and word boundaries.
#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "frontend/regex/parser.h"
#include "frontend/regex/regex_automaton.h"
#include "support/error.h"
#include "support/utf8.h"

namespace xgrammar {

namespace {

/// Whether a node's place is the edge of the text.
enum class AtEdge : uint8_t { kNever, kMaybe, kAlways };

struct Place {
  bool used = false;
  AtEdge start = AtEdge::kNever;
  AtEdge end = AtEdge::kNever;
};

/// The edge of a part that has other parts between it and its parent's edge.
AtEdge Behind(AtEdge parent, int64_t min_between, int64_t max_between) {
  if (parent == AtEdge::kNever || min_between > 0) return AtEdge::kNever;
  return max_between == 0 ? parent : AtEdge::kMaybe;
}

class Lowering {
 public:
  /// `spell`: writes characters; null for characters as they are.
  Lowering(const RegexAst& ast, const RegexFacts& facts, const CharacterSpeller* spell,
           GrammarBuilder* builder)
      : ast_(ast),
        facts_(facts),
        spell_(spell),
        builder_(*builder),
        places_(static_cast<size_t>(ast.size())) {}

  /// No value if some anchor cannot be resolved by its place.
  std::optional<ExprId> Run() {
    if (facts_.has_lookaround || !FindPlaces()) return std::nullopt;
    FindWhatMatchesNothing();
    const auto root = static_cast<size_t>(ast_.root());
    if (nothing_[root]) return builder_.AddNothing();
    exprs_.assign(places_.size(), kNoExpr);
    for (RegexNodeId id = 0; id < ast_.size(); ++id) {
      const auto index = static_cast<size_t>(id);
      if (places_[index].used && !nothing_[index]) exprs_[index] = Lower(id);
    }
    return ExprOf(ast_.root());
  }

 private:
  const Place& PlaceOf(RegexNodeId id) const { return places_[static_cast<size_t>(id)]; }
  bool IsNothing(RegexNodeId id) const { return nothing_[static_cast<size_t>(id)] != 0; }

  bool FindPlaces() {
    places_[static_cast<size_t>(ast_.root())] = {true, AtEdge::kAlways, AtEdge::kAlways};
    for (RegexNodeId id = ast_.size() - 1; id >= 0; --id) {
      if (PlaceOf(id).used && !PlaceChildren(id)) return false;
    }
    return true;
  }

  bool PlaceChildren(RegexNodeId id) {
    const Place place = PlaceOf(id);
    switch (ast_.kind(id)) {
      case RegexNodeKind::kTextStart:
        return place.start != AtEdge::kMaybe;
      case RegexNodeKind::kTextEnd:
        return place.end != AtEdge::kMaybe;
      case RegexNodeKind::kChoice:
        for (RegexNodeId part : ast_.children(id)) places_[static_cast<size_t>(part)] = place;
        return true;
      case RegexNodeKind::kSequence:
        PlaceSequence(id, place);
        return true;
      case RegexNodeKind::kRepeat:
        PlaceRepeat(id, place);
        return true;
      default:
        return true;
    }
  }

  void PlaceSequence(RegexNodeId id, const Place& place) {
    const std::span<const RegexNodeId> parts = ast_.children(id);
    const auto add = [](int64_t* sum, int64_t length) {
      *sum = std::min(*sum + length, RegexFacts::kHuge);
    };
    int64_t min = 0;
    int64_t max = 0;
    for (RegexNodeId part : parts) {
      const auto index = static_cast<size_t>(part);
      places_[index].used = true;
      places_[index].start = Behind(place.start, min, max);
      add(&min, facts_.min_length[index]);
      add(&max, facts_.max_length[index]);
    }
    min = max = 0;
    for (size_t i = parts.size(); i-- > 0;) {
      const auto index = static_cast<size_t>(parts[i]);
      places_[index].end = Behind(place.end, min, max);
      add(&min, facts_.min_length[index]);
      add(&max, facts_.max_length[index]);
    }
  }

  void PlaceRepeat(RegexNodeId id, Place place) {
    const RegexNodeId child = ast_.child(id);
    // The copies of the body stand between a copy and the edge.
    if (ast_.repeat_max(id) != 1) {
      const int64_t max_between = facts_.max_length[static_cast<size_t>(child)];
      place.start = Behind(place.start, 0, max_between);
      place.end = Behind(place.end, 0, max_between);
    }
    places_[static_cast<size_t>(child)] = place;
  }

  void FindWhatMatchesNothing() {
    nothing_.assign(places_.size(), 0);
    for (RegexNodeId id = 0; id < ast_.size(); ++id) {
      if (PlaceOf(id).used && MatchesNothing(id)) nothing_[static_cast<size_t>(id)] = 1;
    }
  }

  bool MatchesNothing(RegexNodeId id) const {
    const auto is_nothing = [this](RegexNodeId part) { return IsNothing(part); };
    switch (ast_.kind(id)) {
      case RegexNodeKind::kClass:
        return ast_.set(id).empty();
      case RegexNodeKind::kTextStart:
        return PlaceOf(id).start == AtEdge::kNever;
      case RegexNodeKind::kTextEnd:
        return PlaceOf(id).end == AtEdge::kNever;
      case RegexNodeKind::kSequence:
        return std::ranges::any_of(ast_.children(id), is_nothing);
      case RegexNodeKind::kChoice:
        return std::ranges::all_of(ast_.children(id), is_nothing);
      case RegexNodeKind::kRepeat:
        return ast_.repeat_min(id) > 0 && IsNothing(ast_.child(id));
      default:
        return false;
    }
  }

  ExprId Lower(RegexNodeId id) {
    switch (ast_.kind(id)) {
      case RegexNodeKind::kChar:
        // Characters of a sequence become one literal; made there, they are not made here.
        return kNoExpr;
      case RegexNodeKind::kClass:
        return spell_ != nullptr ? (*spell_)(ast_.set(id)) : builder_.AddCharClass(ast_.set(id));
      case RegexNodeKind::kSequence:
        return LowerSequence(id);
      case RegexNodeKind::kChoice:
        return LowerChoice(id);
      case RegexNodeKind::kRepeat:
        if (IsNothing(ast_.child(id))) return builder_.AddEmpty();
        return builder_.AddRepeat(ExprOf(ast_.child(id)), ast_.repeat_min(id), ast_.repeat_max(id));
      default:
        return builder_.AddEmpty();
    }
  }

  ExprId ExprOf(RegexNodeId id) {
    if (ast_.kind(id) != RegexNodeKind::kChar) return exprs_[static_cast<size_t>(id)];
    if (spell_ != nullptr) return (*spell_)(CodePointSet::Single(ast_.code_point(id)));
    std::string literal;
    AppendUtf8(ast_.code_point(id), &literal);
    return builder_.AddByteString(literal);
  }

  ExprId LowerSequence(RegexNodeId id) {
    std::vector<ExprId> parts;
    std::string literal;
    const auto flush = [&] {
      if (literal.empty()) return;
      parts.push_back(builder_.AddByteString(literal));
      literal.clear();
    };
    for (RegexNodeId part : ast_.children(id)) {
      if (ast_.kind(part) == RegexNodeKind::kChar && spell_ == nullptr) {
        AppendUtf8(ast_.code_point(part), &literal);
      } else {
        flush();
        parts.push_back(ExprOf(part));
      }
    }
    flush();
    return builder_.AddSequence(parts);
  }

  ExprId LowerChoice(RegexNodeId id) {
    std::vector<ExprId> alternatives;
    for (RegexNodeId part : ast_.children(id)) {
      if (!IsNothing(part)) alternatives.push_back(ExprOf(part));
    }
    return builder_.AddChoices(alternatives);
  }

  const RegexAst& ast_;
  const RegexFacts& facts_;
  const CharacterSpeller* const spell_;
  GrammarBuilder& builder_;
  std::vector<Place> places_;
  std::vector<uint8_t> nothing_;
  std::vector<ExprId> exprs_;
};

/// Lets any text stand before and after a match, except where an alternative itself begins with `^`
/// or ends with `$`.
void AllowTextAround(RegexAst* ast) {
  const auto any_text = [ast] { return ast->AddRepeat(ast->AddClass(CodePointSet::All()), 0, -1); };
  const RegexNodeId root = ast->root();
  std::vector<RegexNodeId> alternatives = {root};
  if (ast->kind(root) == RegexNodeKind::kChoice) {
    alternatives.assign(ast->children(root).begin(), ast->children(root).end());
  }
  for (RegexNodeId& alternative : alternatives) {
    std::vector<RegexNodeId> parts = {alternative};
    if (ast->kind(alternative) == RegexNodeKind::kSequence) {
      parts.assign(ast->children(alternative).begin(), ast->children(alternative).end());
    }
    const bool from_start = ast->kind(parts.front()) == RegexNodeKind::kTextStart;
    const bool to_end = ast->kind(parts.back()) == RegexNodeKind::kTextEnd;
    if (!from_start) parts.insert(parts.begin(), any_text());
    if (!to_end) parts.push_back(any_text());
    alternative = ast->AddSequence(parts);
  }
  ast->set_root(ast->AddChoice(alternatives));
}

bool IsNothingExpr(const GrammarBuilder& builder, ExprId expr) {
  return builder.view().kind(expr) == ExprKind::kCharClass && builder.view().ranges(expr).empty();
}

[[noreturn]] void ThrowMatchesNothing(std::string_view pattern) {
  Error error(ErrorKind::kUnsatisfiable,
              "Regex parsing error at position 1: the pattern matches no text: " +
                  QuoteForMessage(pattern));
  error.AtPosition(1).Feature("regex").Hint(
      "look for empty classes, anchors in the middle and contradicting assertions");
  throw error;
}

}  // namespace

ExprId RegexToExpr(std::string_view pattern, const RegexOptions& options, GrammarBuilder* builder,
                   const Limits& limits) {
  RegexAst ast = ParseRegex(pattern, options, limits);
  const bool search = options.match == RegexOptions::Match::kSearch;
  const RegexNodeId match_root = ast.root();
  if (search) AllowTextAround(&ast);
  const RegexFacts facts = AnalyzeRegex(ast);
  const std::optional<ExprId> expr = Lowering(ast, facts, nullptr, builder).Run();
  if (expr) {
    if (IsNothingExpr(*builder, *expr)) ThrowMatchesNothing(pattern);
    return *expr;
  }
  ast.set_root(match_root);
  CodePointDfa dfa = RegexAstToDfa(ast, facts, search, limits);
  if (dfa.IsEmpty()) ThrowMatchesNothing(pattern);
  return builder->AddAutomaton(std::make_shared<const CodePointDfa>(std::move(dfa)));
}

ExprId RegexToSpelledExpr(std::string_view pattern, const RegexOptions& options,
                          const CharacterSpeller& spell, GrammarBuilder* builder,
                          const Limits& limits) {
  RegexAst ast = ParseRegex(pattern, options, limits);
  if (options.match == RegexOptions::Match::kSearch) AllowTextAround(&ast);
  const std::optional<ExprId> expr = Lowering(ast, AnalyzeRegex(ast), &spell, builder).Run();
  return !expr || IsNothingExpr(*builder, *expr) ? kNoExpr : *expr;
}

GrammarPtr RegexToGrammar(std::string_view pattern, const RegexOptions& options,
                          const Limits& limits) {
  GrammarBuilder builder(limits);
  const RuleId root = builder.AddRule("root");
  builder.SetBody(root, RegexToExpr(pattern, options, &builder, limits));
  return builder.Build(root);
}

}  // namespace xgrammar
