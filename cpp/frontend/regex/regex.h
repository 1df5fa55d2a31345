// Regular expression front end: ECMA-262 with the `u` flag, with the tolerances of
// docs/reference/regex.md.
//
// One parser (parser.cc) makes a syntax tree (ast.h); lower.cc turns it into grammar expressions,
// to_automaton.cc into a code point automaton for the JSON Schema front end, which intersects it
// with other constraints.
#pragma once

#include <functional>
#include <string_view>

#include "automata/code_point_automaton.h"
#include "grammar/builder.h"
#include "grammar/grammar.h"
#include "support/limits.h"

namespace xgrammar {

struct RegexOptions {
  enum class Dot : uint8_t {
    kAny,         ///< Any code point (from_regex, the Regex macro without flags).
    kNotLineEnd,  ///< Not U+000A, U+000D, U+2028, U+2029 (ECMA-262; JSON Schema patterns).
    kNotNewline,  ///< Not U+000A (the Regex macro with flags, Lark).
  };
  enum class Match : uint8_t {
    kFull,    ///< The whole text matches, as if wrapped in ^(?:...)$.
    kSearch,  ///< Some part of the text matches, as JSON Schema's `pattern`.
  };
  Dot dot = Dot::kAny;
  Match match = Match::kFull;
  bool ignore_case = false;  ///< ASCII letters only.
  /// Whether look-behind is read; JSON Schema patterns refuse it (note 0007).
  bool takes_lookbehind = true;
  /// `\A`, `\z` and `\Z`, which ECMA-262 does not have; JSON Schema patterns refuse them.
  bool takes_letter_anchors = true;
  /// `(?=a)*`, which ECMA-262 has without the `u` flag (Annex B).
  bool repeats_lookahead = true;
  /// The bounds that LengthOfRegex returns are left out.
  bool ignores_length = false;
};

/// How many characters a text has.
struct RegexLength {
  int64_t min = 0;
  int64_t max = -1;  ///< -1 for any number.
};

/// The bounds that look-aheads at the start of a pattern put on the whole text, as
/// `^(?=.{1,255}$)` does; none for a pattern that is not well-formed.
RegexLength LengthOfRegex(std::string_view pattern, const RegexOptions& options,
                          const Limits& limits = {});

/// The grammar of `Grammar.from_regex`: full match. Raises kGrammarSyntax with a position (1-based,
/// code points), kUnsupported for back-references and the like, kUnsatisfiable if no
/// text matches, kLimit.
GrammarPtr RegexToGrammar(std::string_view pattern, const RegexOptions& options = {},
                          const Limits& limits = {});

/// Adds the expression of a pattern to a grammar under construction (the EBNF `Regex` macro).
/// Errors as above.
ExprId RegexToExpr(std::string_view pattern, const RegexOptions& options, GrammarBuilder* builder,
                   const Limits& limits = {});

/// What stands for one character of a set.
using CharacterSpeller = std::function<ExprId(const CodePointSet&)>;

/// The same for texts that are written in other characters. kNoExpr for look-around and for anchors
/// that take an automaton, and if no text matches.
ExprId RegexToSpelledExpr(std::string_view pattern, const RegexOptions& options,
                          const CharacterSpeller& spell, GrammarBuilder* builder,
                          const Limits& limits = {});

/// The language of a pattern as a minimal automaton over decoded characters. Anchors mean what
/// ECMA-262 says wherever they stand. Errors as above, but an empty language is returned, not
/// raised; kLimit past Limits::max_dfa_states.
CodePointDfa RegexToDfa(std::string_view pattern, const RegexOptions& options,
                        const Limits& limits = {});

}  // namespace xgrammar
