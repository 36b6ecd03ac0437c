// SPDX-License-Identifier: Apache-2.0
//
// Replaces malloc and its kin in the program that links it, to count what is allocated. For benchmarks and tests only.
#pragma once

#include <stdbool.h>
#include <stdint.h>

// Allocations by all threads since the program started; reallocations count too.
uint64_t callocationcount_allocations(void);
// The same by this thread alone.
uint64_t callocationcount_allocations_of_this_thread(void);
// Whether anything is counted: not in a program with a sanitizer, which has a malloc of its own.
bool callocationcount_counts(void);
