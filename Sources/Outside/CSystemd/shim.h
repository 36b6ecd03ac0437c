// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <stdbool.h>
#include <string.h>
#include <systemd/sd-bus.h>
#include <systemd/sd-daemon.h>
#include <systemd/sd-event.h>
#include <systemd/sd-journal.h>
#include <systemd/sd-login.h>

// Entries of an interface's table, whose macros and bit fields Swift does not see. `names`: the arguments' names, those of the input first,
// each ended by a NUL. All strings must outlive the table.

static inline void csystemd_vtable_start(struct sd_bus_vtable *entry) {
    *entry = (struct sd_bus_vtable)SD_BUS_VTABLE_START(0);
}

static inline void csystemd_vtable_method(
    struct sd_bus_vtable *entry, const char *member, const char *input, const char *output, const char *names,
    sd_bus_message_handler_t handler) {
    memset(entry, 0, sizeof *entry);
    // Unprivileged callers may call: who may what is the program's to decide.
    entry->type = _SD_BUS_VTABLE_METHOD;
    entry->flags = SD_BUS_VTABLE_UNPRIVILEGED;
    entry->x.method.member = member;
    entry->x.method.signature = input;
    entry->x.method.result = output;
    entry->x.method.handler = handler;
    entry->x.method.names = names;
}

static inline void csystemd_vtable_signal(
    struct sd_bus_vtable *entry, const char *member, const char *signature, const char *names) {
    memset(entry, 0, sizeof *entry);
    entry->type = _SD_BUS_VTABLE_SIGNAL;
    entry->x.signal.member = member;
    entry->x.signal.signature = signature;
    entry->x.signal.names = names;
}

// `set` may be NULL; a property that is neither writable nor constant tells when it changes.
static inline void csystemd_vtable_property(
    struct sd_bus_vtable *entry, const char *member, const char *signature, bool constant, sd_bus_property_get_t get,
    sd_bus_property_set_t set) {
    memset(entry, 0, sizeof *entry);
    entry->type = set ? _SD_BUS_VTABLE_WRITABLE_PROPERTY : _SD_BUS_VTABLE_PROPERTY;
    entry->flags = (constant ? SD_BUS_VTABLE_PROPERTY_CONST : SD_BUS_VTABLE_PROPERTY_EMITS_CHANGE)
                 | (set ? SD_BUS_VTABLE_UNPRIVILEGED : 0);
    entry->x.property.member = member;
    entry->x.property.signature = signature;
    entry->x.property.get = get;
    entry->x.property.set = set;
}

static inline void csystemd_vtable_end(struct sd_bus_vtable *entry) {
    *entry = (struct sd_bus_vtable)SD_BUS_VTABLE_END;
}
