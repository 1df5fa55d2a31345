// What the fields of formats mean together: triggers and the tags they start, ends that may be
// empty.
//
// Runs after reading and before lowering; all errors are kStructuralTag and point at the format.
#pragma once

#include <cstdint>
#include <vector>

#include "frontend/structural_tag/schema.h"

namespace xgrammar::structural_tag {

/// Raises kStructuralTag at a tag whose ends are all empty although its content has no bound: such
/// a tag would never end.
void CheckEmptyEnds(const StructuralTag& tag);

/// For each of the tags of `triggered`, in order, the index of the trigger that begins it. Raises
/// kStructuralTag if a tag does not begin with exactly one trigger, or a trigger has no tag. Cost:
/// linear in the tags for each distinct length of a trigger.
std::vector<int32_t> TriggersOfTags(const StructuralTag& tag, const Format& format,
                                    const TriggeredTags& triggered);

}  // namespace xgrammar::structural_tag
