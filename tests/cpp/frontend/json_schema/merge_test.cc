// Expanding conjunctions into branches: bounds intersect, enums are filtered by their siblings,
// complements become requirements, and what is known to be empty is pruned.
//
// Guards that a schema beside its complement is nothing, that discriminated alternatives count as
// disjoint, that choices propagate, and that expansion ends in a limit error. Which texts come of
// it is json_schema_test.cc.
#include "frontend/json_schema/merge.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "frontend/json_schema/finish_choices.h"
#include "json/parser.h"

namespace xgrammar::json_schema {
namespace {

class MergerTest : public ::testing::Test {
 protected:
  const Expansion& Expand(std::string_view text) {
    Load(text);
    return merger_->Expand(merger_->InternSchema(document_->root()));
  }
  void Load(std::string_view text) {
    document_ = std::make_unique<JsonDocument>(ParseJson(text));
    reader_ = std::make_unique<SchemaReader>(*document_, limits_);
    strings_ = std::make_unique<StringLanguage>(*reader_);
    merger_ = std::make_unique<Merger>(reader_.get(), strings_.get(), options_);
  }

  Limits limits_;
  JsonSchemaOptions options_;
  std::unique_ptr<JsonDocument> document_;
  std::unique_ptr<SchemaReader> reader_;
  std::unique_ptr<StringLanguage> strings_;
  std::unique_ptr<Merger> merger_;
};

TEST_F(MergerTest, BoundsIntersect) {
  const Expansion& expansion =
      Expand(R"({"type":"integer","allOf":[{"minimum":2},{"minimum":5},{"maximum":9}]})");
  ASSERT_EQ(expansion.numbers.size(), 1u);
  EXPECT_EQ(expansion.numbers[0].lower->value, Decimal::FromInt(5));
  EXPECT_TRUE(expansion.numbers[0].integer);
  EXPECT_TRUE(expansion.strings.empty());
}

TEST_F(MergerTest, EnumsAreFilteredBySiblings) {
  const Expansion& expansion =
      Expand(R"({"enum":[1,2,"a",2.0,7],"anyOf":[{"maximum":2},{"const":7}],"type":"number"})");
  EXPECT_EQ(expansion.values.size(), 4u);  // 1, 2 in both of its spellings, 7.
  EXPECT_TRUE(expansion.IsFinite());
}

TEST_F(MergerTest, DiscriminatedAlternativesAreDisjoint) {
  Load(R"({"oneOf":[{"type":"object","properties":{"k":{"const":"a"}},"required":["k"]},
                    {"type":"object","properties":{"k":{"const":"b"}},"required":["k"]}]})");
  const auto members = document_->items(document_->Find(document_->root(), "oneOf"));
  EXPECT_TRUE(merger_->AreDisjoint({members[0], LiteralKind::kPlainSchema},
                                   {members[1], LiteralKind::kPlainSchema}, InstanceType::kObject));
  EXPECT_EQ(merger_->Expand(merger_->InternSchema(document_->root())).objects.size(), 2u);
}

TEST_F(MergerTest, ASchemaAndItsComplementAreNothing) {
  Load(R"({"a":{"type":"string","title":"x"},"b":{"type":"string"}})");
  const JsonId a = document_->Find(document_->root(), "a");
  const JsonId b = document_->Find(document_->root(), "b");
  EXPECT_EQ(merger_->Intern({{a, LiteralKind::kSchema}, {b, LiteralKind::kNotSchema}}),
            kNothingLocation);
}

TEST_F(MergerTest, ComplementOfAPropertyRequiresIt) {
  const Expansion& expansion =
      Expand(R"({"type":"object","not":{"properties":{"a":{"type":"string"}}}})");
  ASSERT_EQ(expansion.objects.size(), 1u);
  ASSERT_EQ(expansion.objects[0].members.size(), 1u);
  EXPECT_TRUE(expansion.objects[0].members[0].required);
}

// A choice with one way left changes its member, which leaves the next choice with one, too; a
// choice that every object meets is dropped.
TEST_F(MergerTest, ChoicesWithOneWayBecomePartOfMembers) {
  Load(R"({"a":{"type":"integer"},"any":{"type":["integer","string"]}})");
  const Literal not_integer{document_->Find(document_->root(), "a"), LiteralKind::kNotSchema};
  const LocationId any = merger_->InternSchema(document_->Find(document_->root(), "any"));
  const auto absent = [](std::string_view name) {
    return MemberWay{MemberWay::Kind::kAbsent, name, {}, false, {}};
  };
  const MemberWay wrong{MemberWay::Kind::kHas, "y", not_integer, false, {}};
  ObjectSpec spec;
  spec.members = {{"x", false, any}, {"y", false, any}, {"z", true, any}};
  const MemberChoice first = {wrong, absent("x")};
  const MemberChoice second = {absent("z"), absent("y")};
  const MemberChoice third = {absent("y"), absent("z"), wrong};
  const ChoiceResolver::KeysByWay keys;
  const std::vector<std::vector<bool>> no_cells;
  ObjectSpec open = spec;
  EXPECT_TRUE(ChoiceResolver(merger_.get(), &open, keys, no_cells).Resolve({&first}));
  ASSERT_EQ(open.choices.size(), 1u);
  EXPECT_EQ(open.choices[0].ways.size(), 2u);
  EXPECT_TRUE(
      ChoiceResolver(merger_.get(), &spec, keys, no_cells).Resolve({&first, &second, &third}));
  EXPECT_TRUE(spec.choices.empty());
  ASSERT_EQ(spec.members.size(), 1u);
  EXPECT_EQ(spec.members[0].name, "z");
  const MemberChoice impossible = {absent("z")};
  EXPECT_FALSE(ChoiceResolver(merger_.get(), &spec, keys, no_cells).Resolve({&impossible}));
}

TEST_F(MergerTest, AlternativesWithAValueEachAreOneList) {
  std::string text = R"({"type":"string","anyOf":[)";
  for (int i = 0; i < 500; ++i)
    text += std::string(i == 0 ? "" : ",") + R"({"enum":["v)" + std::to_string(i) + R"("]})";
  limits_.max_schema_expansion = 100;
  const Expansion& expansion = Expand(text + R"(],"pattern":"^v7$"})");
  EXPECT_EQ(expansion.values.size(), 1u);
  EXPECT_TRUE(expansion.IsFinite());
}

TEST_F(MergerTest, ExpansionIsBounded) {
  limits_.max_schema_expansion = 100;
  std::string schema = R"({"type":"object","allOf":[)";
  for (int i = 0; i < 20; ++i) {
    const std::string n = std::to_string(i);
    schema += std::string(i > 0 ? "," : "") + R"({"anyOf":[{"required":["a)" + n +
              R"("]},{"required":["b)" + n + R"("]}]})";
  }
  EXPECT_THROW(Expand(schema + "]}"), Error);
}

}  // namespace
}  // namespace xgrammar::json_schema
