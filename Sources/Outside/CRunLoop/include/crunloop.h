// SPDX-License-Identifier: Apache-2.0
//
// A source of a thread's run loop, and what that loop does. Foundation for Linux runs its run loops with Core Foundation, whose
// module a library cannot import: programs that import Glibc and ask for member import visibility would no longer compile.
#pragma once

#include <stdbool.h>

// Called by the run loop, on its thread, but for retain and release, and for gone, which any thread may call.
struct crunloop_owner {
    void *info;
    const void *(*retain)(const void *info);
    void (*release)(const void *info);
    // The source was signalled. May be called again from inside of this call, if it turns the run loop.
    void (*perform)(void *info);
    // The run loop is entered or left in one of its common modes. Whether it is to perform.
    bool (*turn)(void *info, bool entered);
    // The source was taken from a mode of the run loop: by crunloop_close, or because the thread ends.
    void (*gone)(void *info);
};

struct crunloop_source;

// A source in the common modes of the run loop of the main thread or of the calling one, which it keeps from ending; NULL without
// memory. `owner.info` is retained until neither the run loop nor the caller can use the source.
struct crunloop_source *crunloop_open(struct crunloop_owner owner, bool of_main_thread);
// Lets the run loop perform once, when it is turned; `wake`: at once if it sleeps. From any thread.
void crunloop_signal(struct crunloop_source *source, bool wake);
// Takes the source out and frees it; a run loop with nothing else to wait for ends. From any thread.
void crunloop_close(struct crunloop_source *source);
