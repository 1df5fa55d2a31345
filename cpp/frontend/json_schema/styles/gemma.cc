// Strings of Gemma 4 between their markers, and its bare keys.
//
// Everything else is JSON and comes from the base converter. Raw text has no escapes: a declared
// key that contains the marker cannot be read back, so it is left out. A colon ends a bare key for
// a reader, so keys of a pattern go without those that would hide further members.
#include "frontend/json_schema/styles/gemma.h"

#include <algorithm>
#include <memory>
#include <utility>

namespace xgrammar::json_schema {

namespace {

constexpr std::string_view kDelimiter = "<|\"|>";

// Texts without a comma after a colon: read from its first colon on, `a:1,b` is two members.
CodePointDfa KeysOfOneMember() {
  std::vector<CodePointDfa::State> states(2);
  const auto add = [&](size_t from, const CodePointSet& characters, int32_t to) {
    for (const CodePointRange& range : characters.ranges())
      states[from].edges.push_back({range.lo, range.hi, to});
  };
  add(0, CodePointSet::Single(':').Complement(), 0);
  states[0].edges.push_back({':', ':', 1});
  std::ranges::sort(states[0].edges, {}, &CodePointEdge::lo);
  add(1, CodePointSet::Single(',').Complement(), 1);
  states[0].accept = states[1].accept = true;
  return CodePointDfa(std::move(states));
}

}  // namespace

GemmaStyle::GemmaStyle(Merger* merger, const JsonSchemaOptions& schema_options,
                       const Limits& schema_limits)
    : RawStringStyle(merger, schema_options, schema_limits, {kDelimiter, kDelimiter, true, true}) {}

// The markers are literals beside the lexeme, so that their token can stand for them.
ExprId GemmaStyle::Placed(InstanceType type, bool, ExprId value, Depth) {
  if (type != InstanceType::kString) return value;
  const ExprId delimiter = builder().AddByteString(kDelimiter);
  return builder().AddSequence({delimiter, ClosedString(value, false, kDelimiter)});
}

ExprId GemmaStyle::DeclaredKey(std::string_view name, Depth depth) {
  const bool is_readable = name.find(kDelimiter) == std::string_view::npos;
  return is_readable ? RawStringStyle::DeclaredKey(name, depth) : Excluded();
}

CodePointDfaPtr GemmaStyle::SpellKeys(const CodePointDfaPtr& names) const {
  CodePointDfa readable = Intersect(*names, KeysOfOneMember(), limits().max_dfa_states);
  // What the schema asks for in this form only stays.
  return readable.IsEmpty() ? names : std::make_shared<const CodePointDfa>(std::move(readable));
}

}  // namespace xgrammar::json_schema
