/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What a counted scope costs, compared with two reads of the clock in the same run, which every
 * measurement needs. Under `nvtxh record`, the first rows are those of a recorded scope. The best
 * of many short rounds: the cost of the code, without other load on the machine.
 *
 *   bench/stats [THREADS] */
#include "nvtxh.h"
#include "nvtxh/stats.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { ROUNDS = 20000, EACH = 100, THREADS_MAX = 256 };

struct measured {
    double ns, floor_ns;
};
static struct measured result[THREADS_MAX];

static double now(void) {
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void clocks(int i) {
#if defined(__x86_64__)
    volatile unsigned long long sink;

    (void)i;
    sink = __builtin_ia32_rdtsc();
    sink = __builtin_ia32_rdtsc();
    (void)sink;
#else
    (void)i;
    now();
    now();
#endif
}

static void plain(int i) {
    NVTX_SCOPE("plain");
    (void)i;
    __asm__ volatile("" ::: "memory");
}

static void attributes(int i) {
    NVTX_SCOPE("attributes", .color = NVTXH_GREEN, .payload = nvtxh_payload(i));
    __asm__ volatile("" ::: "memory");
}

static void formatted(int i) {
    NVTX_SCOPEF("formatted %d", i);
    __asm__ volatile("" ::: "memory");
}

static void pushed(int i) {
    NVTX_PUSH("pushed");
    (void)i;
    __asm__ volatile("" ::: "memory");
    NVTX_POP();
}

static void marked(int i) {
    (void)i;
    NVTX_MARK("marked");
}

/* Nanoseconds per call, with the function inlined. Clock reads alternate with it, because the
 * processor's speed changes during the measurement. */
#define ROUND(what, best)                                                                          \
    do {                                                                                           \
        double before = now(), each;                                                               \
                                                                                                   \
        for (int i = 0; i < EACH; i++)                                                             \
            what(i);                                                                               \
        each = (now() - before) / EACH;                                                            \
        if (each < (best))                                                                         \
            best = each;                                                                           \
    } while (0)
#define MEASURE(what)                                                                              \
    __extension__({                                                                                \
        struct measured m = {1e18, 1e18};                                                          \
                                                                                                   \
        for (int r = 0; r < ROUNDS; r++) {                                                         \
            ROUND(clocks, m.floor_ns);                                                             \
            ROUND(what, m.ns);                                                                     \
        }                                                                                          \
        m;                                                                                         \
    })

static void *in_thread(void *arg) {
    *(struct measured *)arg = MEASURE(plain);
    return NULL;
}

/* Reads all rows. The first read waits until the clock's rate is known. */
static double reading(void) {
    struct nvtxh_stats rows[8];
    double best = 1e18;
    size_t n;

    for (int r = 0; r < 100; r++) {
        double before = now(), took;

        nvtxh_stats_read(rows, 8, &n);
        took = now() - before;
        best = took < best ? took : best;
    }
    return best;
}

static void row(const char *name, struct measured m) {
    printf("%-40s %7.1f ns  %5.2f x\n", name, m.ns, m.ns / m.floor_ns);
}

int main(int argc, char **argv) {
    int threads = argc > 1 ? atoi(argv[1]) : 0;
    pthread_t t[THREADS_MAX];

    threads = threads < THREADS_MAX ? threads : THREADS_MAX;
    row("two clock reads", MEASURE(clocks));
    row(nvtxh_listening() ? "recorded" : "nobody listens", MEASURE(plain));
    row(nvtxh_listening() ? "recorded, colour and payload" : "nobody listens, colour and payload",
        MEASURE(attributes));
    nvtxh_stats_enable(true);
    row("statistics on", MEASURE(plain));
    row("statistics on, colour and payload", MEASURE(attributes));
    row("statistics on, printf form", MEASURE(formatted));
    row("statistics on, push and pop", MEASURE(pushed));
    row("statistics on, mark", MEASURE(marked));
    for (int i = 0; i < threads; i++)
        pthread_create(&t[i], NULL, in_thread, &result[i]);
    for (int i = 0; i < threads; i++) {
        char name[40];

        pthread_join(t[i], NULL);
        snprintf(name, sizeof(name), "statistics on, thread %d of %d", i + 1, threads);
        row(name, result[i]);
    }
    printf("%-40s %7.1f ns\n", "reading all of it", reading());
    return 0;
}
