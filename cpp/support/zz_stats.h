#pragma once
#include <cstdint>
#include <x86intrin.h>
struct ZzStats { uint64_t v[32]; };
extern "C" __attribute__((visibility("default"))) ZzStats zz_stats;
struct ZzT { int i; uint64_t t; explicit ZzT(int k):i(k),t(__rdtsc()){} ~ZzT(){ zz_stats.v[2*i]++; zz_stats.v[2*i+1]+=__rdtsc()-t; } };
