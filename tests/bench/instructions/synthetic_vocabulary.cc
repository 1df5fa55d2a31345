// Stage: benchmark. Builds the vocabulary of synthetic_vocabulary.h and cuts texts by it.
//
// Words are syllables of consonant and vowel; a word is kept once whatever the generator repeats,
// so the size of the vocabulary is fixed by the loop bounds below. Not a model of a language.
#include "synthetic_vocabulary.h"

#include <algorithm>

namespace xgrammar::bench {
namespace {

constexpr int kNumWords = 6000;

class Xorshift {
 public:
  uint64_t Next() {
    state_ ^= state_ >> 12;
    state_ ^= state_ << 25;
    state_ ^= state_ >> 27;
    return state_ * 0x2545F4914F6CDD1DULL;
  }
  size_t Below(size_t bound) { return static_cast<size_t>((Next() >> 33) % bound); }

 private:
  uint64_t state_ = 0x9E3779B97F4A7C15ULL;
};

constexpr std::string_view kConsonants = "bcdfghjklmnprstvwz";
constexpr std::string_view kVowels = "aeiou";
constexpr std::string_view kPieces[] = {
    "\": ",  "\":",  "\", \"", "\",",  "\"}",   "{\"", "[{\"", "}, {\"", "\"]",
    "],",    "},",   "}]",     "[\"",  "[]",    "{}",  ": ",   ", ",     "true",
    "false", "null", "\\n",    "\\\"", "\\u00", " {",  "</",   "/>",     "<|",
    "|>",    "()",   ");",     "==",   "!=",    " = ", " + ",  " (",     " \""};

}  // namespace

SyntheticVocabulary::SyntheticVocabulary() {
  for (int byte = 0; byte < 256; ++byte) Add(std::string(1, static_cast<char>(byte)));
  for (const std::string_view piece : kPieces) Add(std::string(piece));
  for (size_t size = 2; size <= 32; ++size) Add(std::string(size, ' '));
  for (size_t size = 1; size <= 8; ++size) Add("\n" + std::string(2 * size, ' '));
  for (int number = 10; number < 1000; ++number) Add(std::to_string(number));
  for (const std::string_view character : {"é", "ü", "ß", "中", "文", "日", "😀", "—", "…"}) {
    Add(std::string(character));
  }
  AddWords();
  Add("</s>");
}

void SyntheticVocabulary::Add(const std::string& token) {
  if (!ids_.emplace(token, static_cast<int32_t>(tokens_.size())).second) return;
  tokens_.push_back(token);
  max_size_ = std::max(max_size_, token.size());
}

void SyntheticVocabulary::AddWords() {
  Xorshift random;
  for (int i = 0; i < kNumWords; ++i) {
    std::string word;
    for (size_t syllables = 1 + random.Below(4); syllables > 0; --syllables) {
      word += kConsonants[random.Below(kConsonants.size())];
      word += kVowels[random.Below(kVowels.size())];
      if (random.Below(3) == 0) word += kConsonants[random.Below(kConsonants.size())];
    }
    std::string capital = word;
    capital[0] = static_cast<char>(capital[0] - 'a' + 'A');
    Add(word);
    Add(" " + word);
    if (i % 4 == 0) Add(capital);
    if (i % 4 == 1) Add("\"" + word);
    if (i % 8 == 2) Add("_" + word);
  }
}

std::vector<int32_t> SyntheticVocabulary::Encode(std::string_view text) const {
  std::vector<int32_t> result;
  while (!text.empty()) {
    size_t size = std::min(max_size_, text.size());
    while (ids_.find(std::string(text.substr(0, size))) == ids_.end()) --size;
    result.push_back(ids_.at(std::string(text.substr(0, size))));
    text.remove_prefix(size);
  }
  return result;
}

}  // namespace xgrammar::bench
