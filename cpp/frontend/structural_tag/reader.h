// Reading a structural tag: JSON text -> StructuralTag, with every field judged by itself.
//
// What fields mean together (which trigger starts which tag, which ends may be empty) is check.h.
#pragma once

#include <string_view>

#include "frontend/structural_tag/schema.h"
#include "support/limits.h"

namespace xgrammar::structural_tag {

/// The deepest nesting of formats; the outermost one has depth 1.
constexpr int kMaxFormatDepth = 100;

/// Raises kInvalidJson with line and column, kStructuralTag with the pointer of the faulty format,
/// kLimit.
StructuralTag ReadStructuralTag(std::string_view text, const Limits& limits);

/// The kind of a format without a `type`, by the fields that it has; "" if none fits. Precondition:
/// an object.
std::string_view InferType(const JsonDocument& document, JsonId object);

}  // namespace xgrammar::structural_tag
