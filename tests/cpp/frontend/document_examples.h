// The examples of a reference page: blocks of one language, each with the lines below it that say
// what it means.
//
// A block is one grammar. `accepts:` and `rejects:` list texts as JSON strings between back quotes,
// `error:` gives line, column and the message. Anything else on the page is passed over. Shared by
// the tests of docs/reference/ebnf.md and lark.md.
#pragma once

#include <fstream>
#include <string>
#include <vector>

#include "json/parser.h"

namespace xgrammar {

struct DocumentExample {
  std::string grammar;
  std::vector<std::string> accepts;
  std::vector<std::string> rejects;
  std::string error;
};

/// The bodies of the JSON strings between back quotes.
inline std::vector<std::string> DecodeQuotedTexts(const std::string& line) {
  std::vector<std::string> texts;
  size_t open = line.find('`');
  while (open != std::string::npos) {
    const size_t close = line.find('`', open + 1);
    const JsonDocument json = ParseJson(line.substr(open + 1, close - open - 1));
    texts.emplace_back(json.text(json.root()));
    open = line.find('`', close + 1);
  }
  return texts;
}

/// The examples of a page whose blocks are marked with the name of the language; empty if the page
/// cannot be read. A grammar ends without the line end of its block.
inline std::vector<DocumentExample> ReadDocumentExamples(const std::string& path,
                                                         const std::string& language) {
  std::ifstream file(path);
  std::vector<DocumentExample> examples;
  bool in_block = false;
  for (std::string line; std::getline(file, line);) {
    if (line == "```" + language) {
      in_block = true;
      examples.emplace_back();
    } else if (line == "```") {
      in_block = false;
    } else if (in_block) {
      std::string& grammar = examples.back().grammar;
      grammar += (grammar.empty() ? "" : "\n") + line;
    } else if (line.starts_with("accepts: ")) {
      examples.back().accepts = DecodeQuotedTexts(line);
    } else if (line.starts_with("rejects: ")) {
      examples.back().rejects = DecodeQuotedTexts(line);
    } else if (line.starts_with("error: ")) {
      examples.back().error = line.substr(7);
    }
  }
  return examples;
}

}  // namespace xgrammar
