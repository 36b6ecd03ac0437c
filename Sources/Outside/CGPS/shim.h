// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <gps.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

// The layout of gps_data_t changes with nearly every release: a version that nobody reviewed must not build.
_Static_assert(GPSD_API_MAJOR_VERSION == 11, "libgps with an API major that this code was not reviewed for; see Sources/Outside/CGPS");

// gps_data_t is 24 KB of which Swift sees arrays as tuples: it is allocated, cleared and read here, never copied.

static inline struct gps_data_t *cgps_allocate(void) {
    return (struct gps_data_t *)calloc(1, sizeof(struct gps_data_t));
}

static inline void cgps_clear(struct gps_data_t *data) {
    memset(data, 0, sizeof *data);
}

// gps_unpack leaves in place what a line does not mention. All but the satellites and the parts that nothing here reads: a report in
// the union is short, raw measurements are half of the 24 KB.
static inline void cgps_clear_report(struct gps_data_t *data) {
    memset(data, 0, offsetof(struct gps_data_t, skyview));
    memset(&data->dev, 0, sizeof data->dev);
    memset(&data->policy, 0, sizeof data->policy);
    memset(&data->attitude, 0, sizeof data->attitude);
    memset(&data->gst, 0, sizeof data->gst);
    memset(&data->error, 0, sizeof data->error);
    memset(&data->version, 0, sizeof data->version);
}

// What gps_unpack calls in a loop. Exported, but missing in gps.h.
int libgps_json_unpack(const char *object, struct gps_data_t *data, const char **end);

// Decodes the one object that begins at `object`; 0 if libgps understood all of it.
//
// gps_unpack itself cannot be used: it ends its loop on -1 only, and tries an object again, for ever, that does not parse
// for any other reason. A list of five devices is one.
static inline int cgps_decode(const char *object, struct gps_data_t *data) {
    const char *end = object;
    return libgps_json_unpack(object, data, &end);
}

// The device that the decoded line names.
static inline const struct devconfig_t *cgps_device(const struct gps_data_t *data) {
    return &data->dev;
}

static inline const char *cgps_path(const struct devconfig_t *device) {
    return device->path;
}

static inline size_t cgps_path_length(const struct devconfig_t *device) {
    return strnlen(device->path, sizeof device->path);
}

static inline const char *cgps_driver(const struct devconfig_t *device) {
    return device->driver;
}

static inline size_t cgps_driver_length(const struct devconfig_t *device) {
    return strnlen(device->driver, sizeof device->driver);
}

static inline const char *cgps_error(const struct gps_data_t *data) {
    return data->error;
}

static inline size_t cgps_error_length(const struct gps_data_t *data) {
    return strnlen(data->error, sizeof data->error);
}

static inline const char *cgps_release(const struct gps_data_t *data) {
    return data->version.release;
}

static inline size_t cgps_release_length(const struct gps_data_t *data) {
    return strnlen(data->version.release, sizeof data->version.release);
}

// The satellites of the line decoded last; those that are none have the number 0.
static inline const struct satellite_t *cgps_satellites(const struct gps_data_t *data) {
    return data->skyview;
}

static inline const struct gps_fix_t *cgps_fix(const struct gps_data_t *data) {
    return &data->fix;
}
