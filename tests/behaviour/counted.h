/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_TEST_COUNTED_H
#define NVTXH_TEST_COUNTED_H

/* What the tests of statistics share: the beginning and the end of each, and what is counted. */
#include "test.h"
#include "nvtxh/stats.h"

static int begin(void **state) {
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

#define COUNTED(function) cmocka_unit_test_setup_teardown(function, begin, end)

#endif
