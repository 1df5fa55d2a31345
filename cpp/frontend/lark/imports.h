// The terminals of `%import common`.
//
// Only Lark's module `common` exists; a terminal of it is a regular expression (frontend/regex).
#pragma once

#include <string_view>

namespace xgrammar::lark {

/// The regular expression of a terminal of Lark's module `common`, empty if there is none of that
/// name.
std::string_view CommonTerminal(std::string_view name);

}  // namespace xgrammar::lark
