// SPDX-License-Identifier: Apache-2.0
#include "callocationcount.h"

#include <stddef.h>

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

static uint64_t allocations;
static __thread uint64_t allocations_of_this_thread;

uint64_t callocationcount_allocations(void) { return __atomic_load_n(&allocations, __ATOMIC_RELAXED); }

uint64_t callocationcount_allocations_of_this_thread(void) { return allocations_of_this_thread; }

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define HAS_SANITIZER 1
#endif
#endif

#ifdef HAS_SANITIZER

bool callocationcount_counts(void) { return false; }

#else

bool callocationcount_counts(void) { return true; }

static void count(void) {
    __atomic_fetch_add(&allocations, 1, __ATOMIC_RELAXED);
    allocations_of_this_thread++;
}

void *malloc(size_t size) {
    count();
    return __libc_malloc(size);
}

void *calloc(size_t number, size_t size) {
    count();
    return __libc_calloc(number, size);
}

void *realloc(void *memory, size_t size) {
    count();
    return __libc_realloc(memory, size);
}

int posix_memalign(void **memory, size_t alignment, size_t size) {
    count();
    *memory = __libc_memalign(alignment, size);
    return *memory == NULL ? 12 : 0;
}

#endif
