// Fuzz target: the reader of structural tags, and with it the other front ends, whose languages a
// tag embeds.
//
// There is no tokenizer, so formats that name tokens by text end in their typed error.
#include "frontend/structural_tag/structural_tag.h"
#include "fuzz/guard.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace xgrammar;
  static const Limits limits = fuzz::SmallLimits();
  fuzz::Check(data, size, [](std::string_view text) {
    return StructuralTagToGrammar(text, nullptr, limits).grammar;
  });
  return 0;
}
