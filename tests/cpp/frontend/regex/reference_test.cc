// The tables of docs/reference/regex.md: every example is checked.
//
// A row has code spans: one pattern, texts that are accepted, texts that are rejected; `\|` is a
// bar, as Markdown wants it, and the word "empty" outside a code span is the empty text. "refused"
// in the second column means an error.
#include <fstream>
#include <string>
#include <vector>

#include "expectations.h"

namespace xgrammar {
namespace {

std::vector<std::string> SplitCells(const std::string& line) {
  std::vector<std::string> cells(1);
  for (size_t i = 1; i < line.size(); ++i) {
    if (line[i] == '\\' && i + 1 < line.size() && line[i + 1] == '|') {
      cells.back() += '|';
      ++i;
    } else if (line[i] == '|') {
      cells.emplace_back();
    } else {
      cells.back() += line[i];
    }
  }
  return cells;
}

/// The code spans of a cell, and an empty text for the word.
std::vector<std::string> Texts(const std::string& cell) {
  std::vector<std::string> texts;
  bool in_code = false;
  for (char c : cell) {
    if (c == '`') {
      in_code = !in_code;
      if (in_code) texts.emplace_back();
    } else if (in_code) {
      texts.back() += c;
    }
  }
  if (cell.find(" empty") != std::string::npos) texts.emplace_back();
  return texts;
}

TEST(RegexReferenceTest, ExamplesHold) {
  std::ifstream file(XGRAMMAR_REGEX_REFERENCE);
  ASSERT_TRUE(file.is_open()) << XGRAMMAR_REGEX_REFERENCE;
  int rows = 0;
  bool in_table = false;
  RegexOptions options;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("| pattern ")) {
      in_table = true;
      options = line.starts_with("| pattern (search)") ? Searching() : RegexOptions();
      std::getline(file, line);  // The rule under the header.
      continue;
    }
    in_table = in_table && line.starts_with("|");
    if (!in_table) continue;
    ++rows;
    const std::vector<std::string> cells = SplitCells(line);
    ASSERT_GE(cells.size(), 3u) << line;
    const std::string pattern = Texts(cells[0]).at(0);
    if (cells[1].find("refused") != std::string::npos) {
      EXPECT_THROW(RegexToGrammar(pattern, options), Error) << pattern;
      continue;
    }
    const CodePointDfa dfa = RegexToDfa(pattern, options);
    for (const std::string& text : Texts(cells[1])) EXPECT_TRUE(dfa.Accepts(text)) << line << text;
    for (const std::string& text : Texts(cells[2])) EXPECT_FALSE(dfa.Accepts(text)) << line << text;
  }
  EXPECT_GT(rows, 40);
}

}  // namespace
}  // namespace xgrammar
