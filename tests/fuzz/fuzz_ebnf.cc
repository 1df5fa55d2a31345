// Fuzz target: the reader of EBNF.
#include "frontend/ebnf/parser.h"
#include "fuzz/guard.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace xgrammar;
  static const Limits limits = fuzz::SmallLimits();
  fuzz::Check(data, size, [](std::string_view text) { return ParseEbnf(text, "root", limits); });
  return 0;
}
