// Stage: benchmark. Runs the measured part of a workload.
//
// Alone in its file so that it keeps its name and its calls: see measured_section.h. What is
// measured, and how often, is the workload's matter.
#include "measured_section.h"

extern "C" void MeasuredSection(const std::function<void()>& section) { section(); }
