/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_BASE_ERROR_H
#define NVTXH_BASE_ERROR_H
/* Why something failed, in a line for people. A function that fails returns false and fills in its caller's error. */
#include <limits.h>
#include <stdbool.h>

/* Has room for a sentence with the path of a file. A longer text is cut off at its end. */
struct error {
    char text[PATH_MAX + 256];
};

/* Returns false, for `return error_set(...)`. Arguments must not point into *ret. */
__attribute__((format(printf, 2, 3), cold)) bool error_set(struct error *ret, const char *format, ...);

#endif /* NVTXH_BASE_ERROR_H */
