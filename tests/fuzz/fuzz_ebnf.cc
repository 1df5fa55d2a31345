// Fuzz target: the reader of EBNF.
//
// The target with the least code around it: any well-formed UTF-8 is a grammar or a typed error
// with a place (guard.h). Macros and rule options are reached by the words of ebnf.dict.
#include "frontend/ebnf/parser.h"
#include "fuzz/guard.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace xgrammar;
  static const Limits limits = fuzz::SmallLimits();
  fuzz::Check(data, size, [](std::string_view text) { return ParseEbnf(text, "root", limits); });
  return 0;
}
