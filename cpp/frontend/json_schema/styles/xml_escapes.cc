// The entities of the four characters that can have one (XML 1.0, section 4.6), as data for
// respell.h.
//
// Each format names the characters that it escapes; numeric references and other entities are never
// written.
#include "frontend/json_schema/styles/xml_escapes.h"

#include "frontend/json_schema/styles/respell.h"

namespace xgrammar::json_schema {

namespace {

const char* EntityOf(char character) {
  switch (character) {
    case '&':
      return "&amp;";
    case '<':
      return "&lt;";
    case '>':
      return "&gt;";
    default:
      return "&quot;";
  }
}

Spellings Entities(std::string_view escaped) {
  Spellings entities;
  for (const char character : escaped)
    entities[static_cast<uint32_t>(character)] = EntityOf(character);
  return entities;
}

}  // namespace

std::string EscapeXml(std::string_view text, std::string_view escaped) {
  return Respell(text, Entities(escaped));
}

CodePointDfa EscapeXml(const CodePointDfa& texts, std::string_view escaped) {
  return Respell(texts, Entities(escaped));
}

}  // namespace xgrammar::json_schema
