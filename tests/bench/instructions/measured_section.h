// Stage: benchmark. The function inside of which callgrind collects (--toggle-collect by its plain
// name). In a translation unit of its own, so that no compiler clones or inlines it.
//
// What runs outside of it (making tokenizers and compilers) is not counted.
#pragma once

#include <functional>

extern "C" void MeasuredSection(const std::function<void()>& section);
