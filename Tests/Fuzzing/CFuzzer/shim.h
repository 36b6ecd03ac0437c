// SPDX-License-Identifier: Apache-2.0
// libFuzzer's entry for programs that have a main of their own; clang installs no header with it.
#pragma once
#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerRunDriver(int *argc, char ***argv, int (*body)(const uint8_t *data, size_t size));
