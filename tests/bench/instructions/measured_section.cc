// Stage: benchmark. Runs the measured part of a workload; see measured_section.h for why it is
// alone here.
#include "measured_section.h"

extern "C" void MeasuredSection(const std::function<void()>& section) { section(); }
