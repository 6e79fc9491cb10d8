/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_TEST_INJECT_CHECK_H
#define NVTXH_TEST_INJECT_CHECK_H

/* What programs claim that are no tests of cmocka. */
#include "log.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Ends the program with status 1 unless `claim` holds. */
#define check(claim)                                                                               \
    do {                                                                                           \
        if (!(claim)) {                                                                            \
            fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #claim);                    \
            fflush(NULL);                                                                          \
            _exit(1);                                                                              \
        }                                                                                          \
    } while (0)

/* Compares everything the tool got since the last call with a text: see log.h. */
#define logged(expected) logged_at(expected, __FILE__, __LINE__)
static inline void logged_at(const char *expected, const char *file, int line) {
    char *text = log_text(0);

    if (strcmp(text, expected)) {
        fprintf(stderr, "%s:%d: the log is\n  %s\nand should be\n  %s\n", file, line, text,
                expected);
        fflush(NULL);
        _exit(1);
    }
    free(text);
    log_reset();
}

#endif
