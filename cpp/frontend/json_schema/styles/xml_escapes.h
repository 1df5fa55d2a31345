// XML entities in attribute values: `&amp;`, `&lt;`, `&gt;`, `&quot;` (XML 1.0, section 4.6), for
// single texts and for languages of texts.
//
// Bodies of elements are raw text in these styles and are not escaped.
#pragma once

#include <string>
#include <string_view>

#include "automata/code_point_automaton.h"

namespace xgrammar::json_schema {

/// `escaped` holds those of `&<>"` that are spelled as entities. Linear.
std::string EscapeXml(std::string_view text, std::string_view escaped);
CodePointDfa EscapeXml(const CodePointDfa& texts, std::string_view escaped);

}  // namespace xgrammar::json_schema
