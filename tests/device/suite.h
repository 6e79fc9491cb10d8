/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_TEST_DEVICE_SUITE_H
#define NVTXH_TEST_DEVICE_SUITE_H

/* Shared by all programs here. Each is plain CUDA: it runs anywhere with the fake runtime, and on a
 * device with cudart. The tool is the logging one of tests/inject. Statuses are compared as
 * numbers, which are the same for the runtime and the driver. */

#include "nvtxh.h"
#include "nvtxh/device.h"
#include "../inject/check.h"

#include <cuda_runtime_api.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define equal(number, expected)                                                                    \
    do {                                                                                           \
        long long number_ = (long long)(number), expected_ = (long long)(expected);                \
        if (number_ != expected_) {                                                                \
            fprintf(stderr, "%s:%d: %s is %lld and should be %lld\n", __FILE__, __LINE__, #number, \
                    number_, expected_);                                                           \
            fflush(NULL);                                                                          \
            _exit(1);                                                                              \
        }                                                                                          \
    } while (0)
#define ok(call) equal(call, 0)

/* Waits until everything enqueued is done. */
static inline void settle(void) {
    ok(cudaDeviceSynchronize());
    ok(nvtxh_device_drain(10000));
}

/* Every slot that was ever used is in use or in the free list, at the latest when host functions
 * have returned. */
static inline void slots_balance(void) {
#ifdef NVTXH_DEVICE_POOL_H /* else the implementation is in another file */
    struct nvtxh_device_counts now;
    uint64_t used, seen = 0;
    uint32_t next;
    int i;

    for (used = 1, i = 0; i < 10000 && seen != used; i++) {
        if (i)
            usleep(1000);
        ok(nvtxh_device_counts(&now));
        seen = now.pending + now.open + now.captured;
        next = (uint32_t)__atomic_load_n(&nvtxh_i_device.free_slots, __ATOMIC_ACQUIRE);
        for (; next && seen <= NVTXH_DEVICE_RANGES; seen++)
            next = __atomic_load_n(&nvtxh_i_slots[next - 1].next, __ATOMIC_RELAXED);
        used = __atomic_load_n(&nvtxh_i_device.n_used, __ATOMIC_RELAXED);
    }
    equal(seen, used);
#endif
}

/* Compares the counts; those that only grow, since the last comparison. */
static struct nvtxh_device_counts counted_before;
static inline void counts(long long pending, long long open, long long captured, long long lost,
                          long long cancelled, long long exhausted) {
    struct nvtxh_device_counts now;

    ok(nvtxh_device_counts(&now));
    equal(now.pending, pending);
    equal(now.open, open);
    equal(now.captured, captured);
    equal(now.lost - counted_before.lost, lost);
    equal(now.cancelled - counted_before.cancelled, cancelled);
    equal(now.exhausted - counted_before.exhausted, exhausted);
    counted_before = now;
    slots_balance();
}

/* A stream that stands still from `hold` to `release`. */
struct gate {
    sem_t semaphore;
};
static inline void CUDART_CB wait_at_gate(void *gate) {
    while (sem_wait(&((struct gate *)gate)->semaphore))
        ;
}
static inline void hold(cudaStream_t stream, struct gate *gate) {
    sem_init(&gate->semaphore, 0, 0);
    ok(cudaLaunchHostFunc(stream, wait_at_gate, gate));
}
static inline void release(struct gate *gate) {
    sem_post(&gate->semaphore);
}

/* Waits until N ranges are captured, because a graph does not release its ranges at once. */
static inline void await_captured(long long n) {
    struct nvtxh_device_counts now;
    int i;

    for (i = 0; i < 5000; i++) {
        nvtxh_device_counts(&now);
        if ((long long)now.captured == n)
            return;
        usleep(1000);
    }
    equal(now.captured, n);
}

/* Exit status 77, with a line that says why, where there is no device. */
static inline void need_device(void) {
    int n = 0;
    cudaError_t status = cudaGetDeviceCount(&n);

    if (status == cudaSuccess && n)
        return;
    printf("skipped: no CUDA device (%s)\n",
           status == cudaSuccess ? "none found" : cudaGetErrorName(status));
    exit(77);
}

#define RUN(function)                                                                              \
    do {                                                                                           \
        log_reset();                                                                               \
        nvtxh_device_set_mode(NVTXH_DEVICE_INTERVAL);                                              \
        function();                                                                                \
        printf("ok: %s\n", #function);                                                             \
        fflush(stdout);                                                                            \
    } while (0)

static inline cudaGraphExec_t instantiate(cudaGraph_t graph) {
    cudaGraphExec_t exec;

    ok(cudaGraphInstantiateWithFlags(&exec, graph, 0));
    return exec;
}

#endif
