/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_TEST_CHECK_H
#define NVTXH_TEST_CHECK_H

/* The lines to be reported on stderr between BEGIN and END. */
#include "test.h"

#include <fcntl.h>

static int real_stderr = -1, capture = -1;
static char expected[4096];

/* Otherwise nothing would be reported, because another file has become descriptor 2. */
static void stderr_is_ours(void) {
#if NVTXH_I_CHECK
    nvtxh_i_stderr_look(&nvtxh_i_stderr_was, false);
#endif
}

static void capture_begin(void) {
    char path[] = "/tmp/nvtxh-check-XXXXXX";

    capture = mkstemp(path);
    assert_true(capture >= 0);
    unlink(path);
    fflush(stderr);
    real_stderr = dup(2);
    assert_int_equal(dup2(capture, 2), 2);
    stderr_is_ours();
    expected[0] = 0;
}

static void capture_end(const char *file, int line) {
    static char text[4096];
    ssize_t n;

    fflush(stderr);
    dup2(real_stderr, 2);
    close(real_stderr);
    stderr_is_ours();
    n = pread(capture, text, sizeof(text) - 1, 0);
    close(capture);
    assert_true(n >= 0);
    text[n] = 0;
    _assert_string_equal(text, compiled_in ? expected : "", file, line);
}

/* A line to be reported, for a mistake in line LINE of the including file. */
static void expect(unsigned line, const char *format, ...) {
    size_t n = strlen(expected);
    va_list args;

    n +=
        (size_t)snprintf(expected + n, sizeof(expected) - n, "nvtxh: %s:%u: ", __BASE_FILE__, line);
    va_start(args, format);
    n += (size_t)vsnprintf(expected + n, sizeof(expected) - n, format, args);
    va_end(args);
    snprintf(expected + n, sizeof(expected) - n, "\n");
}

#define BEGIN capture_begin()
#define END capture_end(__FILE__, __LINE__)

#endif
