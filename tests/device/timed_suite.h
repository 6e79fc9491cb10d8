/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_TEST_DEVICE_TIMED_SUITE_H
#define NVTXH_TEST_DEVICE_TIMED_SUITE_H

/* What the programs about mode TIMED share: two streams, and what the tool got. */

#include "nvtxh.h"
#include "nvtxh/capture.h"
#include "model_tool.h"
#ifdef TEST_FAKE
#include "fake_cuda.h"
#endif

#include <time.h>

#include "deferred_tool.h"

#if DEFERRED_TOOL

static cudaStream_t stream, other;
enum { TOLD = 4096 };
static struct deferred told[TOLD];
static size_t n_told;

static void deferred_event(const struct deferred *event) {
    if (n_told < TOLD)
        told[n_told++] = *event;
}

static int64_t error_ns(void) {
    struct nvtxh_device_counts now;

    ok(nvtxh_device_counts(&now));
    /* 1000: two steps of a float at 2 s, and the error of the host's clock between two points. */
    return (int64_t)now.clock_error_ns + 1000;
}

static int n_stamps;

static void begin(unsigned mode) {
    nvtxh_device_set_mode(mode);
    n_told = 0;
    n_stamps = 0;
    n_starts = n_ends = n_marks = 0;
#ifdef TEST_FAKE
    fake_reset();
#endif
}

/* The number of host functions, without those of `hold` and `stamp`. */
static int host_functions(void) {
#ifdef TEST_FAKE
    return fake_calls("cudaLaunchHostFunc") - n_stamps;
#else
    return 0; /* on a device they are not counted */
#endif
}

static void CUDART_CB stamp_now(void *at) {
    __atomic_store_n((int64_t *)at, now_on_host(), __ATOMIC_RELEASE);
}

static void stamp(int64_t *at) {
    ok(cudaLaunchHostFunc(stream, stamp_now, at));
    n_stamps++;
}

static void told_is(size_t i, const char *message, bool range, int64_t from, int64_t to) {
    int64_t error = error_ns();

    check(i < n_told);
    check(!strcmp(told[i].message, message));
    equal(told[i].range, range);
    check(told[i].begin <= told[i].end);
    check(on_host(told[i].clock, told[i].begin) >= from - error);
    check(on_host(told[i].clock, told[i].end) <= to + error);
}

#define TEST(function)                                                                             \
    do {                                                                                           \
        function();                                                                                \
        printf("ok: %s\n", #function);                                                             \
        fflush(stdout);                                                                            \
    } while (0)

#endif
#endif
