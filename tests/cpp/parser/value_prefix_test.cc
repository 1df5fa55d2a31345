// ValuePrefix: equal values have equal keys and others do not, and the bytes towards a value lead
// along all of its spellings.
//
// Guards what distinct items are compared by. Spellings are listed by value; that texts are JSON is
// decided by grammars, so ill-formed ones are only kept from being taken for values.
#include "parser/value_prefix.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "parser/distinct_values.h"

namespace xgrammar {
namespace {

// Spellings in a line are equal, lines are not.
const std::vector<std::vector<std::string>>& Values() {
  static const std::vector<std::vector<std::string>> values = {
      {"null"},
      {"true"},
      {"false"},
      {"0", "-0", "0.0", "-0.00", "0e5", "0E-7", "0.0e+1"},
      {"1", "1.0", "1e0", "10e-1", "0.1e1", "0.01E+2", "1.000"},
      {"-1", "-1.0", "-10e-1"},
      {"10", "1e1", "10.0", "100e-1"},
      {"100000000000000000000000000000000000001", "100000000000000000000000000000000000001.0"},
      {"100000000000000000000000000000000000002"},
      {R"("")"},
      {R"("a")", R"("\u0061")"},
      {R"("A")", R"("\u0041")", R"("\u0041")"},
      {R"("/")", R"("\/")", R"("\u002F")", R"("\u002f")"},
      {R"("\n")", R"("\u000a")", R"("\u000A")"},
      {R"("\\n")", R"("\u005cn")"},
      {"\"\xF0\x9F\x98\x80\"", R"("\ud83d\ude00")", R"("\uD83D\uDE00")"},
      {R"("\ud83d")"},
      {R"("\ud83da")", R"("\ud83d\u0061")"},
      {R"("\ude00\ud83d")"},
      {"[]", "[ ]"},
      {"[[]]"},
      {"[1,2]", "[1, 2.0]", "[ 1 ,2]"},
      {"[2,1]"},
      {"[12]", "[1.2e1]"},
      {"{}", "{ }"},
      {R"({"a":1})", R"({"\u0061" : 1.0})"},
      {R"({"a":1,"b":[true]})", R"({"b":[true],"a":1})", R"({ "b" : [ true ], "a" : 10e-1 })"},
      {R"({"a":1,"a":2})", R"({"a":2,"a":1})"},
      {R"({"a":[1],"a":{"b":2}})", R"({"a":{"b":2},"a":[1]})"},
      {R"({"a":{"b":{}}})"},
      {R"({"a":{"b":[]}})"},
      {R"(["a",["b"]])"},
      {R"([["a"],"b"])"},
  };
  return values;
}

TEST(ValuePrefix, KeysAreEqualForEqualValues) {
  std::vector<std::string> keys;
  for (const auto& spellings : Values()) {
    for (const std::string& text : spellings) {
      const ValuePrefix value(text);
      ASSERT_TRUE(value.IsComplete()) << text;
      EXPECT_EQ(value.Key(), ValuePrefix(spellings[0]).Key()) << text;
    }
    for (const std::string& other : keys) EXPECT_NE(ValuePrefix(spellings[0]).Key(), other);
    keys.push_back(ValuePrefix(spellings[0]).Key());
  }
}

TEST(ValuePrefix, BytesLeadAlongEverySpelling) {
  for (const auto& spellings : Values()) {
    const ValuePrefix value(spellings[0]);
    for (const std::string& text : spellings) {
      for (size_t size = 0; size < text.size(); ++size) {
        const ByteSet bytes = ValuePrefix(text.substr(0, size)).BytesTowards(value);
        EXPECT_TRUE(bytes.Contains(static_cast<uint8_t>(text[size])))
            << text.substr(0, size) << " towards " << spellings[0];
      }
    }
  }
}

TEST(ValuePrefix, OtherTextsLeadNowhere) {
  const auto leads = [](const char* text, const char* value) {
    return !ValuePrefix(text).BytesTowards(ValuePrefix(value)).empty();
  };
  EXPECT_FALSE(leads("\"b", "\"a\""));
  EXPECT_FALSE(leads("\"a\\u0062", "\"a\""));
  EXPECT_FALSE(leads("\"aa", "\"a\""));
  EXPECT_FALSE(leads("\"a\"", "\"a\""));
  EXPECT_FALSE(leads("2", "1"));
  EXPECT_FALSE(leads("11", "1"));
  EXPECT_FALSE(leads("-1", "1"));
  EXPECT_FALSE(leads("[2", "[1]"));
  EXPECT_FALSE(leads("[1,", "[1]"));
  EXPECT_FALSE(leads("{\"a\":1,", "{\"a\":1}"));
  EXPECT_FALSE(leads("{\"b", "{\"a\":1}"));
  EXPECT_FALSE(leads("{\"a\":2,", "{\"a\":1,\"b\":2}"));
  EXPECT_FALSE(leads("{\"a\":\"", "{\"a\":1,\"a\":true}"));
  EXPECT_FALSE(leads("{\"a\":[2", "{\"a\":[1],\"a\":{}}"));
  EXPECT_FALSE(leads("tr", "false"));
}

TEST(ValuePrefix, ANumberIsFollowedByWhatFollowsInTheOtherValue) {
  const auto leads = [](const char* text, const char* value, char byte) {
    const ByteSet bytes = ValuePrefix(text).BytesTowards(ValuePrefix(value));
    return bytes.Contains(static_cast<uint8_t>(byte));
  };
  EXPECT_TRUE(leads("{\"a\":1", "{\"a\":1}", '}'));
  EXPECT_FALSE(leads("{\"a\":1", "{\"a\":1}", ','));
  EXPECT_TRUE(leads("{\"b\":2", "{\"a\":1,\"b\":2}", ','));
  EXPECT_FALSE(leads("{\"b\":2", "{\"a\":1,\"b\":2}", '}'));
  EXPECT_TRUE(leads("[1,[2", "[1,[2.0],3]", ']'));
  EXPECT_FALSE(leads("[1,[2", "[1,[2.0],3]", ','));
  EXPECT_TRUE(leads("1", "1.0", ','));
}

TEST(ValuePrefix, ReadingsLeaveOutWhatMakesNoDifference) {
  const auto is_same = [](const char* a, const char* b) {
    const ValuePrefix::Reading first = ValuePrefix(a).reading();
    const ValuePrefix::Reading second = ValuePrefix(b).reading();
    return first.form == second.form && first.read == second.read;
  };
  const auto zeros = [](const char* text) { return ValuePrefix(text).reading().zeros; };
  EXPECT_TRUE(is_same("\"a", "\"\\u0061"));
  EXPECT_TRUE(is_same("\"\\u00E", "\"\\u00e"));
  EXPECT_TRUE(is_same("{\"a\":1,\"b\":2,", "{\"b\":2.0,\"a\":1,"));
  EXPECT_TRUE(is_same("[10e-1,\"", "[1,\""));
  EXPECT_TRUE(is_same("1.0e0", "1e00"));
  EXPECT_TRUE(is_same("0.00e5", "0e1"));
  EXPECT_TRUE(is_same("1.5", "1.500"));
  EXPECT_EQ(zeros("1.5"), 0u);
  EXPECT_EQ(zeros("1.500"), 2u);
  for (const auto& [a, b] : std::vector<std::pair<const char*, const char*>>{
           {"\"a", "\"b"},
           {"\"", "\"\\"},
           {"\"\\ud83d", "\"\\ud83e"},
           {"1", "10"},
           {"1", "-1"},
           {"1.", "1.5"},
           {"1e1", "1e2"},
           {"1e1", "1e-1"},
           {"1e1", "2e1"},
           {"[1", "[1,"},
           {"[1,", "[2,"},
           {"[1,2,", "[2,1,"},
           {"{\"a\":1,\"b\":", "{\"b\":1,\"a\":"},
           {"{\"a\":[", "[["},
           {"tr", "tru"},
       }) {
    EXPECT_FALSE(is_same(a, b)) << a << " " << b;
  }
}

TEST(ValuePrefix, IncompleteAndIllFormedTextsAreNoValues) {
  for (const char* text :
       {"",   "\"",  "\"\\u00", "[", "[1",  "[1,", "{\"a\"", "{\"a\":", "-",    "1.",
        "1e", "tru", "1 2",     "]", "[1}", "{]",  "a",      "\"\\x\"", "[1]]", "{1:2}"}) {
    EXPECT_FALSE(ValuePrefix(text).IsComplete()) << text;
  }
}

TEST(ValuePrefix, DeepNestingNeedsNoStack) {
  constexpr size_t kDepth = 100000;
  const std::string text = std::string(kDepth, '[') + std::string(kDepth, ']');
  EXPECT_EQ(ValuePrefix(text).Key(), ValuePrefix(text).Key());
}

TEST(DistinctValues, RecordsDropWhiteSpaceOutsideOfStrings) {
  DistinctValues values;
  uint32_t record = DistinctValues::kEmpty;
  for (char c : std::string_view("[ \"a \\\" b\" , 1 ]"))
    record = values.Extend(record, static_cast<uint8_t>(c));
  EXPECT_EQ(values.TextFrom(record, 0), "[\"a \\\" b\",1]");
  EXPECT_EQ(values.TextFrom(record, 9), ",1]");
  EXPECT_FALSE(values.IsInString(record));
}

TEST(DistinctValues, ListsHoldWhatWasAppended) {
  DistinctValues values;
  const uint32_t one = values.ValueOf("1");
  const uint32_t text = values.ValueOf("\"1\"");
  EXPECT_EQ(values.ValueOf("1.0"), one);
  const uint32_t list = values.Append(values.Append(DistinctValues::kEmpty, one), text);
  EXPECT_TRUE(values.Contains(list, one));
  EXPECT_TRUE(values.Contains(list, text));
  EXPECT_FALSE(values.Contains(list, values.ValueOf("2")));
  EXPECT_EQ(values.ValuesOf(list).size(), 2u);
}

}  // namespace
}  // namespace xgrammar
