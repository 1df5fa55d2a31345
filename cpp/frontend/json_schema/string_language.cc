// Products of code point automata for string constraints; every pattern, format and product is made
// once.
//
// Results are kept by the text of the pattern or the addresses of the operands, which the entries
// keep alive. All products are bounded by Limits::max_dfa_states; a length is left out of a product
// where it can be counted instead.
#include "frontend/json_schema/string_language.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "frontend/json_schema/string_formats.h"
#include "frontend/regex/regex.h"
#include "support/error.h"

namespace xgrammar::json_schema {

namespace {

constexpr size_t kMaxKeptStates = 1 << 18;  // Of products; so many take some 10 MB.

CodePointDfaPtr Share(CodePointDfa dfa) {
  return std::make_shared<const CodePointDfa>(std::move(dfa));
}

}  // namespace

CodePointDfaPtr StringLanguage::Pattern(std::string_view pattern, JsonId schema,
                                        std::string_view keyword, bool ignores_length) {
  std::string key(1, ignores_length ? 'l' : 'p');
  key += pattern;
  const auto found = automata_.find(key);
  if (found != automata_.end()) return found->second;
  RegexOptions options = PatternOptions();
  options.ignores_length = ignores_length;
  try {
    return automata_.emplace(std::move(key), Share(RegexToDfa(pattern, options, reader_.limits())))
        .first->second;
  } catch (const Error& cause) {
    if (cause.kind() == ErrorKind::kBudget) throw;
    const ErrorKind kind =
        cause.kind() == ErrorKind::kGrammarSyntax ? ErrorKind::kJsonSchema : cause.kind();
    Error error =
        reader_.MakeError(kind, schema, keyword,
                          "The regular expression '" + QuoteForMessage(pattern) + "' in '" +
                              std::string(keyword) + "' cannot be used: " + cause.message());
    if (kind == ErrorKind::kLimit)
      error.Limit(cause.limit_name(), cause.limit_value(), cause.limit_maximum());
    if (!cause.hint().empty()) error.Hint(cause.hint());
    throw error;
  }
}

bool StringLanguage::IsDropped(const Schema& schema, std::string* reason) {
  if (!is_lenient_) return false;
  try {
    PatternWithoutLength(reader_.document().text(schema.pattern), schema.id);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kUnsupported) throw;
    if (reason) *reason = error.message();
    return true;
  }
  return false;
}

CodePointDfaPtr StringLanguage::Format(std::string_view name, JsonId schema) {
  std::string key(1, 'f');
  key += name;
  const auto found = automata_.find(key);
  if (found != automata_.end()) return found->second;
  CodePointDfaPtr dfa;
  switch (FormatKindOf(name)) {
    case FormatKind::kUnknown:
      break;
    case FormatKind::kUnsupported:
      throw reader_.MakeError(
          ErrorKind::kUnsupported, schema, "format",
          "The format '" + QuoteForMessage(name) + "' of keyword 'format' cannot be enforced");
    case FormatKind::kRegular:
    case FormatKind::kSubset:
      dfa = AutomataOfFormat(name).decoded;
      break;
  }
  return automata_.emplace(std::move(key), std::move(dfa)).first->second;
}

CodePointDfaPtr StringLanguage::Atom(const StringAtom& atom) {
  const std::string_view text = reader_.document().text(atom.text);
  if (atom.negated && IsSubset(atom)) return ComplementOf(CoverOfFormat(text));
  CodePointDfaPtr dfa =
      atom.is_format ? Format(text, atom.schema) : PatternWithoutLength(text, atom.schema);
  return dfa && atom.negated ? ComplementOf(dfa) : dfa;
}

bool StringLanguage::IsSubset(const StringAtom& atom) const {
  return atom.is_format && FormatKindOf(reader_.document().text(atom.text)) == FormatKind::kSubset;
}

bool StringLanguage::IsSubset(const StringConstraint& constraint) const {
  return std::any_of(constraint.atoms.begin(), constraint.atoms.end(),
                     [&](const StringAtom& atom) { return IsSubset(atom); });
}

CodePointDfaPtr StringLanguage::Cover(const StringConstraint& constraint, JsonId schema) {
  StringConstraint exact = constraint;
  std::erase_if(exact.atoms, [&](const StringAtom& atom) { return IsSubset(atom); });
  CodePointDfaPtr result = Constraint(exact, schema);
  for (const StringAtom& atom : constraint.atoms) {
    if (!IsSubset(atom) || atom.negated) continue;
    const CodePointDfaPtr cover = CoverOfFormat(reader_.document().text(atom.text));
    result = result ? Intersection(result, cover) : cover;
  }
  return result;
}

// Small factors first, so that the large ones meet what they leave. Complements come last: they are
// what branches of one location differ in, and all before them is kept.
CodePointDfaPtr StringLanguage::WithoutLength(const StringConstraint& constraint, JsonId) {
  std::vector<CodePointDfaPtr> factors;
  std::vector<CodePointDfaPtr> complements;
  for (const StringAtom& atom : constraint.atoms) {
    CodePointDfaPtr dfa = Atom(atom);
    if (dfa) (atom.negated ? complements : factors).push_back(std::move(dfa));
  }
  const std::vector<CodePointDfaPtr> as_written = factors;
  std::ranges::stable_sort(factors, {}, [](const auto& dfa) { return dfa->states().size(); });
  if (!constraint.excluded.empty()) complements.push_back(AllBut(constraint.excluded));
  try {
    return ProductOf(factors, complements);
  } catch (const Error& cause) {
    if (cause.kind() != ErrorKind::kLimit || factors == as_written) throw;
    return ProductOf(as_written, complements);
  }
}

// Null for no factors.
CodePointDfaPtr StringLanguage::ProductOf(const std::vector<CodePointDfaPtr>& factors,
                                          const std::vector<CodePointDfaPtr>& more) {
  CodePointDfaPtr result;
  for (const auto* list : {&factors, &more}) {
    for (const CodePointDfaPtr& dfa : *list) {
      if (result && result->IsEmpty()) return result;
      result = result ? Intersection(result, dfa) : dfa;
    }
  }
  return result;
}

CodePointDfaPtr StringLanguage::Constraint(const StringConstraint& constraint, JsonId schema) {
  CodePointDfaPtr result = WithoutLength(constraint, schema);
  if (constraint.length.IsTrivial()) return result;
  try {
    const CodePointDfaPtr length = Share(
        LengthRange(constraint.length.min, constraint.length.max, reader_.limits().max_dfa_states));
    return result ? Intersection(result, length) : length;
  } catch (const Error& cause) {
    if (cause.kind() != ErrorKind::kLimit) throw;
    Error error = reader_.MakeError(
        ErrorKind::kLimit, schema, constraint.length.HasMax() ? "maxLength" : "minLength",
        "The length bounds together with 'pattern' or 'format' need too many states");
    error.Limit(cause.limit_name(), cause.limit_value(), cause.limit_maximum());
    error.Hint(cause.hint());
    throw error;
  }
}

CodePointDfaPtr StringLanguage::Intersection(const CodePointDfaPtr& a, const CodePointDfaPtr& b) {
  // Branches of one location have most of their factors in common.
  const auto found = products_.find({a.get(), b.get()});
  if (found != products_.end()) return found->second.result;
  CodePointDfaPtr result = Share(Intersect(*a, *b, reader_.limits().max_dfa_states));
  num_kept_states_ += result->states().size();
  if (num_kept_states_ <= kMaxKeptStates)
    products_.emplace(std::pair(a.get(), b.get()), Product{a, b, result});
  return result;
}

CodePointDfaPtr StringLanguage::Difference(const CodePointDfaPtr& a, const CodePointDfaPtr& b) {
  return Intersection(a, ComplementOf(b));
}

CodePointDfaPtr StringLanguage::AllBut(const std::vector<std::string_view>& texts) {
  std::string key(1, 't');
  for (const std::string_view text : texts)
    key.append(std::to_string(text.size())).append(":").append(text);
  CodePointDfaPtr& known = automata_[key];
  if (!known) known = Share(Complement(FromStrings(texts)));
  return known;
}

CodePointDfaPtr StringLanguage::ComplementOf(const CodePointDfaPtr& dfa) {
  const auto found = complements_.find(dfa.get());
  if (found != complements_.end()) return found->second;
  CodePointDfaPtr complement = Share(Complement(*dfa));
  complements_.emplace(dfa.get(), complement);
  // The key is an address: keep the automaton alive as long as the entry.
  automata_.emplace(std::string(1, 'c').append(std::to_string(automata_.size())), dfa);
  return complement;
}

}  // namespace xgrammar::json_schema
