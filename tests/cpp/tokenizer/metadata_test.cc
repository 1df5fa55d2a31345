// The written JSON forms of TokenizerInfo: the four keys of the metadata in their order, and the
// serialised form, which carries arbitrary bytes and is not decoded a second time when read.
//
// Reading them, with all that can be wrong in them, happens in Python:
// tests/python/test_tokenizer_info.py and test_serialization.py.
#include <gtest/gtest.h>

#include "tokenizer/tokenizer_info.h"

namespace xgrammar {
namespace {

TEST(Metadata, DumpHasFourKeysInOrder) {
  TokenizerOptions options;
  options.vocab_size = 14;
  options.stop_token_ids = std::vector<int64_t>{13, 1};
  EXPECT_EQ(
      TokenizerInfo::Make({"a", "b"}, options)->DumpMetadata(),
      "{\"vocab_type\":0,\"vocab_size\":14,\"add_prefix_space\":false,\"stop_token_ids\":[1,13]}");
  options.vocab_type = VocabType::kByteLevel;
  options.add_prefix_space = true;
  options.stop_token_ids = std::vector<int64_t>{};
  EXPECT_EQ(TokenizerInfo::Make({}, options)->DumpMetadata(),
            "{\"vocab_type\":2,\"vocab_size\":14,\"add_prefix_space\":true,\"stop_token_ids\":[]}");
}

TEST(Metadata, SerializedFormCarriesArbitraryBytes) {
  const auto info = TokenizerInfo::Make({"a\"\\", "\xFF\n", std::string(1, '\0'), ""}, {});
  EXPECT_EQ(info->SerializeJson(),
            "{\"vocab_type\":0,\"vocab_size\":4,\"add_prefix_space\":false,\"stop_token_ids\":[],"
            "\"special_token_ids\":[3],\"decoded_vocab\":[\"a\\\"\\\\\",\"\\u00ff\\u000a\","
            "\"\\u0000\",\"\"],"
            "\"__VERSION__\":\"" +
                std::string(kSerializationVersion) + "\"}");
}

TEST(Metadata, StoredBytesAreNotDecodedAgain) {
  TokenizerOptions options;
  options.vocab_type = VocabType::kByteFallback;
  options.decoded = true;
  const auto info = TokenizerInfo::Make({"<0x0A>"}, options);
  EXPECT_EQ(info->decoded_vocab()[0], "<0x0A>");
  EXPECT_EQ(info->vocab_type(), VocabType::kByteFallback);
}

}  // namespace
}  // namespace xgrammar
