// Fuzz target: the reader of JSON Schema, with options and styles taken in turn from the text's
// length.
//
// So one input always means the same call, and a corpus needs no header bytes. What schemas accept
// is not judged here; the oracle tests do that (tests/property).
#include "frontend/json_schema/json_schema.h"
#include "frontend/json_schema/style_registry.h"
#include "fuzz/guard.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace xgrammar;
  static const Limits limits = fuzz::SmallLimits();
  JsonSchemaOptions options;
  options.any_whitespace = size % 2 == 0;
  options.strict_mode = size % 3 != 0;
  options.any_order = size % 5 == 0;
  options.lenient = size % 7 == 0;
  if (size % 11 == 0) {
    const auto styles = json_schema::StyleNames();
    options.style = styles[size / 11 % styles.size()];
  }
  fuzz::Check(data, size, [&](std::string_view text) {
    return JsonSchemaToGrammar(text, options, limits).grammar;
  });
  return 0;
}
