/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Statistics are switched, read and reset while eight threads count every kind of annotation. */
#include "nvtxh.h"
#include "nvtxh/stats.h"

#include <pthread.h>
#include <sched.h>

enum { THREADS = 8, SWITCHES = 300 };

NVTX_DOMAIN(train, "train");
static int over, passed;

static void *annotated(void *unused) {
    (void)unused;
    while (!__atomic_load_n(&over, __ATOMIC_RELAXED)) {
        struct nvtxh_range range = NVTX_START("range", .domain = &train);

        NVTX_SCOPE("scope");
        NVTX_SCOPEF("scope %d", 1);
        NVTX_PUSH("push", .domain = &train);
        NVTX_MARK("mark");
        NVTX_POP(.domain = &train);
        NVTX_END(range);
        __atomic_fetch_add(&passed, 1, __ATOMIC_RELAXED);
    }
    return NULL;
}

int main(void) {
    pthread_t threads[THREADS];
    struct nvtxh_stats rows[16];
    size_t n = 0, most = 0;
    int i;

    for (i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, annotated, NULL);
    for (i = 0; i < SWITCHES; i++) {
        int before = __atomic_load_n(&passed, __ATOMIC_RELAXED);

        nvtxh_stats_enable(i % 2 == 0);
        while (__atomic_load_n(&passed, __ATOMIC_RELAXED) - before < THREADS)
            sched_yield();
        if (i % 8 == 4 && nvtxh_stats_read(rows, 16, &n))
            most = n > most ? n : most;
        if (i % 32 == 31)
            nvtxh_stats_reset();
    }
    __atomic_store_n(&over, 1, __ATOMIC_RELAXED);
    for (i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    nvtxh_stats_enable(false);
    return nvtxh_stats_enabled() || most > 5;
}
