// Fuzz target: the reader of structural tags.
#include "frontend/structural_tag/structural_tag.h"
#include "fuzz/guard.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace xgrammar;
  static const Limits limits = fuzz::SmallLimits();
  fuzz::Check(data, size,
              [](std::string_view text) { return StructuralTagToGrammar(text, nullptr, limits); });
  return 0;
}
