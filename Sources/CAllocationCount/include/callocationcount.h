// SPDX-License-Identifier: Apache-2.0
//
// Replaces malloc and its kin in the program that links it, to count what is allocated. For benchmarks only.
#pragma once

#include <stdint.h>

// Allocations by all threads since the program started; reallocations count too.
uint64_t callocationcount_allocations(void);
