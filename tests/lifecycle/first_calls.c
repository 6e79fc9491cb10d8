/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Each public function as the first call, of eight threads at once. The argument says which. */
#include "nvtxh.h"
#include "nvtxh/stats.h"
#include "nvtxh/capture.h"
#include "nvtxh/counter.h"
#include <pthread.h>
#include <stdlib.h>

NVTXH_DOMAIN(train, "train");
NVTXH_CATEGORY(gemm, &train, "gemm");
NVTXH_COUNTER(counter, &train, "counter");
static pthread_barrier_t all;
static int which;

static void *call(void *unused) {
    struct nvtxh_stats rows[4];
    size_t n;

    pthread_barrier_wait(&all);
    switch (which) {
    case 0:
        nvtxh_domain_named("a");
        break;
    case 1:
        nvtxh_category_named(NULL, "a");
        break;
    case 2:
        nvtxh_string_named(&train, "a");
        break;
    case 3:
        nvtxh_stats_enable(true);
        break;
    case 4:
        nvtxh_thread_name("a");
        break;
    case 5:
        nvtxh_thread_name_os("a");
        break;
    case 6:
        nvtxh_enable(true);
        break;
    case 7:
        (void)nvtxh_enabled();
        break;
    case 8:
        (void)nvtxh_listening();
        break;
    case 9:
        nvtxh_domain_enable(&train, false);
        break;
    case 10:
        nvtxh_stats_read(rows, 4, &n);
        break;
    case 11:
        nvtxh_stats_reset();
        break;
    case 12:
        (void)nvtxh_stats_find("a");
        break;
    case 13:
        (void)nvtxh_stats_enabled();
        break;
    case 14:
        nvtxh_capture_start("a", 0);
        break;
    case 15:
        nvtxh_capture_stop();
        break;
    case 16:
        (void)nvtxh_capture_active();
        break;
    case 17:
        (void)nvtxh_capture_enabled();
        break;
    case 18:
        nvtxh_counter_set(&counter, 1);
        break;
    case 19: {
        NVTX_SCOPE("a", .domain = &train, .category = &gemm);
    } break;
    case 20:
        NVTX_MARKF("%d", which);
        break;
    case 21:
        NVTX_PUSH("a");
        NVTX_POP();
        break;
    case 22:
        nvtxh_end(NVTX_START("a", .domain = nvtxh_domain_named("b")));
        break;
    case 23: {
        NVTXH_SCOPE_STRING(nvtxh_string_named(NULL, "c"));
    } break;
    case 24: {
        NVTXH_CAPTURE_SCOPE("x");
    } break;
    }
    return unused;
}
int main(int argc, char **argv) {
    pthread_t threads[8];
    int i;

    which = argc > 1 ? atoi(argv[1]) : 0;
    pthread_barrier_init(&all, NULL, 8);
    for (i = 0; i < 8; i++)
        pthread_create(&threads[i], NULL, call, NULL);
    for (i = 0; i < 8; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
