// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <ini.h>

// The options are plain globals, which Swift does not let anyone touch. To be called once, before the first parse.
//
// Off: indented lines that continue a value, comments behind a value (they cut quoted text, too), keys without a value,
// a byte order mark, and stopping at the first error.
static inline void cinih_be_strict(void) {
    ini_allow_multiline = false;
    ini_allow_inline_comments = false;
    ini_allow_no_value = false;
    ini_allow_bom = false;
    ini_stop_on_first_error = false;
}
