// SpanningTokens: the tokens of a vocabulary that may hold the end of one item of a list and what
// separates it from the next, by their text alone.
//
// Where items have to be distinct (note 0021), these are read byte by byte as far as need be. A
// separator is a comma with white space around it.
#pragma once

#include <cstdint>
#include <vector>

#include "tokenizer/tokenizer_info.h"

namespace xgrammar {

struct SpanningTokens {
  explicit SpanningTokens(const TokenizerInfo& tokenizer);

  struct Kinds {
    std::vector<int32_t> ending;      ///< A separator, or the beginning of one, comes last.
    std::vector<int32_t> to_strings;  ///< The beginning of a string does, after a comma.
    std::vector<int32_t> other;       ///< All others, and those in which the list begins, too.
  };
  Kinds in_string;               ///< Read from within a string.
  Kinds outside;                 ///< Read from outside of strings.
  std::vector<int32_t> opening;  ///< Those in which a list begins, read from anywhere.
};

}  // namespace xgrammar
