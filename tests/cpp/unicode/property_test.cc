// FindUnicodeProperty: general categories, scripts with their extensions, binary properties, names
// that are unknown, and laws that tie the tables together: categories partition the code points,
// tables are sorted by name.
//
// The tables are generated (cpp/unicode); a few characters a property are compared with the Unicode
// 15.0 data, not all of them.
#include "unicode/property.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <span>

#include "unicode/unicode_tables.h"

namespace xgrammar {
namespace {

bool Has(std::string_view name, std::string_view value, uint32_t c) {
  const auto ranges = FindUnicodeProperty(name, value);
  if (!ranges) {
    ADD_FAILURE() << "no property " << name << "=" << value;
    return false;
  }
  return std::ranges::any_of(*ranges,
                             [c](const UnicodeRange& r) { return r.lo <= c && c <= r.hi; });
}

int64_t Count(std::string_view name) {
  int64_t total = 0;
  const std::vector<UnicodeRange> ranges = FindUnicodeProperty(name, "").value();
  for (const UnicodeRange& r : ranges) total += r.hi - r.lo + 1;
  return total;
}

TEST(UnicodePropertyTest, GeneralCategories) {
  EXPECT_TRUE(Has("Lu", "", 'A'));
  EXPECT_FALSE(Has("Lu", "", 'a'));
  EXPECT_TRUE(Has("L", "", 0x4E2D));
  EXPECT_TRUE(Has("gc", "Nd", 0x661));
  EXPECT_TRUE(Has("General_Category", "Uppercase_Letter", 0xC9));
  EXPECT_TRUE(Has("punct", "", '!'));
  EXPECT_EQ(FindUnicodeProperty("Letter", "").value(), FindUnicodeProperty("gc", "L").value());
}

TEST(UnicodePropertyTest, Scripts) {
  EXPECT_TRUE(Has("Script", "Greek", 0x3B1));
  EXPECT_TRUE(Has("sc", "Grek", 0x3B1));
  EXPECT_FALSE(Has("sc", "Grek", 'a'));
  // U+30FC is Common by script and used with Hiragana and Katakana by extension.
  EXPECT_FALSE(Has("Script", "Hiragana", 0x30FC));
  EXPECT_TRUE(Has("Script_Extensions", "Hiragana", 0x30FC));
  EXPECT_FALSE(Has("scx", "Common", 0x30FC));
  EXPECT_TRUE(Has("scx", "Deva", 0x905));
}

TEST(UnicodePropertyTest, BinaryProperties) {
  EXPECT_TRUE(Has("Alphabetic", "", 'z'));
  EXPECT_TRUE(Has("White_Space", "", 0x3000));
  EXPECT_TRUE(Has("ID_Start", "", '_') || Has("ID_Continue", "", '_'));
  EXPECT_TRUE(Has("Emoji", "", 0x1F600));
  EXPECT_TRUE(Has("ASCII", "", 0x7F));
  EXPECT_FALSE(Has("ASCII", "", 0x80));
  EXPECT_EQ(Count("Any"), 0x110000);
}

TEST(UnicodePropertyTest, UnknownNamesAreNotFound) {
  for (const char* name : {"", "l", "Greek", "lu", "Foo", "Script", "InBasicLatin"}) {
    EXPECT_FALSE(FindUnicodeProperty(name, "").has_value()) << name;
  }
  EXPECT_FALSE(FindUnicodeProperty("Script", "greek").has_value());
  EXPECT_FALSE(FindUnicodeProperty("gc", "Greek").has_value());
  EXPECT_FALSE(FindUnicodeProperty("Alphabetic", "Yes").has_value());
}

TEST(UnicodePropertyTest, CategoriesPartitionTheCodePoints) {
  int64_t total = 0;
  for (const char* group : {"L", "M", "N", "P", "S", "Z", "C"}) total += Count(group);
  EXPECT_EQ(total, 0x110000);
  EXPECT_EQ(Count("LC"), Count("Lu") + Count("Ll") + Count("Lt"));
  EXPECT_EQ(Count("Assigned") + Count("Cn"), 0x110000);
}

TEST(UnicodeTablesTest, AreSortedByName) {
  const auto by_name = [](const UnicodeTable& a, const UnicodeTable& b) {
    return std::string_view(a.name) < std::string_view(b.name);
  };
  for (const auto& tables :
       {std::span(kGeneralCategories, kGeneralCategoriesSize), std::span(kScripts, kScriptsSize),
        std::span(kScriptExtensions, kScriptExtensionsSize),
        std::span(kBinaryProperties, kBinaryPropertiesSize)}) {
    EXPECT_TRUE(std::is_sorted(tables.begin(), tables.end(), by_name));
  }
}

}  // namespace
}  // namespace xgrammar
