// The checks common to all fuzz targets: errors, then printing and reading back.
//
// A rule that is broken is named on stderr before the process ends, so that a crash file can be
// judged without a debugger. Printing is bounded, because shared expressions unfold.
#include "fuzz/guard.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "frontend/ebnf/parser.h"
#include "fuzz/same_grammar.h"
#include "grammar/printer.h"
#include "support/error.h"
#include "support/utf8.h"

namespace xgrammar::fuzz {

namespace {

// A shared expression is printed once for each use; texts past this size test no further rule.
constexpr size_t kMaxPrintedBytes = 1 << 20;

int64_t CountLines(std::string_view text) {
  // `\r\n` and `\r` end lines, too; this is an upper bound.
  return 1 + std::count_if(text.begin(), text.end(), [](char c) { return c == '\n' || c == '\r'; });
}

void CheckError(const Error& error, std::string_view text) {
  const std::string_view message = error.what();
  if (message.empty() || !IsValidUtf8(message)) Fail("errors are decodable text", message);
  if (error.kind() == ErrorKind::kInternal) Fail("no invariant breaks", message);
  if (error.has_pointer()) return;  // Then the place is one in a text within the document.
  if (error.line() < 0 || error.line() > CountLines(text)) Fail("lines exist", message);
  if (error.column() < 0 || error.column() > CountCodePoints(text) + 1) {
    Fail("columns exist", message);
  }
}

void CheckRoundTrip(const Grammar& grammar) {
  std::string printed;
  try {
    printed = GrammarToString(grammar);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kLimit) Fail("every grammar can be printed", error.what());
    return;
  }
  if (printed.size() > kMaxPrintedBytes) return;
  try {
    const GrammarPtr again = ParseEbnf(printed);
    if (GrammarToString(*again) != printed) Fail("printing is idempotent", printed);
    if (!SameGrammar(grammar, *again)) Fail("printing loses nothing", printed);
  } catch (const Error& error) {
    Fail("printed text is read back", printed + "\n" + error.what());
  }
}

}  // namespace

Limits SmallLimits() {
  Limits limits;
  limits.max_source_bytes = 1 << 16;
  limits.max_nesting = 200;
  limits.max_rules = 5000;
  limits.max_grammar_size = 20000;
  limits.max_dfa_states = 500;
  limits.max_schema_expansion = 500;
  return limits;
}

void Check(const uint8_t* data, size_t size,
           const std::function<GrammarPtr(std::string_view)>& read) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (!IsValidUtf8(text)) return;
  GrammarPtr grammar;
  try {
    grammar = read(text);
  } catch (const Error& error) {
    CheckError(error, text);
    return;
  }
  if (grammar != nullptr) CheckRoundTrip(*grammar);
}

void Fail(const char* rule, std::string_view details) {
  std::fprintf(stderr, "Broken rule: %s\n%.*s\n", rule, static_cast<int>(details.size()),
               details.data());
  std::abort();
}

}  // namespace xgrammar::fuzz
