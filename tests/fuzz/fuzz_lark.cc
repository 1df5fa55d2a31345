// Fuzz target: the reader of Lark, with a named grammar and a small vocabulary at hand.
//
// The two named grammars reach one another, so references within and between texts are exercised;
// the vocabulary has a special token that a text can name.
#include "frontend/lark/lark.h"
#include "fuzz/guard.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace xgrammar;
  static const Limits limits = fuzz::SmallLimits();
  static const std::vector<NamedGrammar> named = {{"n", "start: \"n\" | @m", nullptr},
                                                  {"m", "start: @n", nullptr}};
  static const auto tokenizer = TokenizerInfo::Make({"a", "b", "<t>", "</s>"}, {});
  fuzz::Check(data, size, [](std::string_view text) {
    return LarkToGrammar(text, named, tokenizer.get(), limits).grammar;
  });
  return 0;
}
