// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <gps.h>

// The layout of gps_data_t changes with nearly every release: a version that nobody reviewed must not build.
_Static_assert(GPSD_API_MAJOR_VERSION == 11, "libgps with an API major that this code was not reviewed for; see Sources/CGPS");
