// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <errno.h>
#include <unistd.h>

static inline int close_keeping_errno(int fd) {
    int saved = errno;
    close(fd);
    errno = saved;
    return -1;
}
