// The terminals of Lark's public module `common`.
//
// Their languages are those that Lark's documentation gives; look-behind and lazy repetition of the
// original spellings are written out. No pattern uses `.`, so its meaning does not matter here.
#include "frontend/lark/imports.h"

#include <array>

namespace xgrammar::lark {

namespace {

struct Terminal {
  std::string_view name;
  std::string_view pattern;
};

constexpr std::array<Terminal, 25> kTerminals = {{
    {"DIGIT", R"([0-9])"},
    {"HEXDIGIT", R"([a-fA-F0-9])"},
    {"INT", R"([0-9]+)"},
    {"SIGNED_INT", R"([+-]?[0-9]+)"},
    {"DECIMAL", R"([0-9]+\.[0-9]*|\.[0-9]+)"},
    {"_EXP", R"([eE][+-]?[0-9]+)"},
    {"FLOAT", R"([0-9]+[eE][+-]?[0-9]+|(?:[0-9]+\.[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)"},
    {"NUMBER", R"((?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)"},
    {"SIGNED_FLOAT",
     R"([+-]?(?:[0-9]+[eE][+-]?[0-9]+|(?:[0-9]+\.[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?))"},
    {"SIGNED_NUMBER", R"([+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)"},
    {"ESCAPED_STRING", R"("(?:[^"\\\n]|\\[^\n])*")"},
    {"LCASE_LETTER", R"([a-z])"},
    {"UCASE_LETTER", R"([A-Z])"},
    {"LETTER", R"([A-Za-z])"},
    {"WORD", R"([A-Za-z]+)"},
    {"CNAME", R"([_A-Za-z][_A-Za-z0-9]*)"},
    {"WS_INLINE", R"([ \t]+)"},
    {"WS", R"([ \t\f\r\n]+)"},
    {"CR", R"(\r)"},
    {"LF", R"(\n)"},
    {"NEWLINE", R"((?:\r?\n)+)"},
    {"SH_COMMENT", R"(#[^\n]*)"},
    {"CPP_COMMENT", R"(\/\/[^\n]*)"},
    {"C_COMMENT", R"(\/\*[^*]*\*+(?:[^\/*][^*]*\*+)*\/)"},
    {"SQL_COMMENT", R"(--[^\n]*)"},
}};

}  // namespace

std::string_view CommonTerminal(std::string_view name) {
  for (const Terminal& terminal : kTerminals) {
    if (terminal.name == name) return terminal.pattern;
  }
  return {};
}

}  // namespace xgrammar::lark
