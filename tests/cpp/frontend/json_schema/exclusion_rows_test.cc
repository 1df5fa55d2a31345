// Free keys as rows on demand: they say what the automaton of all spellings says, state by state,
// and are refused where they could not.
//
// The automaton itself is spellings_except_test.cc, when rows are made rows_on_demand_test.cc.
#include "frontend/json_schema/exclusion_rows.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "automata/byte_dfa.h"
#include "automata/code_point_automaton.h"
#include "frontend/json_schema/string_spelling.h"

namespace xgrammar::json_schema {
namespace {

constexpr uint32_t kNoBudget = 1u << 20;

/// Walks both from the start, pair by pair; the reference is minimal or trimmed, so each of its
/// states goes with states that say the same.
void ExpectSame(const ByteDfa& rows, const ByteDfa& reference) {
  std::map<std::pair<uint32_t, uint32_t>, std::string> reached{{{0, 0}, ""}};
  std::vector<std::pair<uint32_t, uint32_t>> work{{0, 0}};
  while (!work.empty()) {
    const auto [a, b] = work.back();
    work.pop_back();
    const std::string text = reached[{a, b}];
    ASSERT_EQ(rows.IsAccept(a), reference.IsAccept(b)) << text;
    ASSERT_EQ(rows.IsFinal(a), reference.IsFinal(b)) << text;
    for (uint32_t byte = 0; byte < 256; ++byte) {
      const uint32_t to_a = rows.Next(a, static_cast<uint8_t>(byte));
      const uint32_t to_b = reference.Next(b, static_cast<uint8_t>(byte));
      ASSERT_EQ(rows.first_bytes(a).Contains(static_cast<uint8_t>(byte)), to_a != ByteDfa::kDead);
      ASSERT_EQ(to_a == ByteDfa::kDead, to_b == ByteDfa::kDead) << text << " " << byte;
      if (to_a == ByteDfa::kDead) continue;
      if (reached.try_emplace({to_a, to_b}, text + static_cast<char>(byte)).second)
        work.emplace_back(to_a, to_b);
    }
  }
}

TEST(ExclusionRows, EqualTheAutomaton) {
  std::mt19937 random(7);
  constexpr std::string_view kCharacters = "aabbcjJozO0 \"\\/\n\x01\x7F_";
  for (int round = 0; round < 300; ++round) {
    std::vector<std::string> names(1 + random() % 6);
    for (std::string& name : names) {
      for (size_t i = random() % 5; i > 0; --i) name += kCharacters[random() % kCharacters.size()];
    }
    std::sort(names.begin(), names.end());
    const std::string prefix = std::array{"\"", "{\""}[random() % 2];
    const std::string suffix = std::array{"\"", "\": "}[random() % 2];
    auto made = ExclusionRows::Make(prefix, names, suffix);
    ASSERT_NE(made, nullptr);
    const std::optional<ByteDfa> rows = DfaOnDemand(std::move(made), kNoBudget);
    const std::optional<ByteDfa> reference = SpellInBytes(
        prefix, std::make_shared<const CodePointDfa>(SpellingsExcept({names.begin(), names.end()})),
        suffix, kNoBudget);
    ASSERT_TRUE(rows && reference);
    ExpectSame(*rows, *reference);
    EXPECT_EQ(rows->is_prefix_free(), reference->is_prefix_free());
  }
}

TEST(ExclusionRows, AreNotForOthers) {
  EXPECT_EQ(ExclusionRows::Make("\"", {"caf\xC3\xA9"}, "\""), nullptr);
  EXPECT_EQ(ExclusionRows::Make("\"", {"a"}, ""), nullptr);
  EXPECT_EQ(ExclusionRows::Make("\"", {"a"}, "'"), nullptr);
  EXPECT_EQ(ExclusionRows::Make("", {"a"}, "\""), nullptr);
  EXPECT_FALSE(DfaOnDemand(ExclusionRows::Make("\"", {"a"}, "\""), 10).has_value());
}

}  // namespace
}  // namespace xgrammar::json_schema
