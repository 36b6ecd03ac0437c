// SPDX-License-Identifier: Apache-2.0
#include "crunloop.h"

#include <stdint.h>
#include <stdlib.h>

// ---- what Core Foundation's headers say of run loops: a stable interface, the same as on Apple's systems

typedef const struct opaque_run_loop *CFRunLoopRef;
typedef const struct opaque_source *CFRunLoopSourceRef;
typedef const struct opaque_observer *CFRunLoopObserverRef;
typedef const struct opaque_string *CFStringRef;

struct source_context {
    long version;
    void *info;
    const void *(*retain)(const void *);
    void (*release)(const void *);
    CFStringRef (*copy_description)(const void *);
    unsigned char (*equal)(const void *, const void *);
    unsigned long (*hash)(const void *);
    void (*schedule)(void *, CFRunLoopRef, CFStringRef mode);
    void (*cancel)(void *, CFRunLoopRef, CFStringRef mode);
    void (*perform)(void *);
};

struct observer_context {
    long version;
    void *info;
    const void *(*retain)(const void *);
    void (*release)(const void *);
    CFStringRef (*copy_description)(const void *);
};

enum { entry = 1 << 0, leaving = 1 << 7 };

extern const CFStringRef kCFRunLoopCommonModes;
extern CFRunLoopRef CFRunLoopGetCurrent(void);
extern CFRunLoopRef CFRunLoopGetMain(void);
extern CFStringRef CFRunLoopCopyCurrentMode(CFRunLoopRef);
extern unsigned char CFRunLoopContainsObserver(CFRunLoopRef, CFRunLoopObserverRef, CFStringRef mode);
extern CFRunLoopSourceRef CFRunLoopSourceCreate(const void *allocator, long order, struct source_context *);
extern CFRunLoopObserverRef CFRunLoopObserverCreate(
    const void *allocator, unsigned long activities, unsigned char repeats, long order,
    void (*)(CFRunLoopObserverRef, unsigned long activity, void *info), struct observer_context *);
extern void CFRunLoopAddSource(CFRunLoopRef, CFRunLoopSourceRef, CFStringRef mode);
extern void CFRunLoopAddObserver(CFRunLoopRef, CFRunLoopObserverRef, CFStringRef mode);
extern void CFRunLoopRemoveSource(CFRunLoopRef, CFRunLoopSourceRef, CFStringRef mode);
extern void CFRunLoopRemoveObserver(CFRunLoopRef, CFRunLoopObserverRef, CFStringRef mode);
extern void CFRunLoopSourceGetContext(CFRunLoopSourceRef, struct source_context *);
extern void CFRunLoopSourceSignal(CFRunLoopSourceRef);
extern void CFRunLoopWakeUp(CFRunLoopRef);
extern const void *CFRetain(const void *);
extern void CFRelease(const void *);

// ---- the owner, counted because Core Foundation copies what it knows of it, and may be the last to use it

struct shared_owner {
    struct crunloop_owner owner;
    long count;
};

static const void *retain_owner(const void *info) {
    __atomic_add_fetch(&((struct shared_owner *)info)->count, 1, __ATOMIC_RELAXED);
    return info;
}

static void release_owner(const void *info) {
    struct shared_owner *shared = (struct shared_owner *)info;
    if (__atomic_sub_fetch(&shared->count, 1, __ATOMIC_ACQ_REL) != 0) return;
    shared->owner.release(shared->owner.info);
    free(shared);
}

static void perform(void *info) {
    struct crunloop_owner *owner = &((struct shared_owner *)info)->owner;
    owner->perform(owner->info);
}

static void cancel(void *info, CFRunLoopRef loop, CFStringRef mode) {
    struct crunloop_owner *owner = &((struct shared_owner *)info)->owner;
    owner->gone(owner->info);
}

// Its info is the source, whose info is the owner.
static void observe(CFRunLoopObserverRef observer, unsigned long activity, void *info) {
    struct source_context context = {.version = 0};
    CFRunLoopSourceGetContext(info, &context);
    struct crunloop_owner *owner = &((struct shared_owner *)context.info)->owner;
    if (owner->turn(owner->info, activity == entry)) CFRunLoopSourceSignal(info);
}

// ---- the source

struct crunloop_source {
    CFRunLoopRef loop;
    CFRunLoopSourceRef source;
    CFRunLoopObserverRef observer;
};

// Whether the run loop, the calling thread's own, is turned in a mode that the observer sees: then it will see it leave.
static bool is_seen_turning(const struct crunloop_source *self) {
    CFStringRef mode = CFRunLoopCopyCurrentMode(self->loop);
    if (!mode) return false;
    bool is_seen = CFRunLoopContainsObserver(self->loop, self->observer, mode);
    CFRelease(mode);
    return is_seen;
}

struct crunloop_source *crunloop_open(struct crunloop_owner owner, bool of_main_thread) {
    struct crunloop_source *self = malloc(sizeof *self);
    struct shared_owner *shared = malloc(sizeof *shared);
    if (!self || !shared) {
        free(self);
        free(shared);
        return NULL;
    }
    owner.retain(owner.info);
    *shared = (struct shared_owner){.owner = owner, .count = 1};
    struct source_context source = {
        .info = shared, .retain = retain_owner, .release = release_owner, .cancel = cancel, .perform = perform};
    self->loop = CFRetain(of_main_thread ? CFRunLoopGetMain() : CFRunLoopGetCurrent());
    self->source = CFRunLoopSourceCreate(NULL, 0, &source);
    struct observer_context observer = {.info = (void *)self->source, .retain = CFRetain, .release = CFRelease};
    self->observer = CFRunLoopObserverCreate(NULL, entry | leaving, 1, 0, observe, &observer);
    CFRunLoopAddObserver(self->loop, self->observer, kCFRunLoopCommonModes);
    CFRunLoopAddSource(self->loop, self->source, kCFRunLoopCommonModes);
    // Another thread's run loop may be entered or left just now; it is seen the next time.
    if (self->loop == CFRunLoopGetCurrent() && is_seen_turning(self)) owner.turn(owner.info, true);
    release_owner(shared);
    return self;
}

void crunloop_signal(struct crunloop_source *self, bool wake) {
    CFRunLoopSourceSignal(self->source);
    if (wake) CFRunLoopWakeUp(self->loop);
}

void crunloop_close(struct crunloop_source *self) {
    CFRunLoopRemoveSource(self->loop, self->source, kCFRunLoopCommonModes);
    CFRunLoopRemoveObserver(self->loop, self->observer, kCFRunLoopCommonModes);
    CFRelease(self->source);
    CFRelease(self->observer);
    // A loop that sleeps would not notice that it has lost its last source.
    CFRunLoopWakeUp(self->loop);
    CFRelease(self->loop);
    free(self);
}
