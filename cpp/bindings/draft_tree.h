// Masks along a tree of draft tokens, from Python arrays.
//
// Used by bind_grammar_matcher.cc alone. The tree is three vectors of integers: first child, next
// sibling and token of each node. Arguments are checked here, links by the walk itself.
#pragma once

#include <nanobind/nanobind.h>

#include <optional>

#include "bindings/handles.h"

namespace xgrammar::bindings {

/// Fills one row for each node that is reached by accepted tokens; see GrammarMatcher in C++ for
/// the walk. `temperatures` (float32, or None) gets `default_temperature` or -1 for every node.
/// Raises kUsage for wrong dtypes, shapes or links.
bool TraverseDraftTree(MatcherHandle& self, nb::handle retrieve_next_token,
                       nb::handle retrieve_next_sibling, nb::handle draft_tokens,
                       nb::handle token_bitmask, double time_threshold, nb::handle temperatures,
                       std::optional<double> default_temperature);

}  // namespace xgrammar::bindings
