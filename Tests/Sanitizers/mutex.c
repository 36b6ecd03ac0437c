// SPDX-License-Identifier: Apache-2.0
//
// Preloaded under the thread sanitizer: shows it what it cannot see of Swift's Mutex. One that nobody else wants is taken and
// released by atomic instructions in the program; one that others want, inside libswiftSynchronization and the kernel, which are not
// instrumented. Without this every contended Mutex looks like a race of what it protects.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>

// Synchronization._MutexHandle._lockSlow(_: UInt32) and _unlockSlow()
#define LOCK_SLOW "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define UNLOCK_SLOW "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

typedef __attribute__((swiftcall)) void lock_slow(uint32_t thread, __attribute__((swift_context)) void *handle);
typedef __attribute__((swiftcall)) void unlock_slow(__attribute__((swift_context)) void *handle);

// Programs that are started by those under the sanitizer do not have them.
void __tsan_acquire(void *address) __attribute__((weak));
void __tsan_release(void *address) __attribute__((weak));

lock_slow take_contended __asm__(LOCK_SLOW);
unlock_slow release_contended __asm__(UNLOCK_SLOW);

__attribute__((swiftcall)) void take_contended(uint32_t thread, __attribute__((swift_context)) void *handle) {
    lock_slow *original = (lock_slow *)dlsym(RTLD_NEXT, LOCK_SLOW);
    original(thread, handle);
    if (__tsan_acquire) __tsan_acquire(handle);
}

__attribute__((swiftcall)) void release_contended(__attribute__((swift_context)) void *handle) {
    unlock_slow *original = (unlock_slow *)dlsym(RTLD_NEXT, UNLOCK_SLOW);
    if (__tsan_release) __tsan_release(handle);
    original(handle);
}
