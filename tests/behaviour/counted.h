/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_TEST_COUNTED_H
#define NVTXH_TEST_COUNTED_H

/* What the tests of statistics share: time that passes, and what is counted meanwhile. */
#include "test.h"
#include "nvtxh/stats.h"

#include <time.h>

/* The tool is slow, because it logs every event. So times that include its calls are not exact. */
static uint64_t now(void) {
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static uint64_t spin(uint64_t ns) {
    uint64_t begin = now(), end;

    do
        end = now();
    while (end - begin < ns);
    return end - begin;
}

static uint64_t test_began; /* when the current test began */

static int begin(void **state) {
    test_began = now();
    nvtxh_stats_enable(true);
    nvtxh_stats_reset();
    return test_begin(state);
}

static int end(void **state) {
    (void)state;
    nvtxh_stats_enable(false);
    return 0;
}

/* Counted N times where annotations are compiled in, with or without a tool. */
static void counted_at(const char *message, uint64_t n, const char *file, int line) {
    _assert_int_equal(nvtxh_stats_find(message).count, compiled_in ? n : 0, file, line);
}
#define counts(message, n) counted_at(message, n, __FILE__, __LINE__)

/* At least `expected`, and at most the time since the test began, because the system may stop the
 * program at any place. */
#define near(ns, expected)                                                                         \
    do {                                                                                           \
        assert_true((ns) + (ns) / 100 + 2000 >= (expected));                                       \
        assert_true((ns) <= now() - test_began + (ns) / 100 + 2000);                               \
    } while (0)

#define COUNTED(function) cmocka_unit_test_setup_teardown(function, begin, end)

#endif
