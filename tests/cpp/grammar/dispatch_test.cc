// AddDispatch: the rules of free text with dispatch, on texts whose verdict follows from the prose
// of docs/reference/structural-tag.md, by the reference recogniser.
//
// A pattern commits, a longer one in progress keeps both readings, exclusions come first, equal
// patterns take either content. The automaton below is tests/cpp/automata/free_run_test.cc,
// exhaustive there.
#include "grammar/dispatch.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "grammar/reference_recognizer.h"

namespace xgrammar {
namespace {

GrammarPtr MakeDispatch(const std::vector<std::pair<std::string, std::string>>& cases,
                        const DispatchOptions& options) {
  GrammarBuilder builder;
  std::vector<DispatchCase> list;
  for (const auto& [pattern, content] : cases) {
    list.push_back({pattern, builder.AddByteString(content)});
  }
  const RuleId root = builder.AddRule("root");
  builder.SetBody(root, AddDispatch(list, options, &builder, {}));
  return builder.Build(root);
}

void Expect(const GrammarPtr& grammar, const std::vector<std::string>& accept,
            const std::vector<std::string>& reject) {
  for (const std::string& text : accept)
    EXPECT_TRUE(ReferenceRecognizer(*grammar, text).Accepts()) << text;
  for (const std::string& text : reject)
    EXPECT_FALSE(ReferenceRecognizer(*grammar, text).Accepts()) << text;
}

TEST(Dispatch, APatternCommits) {
  Expect(MakeDispatch({{"T", "1"}}, {}), {"", "x", "T1", "xT1y", "T1T1"}, {"T", "xT", "Tx", "xTz"});
}

TEST(Dispatch, WithoutLoopTheFirstContentEndsTheText) {
  DispatchOptions options;
  options.loop = false;
  Expect(MakeDispatch({{"T", "1"}}, options), {"", "x", "xT1"}, {"xT1y", "T1T1", "T"});
}

TEST(Dispatch, AlongerPatternInProgressKeepsBothReadings) {
  Expect(MakeDispatch({{"T", "1"}, {"TAB", "2"}}, {}), {"T1", "TAB2"}, {"TAB1", "TA", "TAx"});
}

TEST(Dispatch, ExcludesComeFirst) {
  DispatchOptions options;
  options.excludes = {"<f", "q"};
  Expect(MakeDispatch({{"f", "1"}}, options), {"xf1", "f1<"}, {"<f1", "q", "f1q"});
}

TEST(Dispatch, EqualPatternsTakeEitherContent) {
  Expect(MakeDispatch({{"T", "1"}, {"T", "2"}}, {}), {"T1", "T2", "T1T2"}, {"T3", "T12T"});
}

}  // namespace
}  // namespace xgrammar
