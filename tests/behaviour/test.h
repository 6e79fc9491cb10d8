/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_TEST_BEHAVIOUR_H
#define NVTXH_TEST_BEHAVIOUR_H

/* Shared by all programs here. Each is compiled as C and as C++, with annotations on and off. With
 * annotations it runs with the logging tool and without: `logged` expects the given text with a
 * tool, and no events without. */

#include "nvtxh.h"
#include "../inject/log.h"

#ifdef __cplusplus
extern "C" {
#endif
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#ifdef __cplusplus
}
#endif

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(NVTX_DISABLE) || defined(NVTXH_DISABLE)
enum { compiled_in = 0 };
#else
enum { compiled_in = 1 };
#endif

/* WITH, if NVTX's headers have the payload and counter extensions, else WITHOUT. */
#if defined(TEST_EXTENSIONS) && TEST_EXTENSIONS
#define EXTENDED(with, without) (with)
#else
#define EXTENDED(with, without) (without)
#endif

/* Is there a tool that listens? */
static inline int tool(void) {
    return compiled_in && getenv("NVTX_INJECTION64_PATH");
}

/* How often an argument has been evaluated. */
static int evaluated __attribute__((unused));

static inline int counted(int x) {
    evaluated++;
    return x;
}

#define never_evaluated() (assert_int_equal(evaluated, 0))
/* N times where a tool listens, and not at all otherwise. */
#define evaluated_times(n)                                                                         \
    do {                                                                                           \
        assert_int_equal(evaluated, tool() ? (n) : 0);                                             \
        evaluated = 0;                                                                             \
    } while (0)

static inline void logged_at(const char *expected, const char *file, int line) {
    char *text = log_text(0);

    _assert_string_equal(text, tool() ? expected : "", file, line);
    free(text);
    log_reset();
}

/* Compares everything the tool got since the last call with a text: see inject/log.h. */
#define logged(expected) logged_at(expected, __FILE__, __LINE__)

static inline int test_begin(void **state) {
    (void)state;
    evaluated = 0;
    log_reset();
    return 0;
}

#define CASE(function) cmocka_unit_test_setup(function, test_begin)
#define RUN(tests) cmocka_run_group_tests(tests, NULL, NULL)

#endif
