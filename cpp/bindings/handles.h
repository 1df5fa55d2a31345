// What the Python classes of _core hold: shared pointers to the immutable C++ values, and a matcher
// with the flag that keeps two threads from using it at once.
//
// Also declares the Bind function of each file, which module.cc calls. A handle adds no meaning of
// its own; copying one copies a pointer.
#pragma once

#include <nanobind/nanobind.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "bindings/compile_control.h"
#include "compiler/compiled_grammar.h"
#include "compiler/grammar_compiler.h"
#include "frontend/json_schema/json_schema.h"
#include "grammar/grammar.h"
#include "matcher/batch.h"
#include "matcher/grammar_matcher.h"
#include "support/error.h"
#include "tokenizer/tokenizer_info.h"

namespace xgrammar::bindings {

namespace nb = nanobind;

struct GrammarHandle {
  GrammarPtr grammar;
  std::vector<JsonSchemaReportRecord> report;
};

struct TokenizerInfoHandle {
  TokenizerInfoPtr info;
};

struct CompiledGrammarHandle {
  CompiledGrammarPtr compiled;
};

struct CompilerHandle {
  CompilerHandle(TokenizerInfoPtr info, const CompilerOptions& options)
      : compiler(std::make_unique<GrammarCompiler>(std::move(info), options)) {}
  std::unique_ptr<GrammarCompiler> compiler;
};

/// A matcher and whether a call is using it. A matcher belongs to one thread at a time.
struct MatcherHandle {
  MatcherHandle(CompiledGrammarPtr compiled, const MatcherOptions& options)
      : matcher(std::move(compiled), options) {}
  explicit MatcherHandle(const GrammarMatcher& other) : matcher(other.Fork()) {}
  GrammarMatcher matcher;
  std::atomic<bool> busy{false};
};

/// Holds the flag of one matcher for the time of a call; raises kUsage if another call has it.
class MatcherGuard {
 public:
  explicit MatcherGuard(MatcherHandle* handle) : handle_(handle) {
    if (handle->busy.exchange(true, std::memory_order_acquire)) {
      throw Error(ErrorKind::kUsage, "The matcher is in use by another call")
          .Hint("give each thread a matcher of its own; fork() makes one");
    }
  }
  ~MatcherGuard() {
    if (handle_ != nullptr) handle_->busy.store(false, std::memory_order_release);
  }
  MatcherGuard(const MatcherGuard&) = delete;
  MatcherGuard& operator=(const MatcherGuard&) = delete;
  MatcherGuard(MatcherGuard&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  GrammarMatcher* operator->() const { return &handle_->matcher; }
  GrammarMatcher& operator*() const { return handle_->matcher; }

 private:
  MatcherHandle* handle_;
};

inline std::string_view ViewOf(const nb::bytes& bytes) {
  return {static_cast<const char*>(bytes.data()), bytes.size()};
}

/// Report records as a list of (pointer, keyword, reason, effect).
nb::list ReportToPython(const std::vector<JsonSchemaReportRecord>& report);
std::vector<JsonSchemaReportRecord> ReportFromPython(const nb::list& report);

void BindLimits(nb::module_& m);
void BindGrammar(nb::module_& m);
void BindTokenizerInfo(nb::module_& m);
void BindCompiledGrammar(nb::module_& m);
void BindGrammarCompiler(nb::module_& m);
void BindStructuralTag(nb::module_& m);
void BindLark(nb::module_& m);
void BindGrammarMatcher(nb::module_& m);
void BindBatchMatcher(nb::module_& m);
void BindBitmask(nb::module_& m);

}  // namespace xgrammar::bindings
