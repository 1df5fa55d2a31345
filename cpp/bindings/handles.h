// What the Python classes of _core hold: shared pointers to the immutable C++ values, and a matcher
// with the flag that keeps two threads from using it at once.
//
// Also declares the Bind function of each file, which module.cc calls. A handle adds no meaning of
// its own; copying one copies a pointer.
#pragma once

#include <nanobind/nanobind.h>

#include <array>
#include <atomic>
#include <cstddef>
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
///
/// The thread that starts the call of a batch writes to the head of the Python object, and other
/// threads to the matcher, step after step. They lie in different cache lines, or each step would
/// move all of them from core to core and back (0.2 us each on a processor of several dies).
struct MatcherHandle {
  MatcherHandle(CompiledGrammarPtr compiled, const MatcherOptions& options)
      : tokenizer(compiled->tokenizer_info().get()), matcher(std::move(compiled), options) {}
  explicit MatcherHandle(const GrammarMatcher& other)
      : tokenizer(other.compiled()->tokenizer_info().get()), matcher(other.Fork()) {}
  /// Takes the flag. With an interpreter lock, which is held wherever the flag is changed, that
  /// needs no instruction that locks the memory.
  bool TryTake() {
#ifdef Py_GIL_DISABLED
    return !busy.exchange(true, std::memory_order_acquire);
#else
    if (busy.load(std::memory_order_relaxed)) return false;
    busy.store(true, std::memory_order_relaxed);
    return true;
#endif
  }

  std::atomic<bool> busy{false};
  const TokenizerInfo* const tokenizer;  // The matcher's.
  std::array<std::byte, 64> distance{};
  GrammarMatcher matcher;
};

/// Holds the flag of one matcher for the time of a call; raises kUsage if another call has it.
class MatcherGuard {
 public:
  explicit MatcherGuard(MatcherHandle* handle) : handle_(handle) {
    if (!handle->TryTake()) {
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
  const TokenizerInfo& tokenizer() const { return *handle_->tokenizer; }

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
void BindDescribedMethod(nb::module_& m);

}  // namespace xgrammar::bindings
