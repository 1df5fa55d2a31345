// A fixed vocabulary and a tokenizer for it, both made from nothing, so that counts of instructions
// depend on the code alone.
//
// Stage: benchmark. The tokens are the 256 bytes, pronounceable words with and without a space in
// front or a capital, numbers, runs of spaces, and pieces of JSON; their order is a fixed
// pseudo-random one (xorshift64*, Vigna 2016). Texts are cut greedily, longest token first. Nothing
// is like a real vocabulary but the size of its parts.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace xgrammar::bench {

class SyntheticVocabulary {
 public:
  SyntheticVocabulary();

  const std::vector<std::string>& tokens() const { return tokens_; }
  /// The last id; its text is "</s>".
  int32_t stop_token() const { return static_cast<int32_t>(tokens_.size()) - 1; }
  std::vector<int32_t> Encode(std::string_view text) const;

 private:
  void Add(const std::string& token);
  void AddWords();

  std::vector<std::string> tokens_;
  std::unordered_map<std::string, int32_t> ids_;
  size_t max_size_ = 0;
};

}  // namespace xgrammar::bench
