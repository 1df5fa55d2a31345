// JSON text -> JsonDocument: a strict RFC 8259 reader (no comments, no trailing commas, no NaN,
// well-formed UTF-8 only).
//
// The first stage of the schema and structural tag front ends. Numbers stay text, so none loses
// digits; members keep their order (design note 0008).
#pragma once

#include <cstdint>
#include <string_view>

#include "json/value.h"
#include "support/limits.h"

namespace xgrammar {

/// Reads exactly one JSON value, with white space around it. Linear in the size of the text,
/// without recursion. Raises kInvalidJson with line and column (also for text after the value and
/// for an unpaired surrogate escape, which no UTF-8 string can hold), kLimit past
/// Limits::max_source_bytes, Limits::max_nesting or the depth of the process.
JsonDocument ParseJson(std::string_view text, const Limits& limits = {});

/// How deep JSON text may be nested in this process, whatever the limits of a call are; no bound at
/// first. Texts that are being read may keep to the former depth.
void SetMaxJsonDepth(int64_t depth);

}  // namespace xgrammar
