// What every fuzz target checks, whatever its language: errors are typed, decodable and point into
// the text; a grammar survives printing and reading.
//
// A broken rule ends the process, which is how libFuzzer learns of it. Hangs and memory are
// libFuzzer's own limits (`make fuzz`); Limits here are small, so that reaching one is cheap.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>

#include "grammar/grammar.h"
#include "support/limits.h"

namespace xgrammar::fuzz {

/// Limits under which one input takes milliseconds.
Limits SmallLimits();

/// Runs a reader on well-formed UTF-8 (other input is left out: the binding refuses it before) and
/// checks the grammar, or the error that it raises. A null grammar is not looked at.
void Check(const uint8_t* data, size_t size,
           const std::function<GrammarPtr(std::string_view)>& read);

/// Ends the process with a message.
[[noreturn]] void Fail(const char* rule, std::string_view details);

}  // namespace xgrammar::fuzz
