// DistinctFilter: which tokens of a set's mask an equal item forbids.
//
// Masks are made as if items need not be distinct, so that they are shared by all texts. What has
// to be taken out are tokens that spell an item that was there, or lead to where only such are
// left: they are found along the bytes that still spell one of the values. Tokens that hold parts
// of two items are read each for itself. Design note 0021.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mask/spanning_tokens.h"
#include "parser/parser.h"
#include "tokenizer/tokenizer_info.h"

namespace xgrammar {

class DistinctFilter {
 public:
  /// Borrows all three.
  DistinctFilter(Parser* parser, const TokenizerInfo& tokenizer, const SpanningTokens& spanning)
      : parser_(*parser), tokenizer_(tokenizer), spanning_(spanning) {}

  /// The tokens among those of the row that must not follow. Raises kLimit. Thread-safe.
  std::vector<int32_t> RefusedTokens(SetId set, std::span<const uint32_t> row) const;

 private:
  Parser& parser_;
  const TokenizerInfo& tokenizer_;
  const SpanningTokens& spanning_;
};

}  // namespace xgrammar
