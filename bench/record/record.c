/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What one recorded push and pop cost, compared with two reads of the processor's clock in the same
 * run, which every recorder needs. Run it under `nvtxh record`; without it, the rows show NVTX
 * idle. Bursts with pauses between them, as in real programs, measure the event path. Without
 * pauses, at 20 million events a second and more, the growth of the file is measured.
 *
 *   nvtxh record -f -o bench.nvtxh -- bench/record [THREADS | bursts]
 *
 * `bursts`: only these. */
#include <nvtx3/nvToolsExt.h>

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#if defined(__x86_64__)
#include <x86intrin.h>
#endif

enum { ROUNDS = 15, EVENTS = 200000, THREADS_MAX = 256 };
enum { BURSTS = 200, BURST = 2000, PAUSE_US = 2000 };

static nvtxDomainHandle_t domain;
static nvtxStringHandle_t message;

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void clocks(void) {
#if defined(__x86_64__)
    volatile uint64_t sink;
    sink = __rdtsc();
    sink = __rdtsc();
    (void)sink;
#else
    now();
    now();
#endif
}

/* Some 100 instructions: as many as building an event, two calls and recording them take if
 * compares and their jumps count as one. Nothing waits for any of these. The clock hides as much of
 * them as it hides of the real ones. */
#if defined(__x86_64__)
#define NOPS_8 "nop; nop; nop; nop; nop; nop; nop; nop\n\t"
#define NOPS_48 NOPS_8 NOPS_8 NOPS_8 NOPS_8 NOPS_8 NOPS_8
static void clocks_and_nops(void) {
    volatile uint64_t sink;

    sink = __rdtsc();
    __asm__ volatile(NOPS_48);
    sink = __rdtsc();
    __asm__ volatile(NOPS_48);
    (void)sink;
}
#endif

static void registered(void) {
    nvtxEventAttributes_t a = {0};

    a.version = NVTX_VERSION;
    a.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
    a.category = 7;
    a.colorType = NVTX_COLOR_ARGB;
    a.color = 0xff336699;
    a.payloadType = NVTX_PAYLOAD_TYPE_INT64;
    a.payload.llValue = 42;
    a.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
    a.message.registered = message;
    nvtxDomainRangePushEx(domain, &a);
    nvtxDomainRangePop(domain);
}

static void ascii(void) {
    nvtxRangePushA("a message of ordinary length");
    nvtxRangePop();
}

/* The best of several rounds: the cost of the code, without other load on the machine. */
static double measure(void (*what)(void)) {
    double best = 1e18;

    for (int i = 0; i < ROUNDS; i++) {
        double before = now();
        for (int k = 0; k < EVENTS; k++) {
            what();
        }
        double each = (now() - before) / EVENTS;
        best = each < best ? each : best;
    }
    return best;
}

static int compare(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double burst(void (*what)(void)) {
    usleep(PAUSE_US);
    for (int k = 0; k < 100; k++) {
        what(); /* refills the caches after the pause */
    }
    double before = now();
    for (int k = 0; k < BURST; k++) {
        what();
    }
    return (now() - before) / BURST;
}

static const struct {
    const char *name;
    void (*what)(void);
} turns[] = {
    {"in bursts: two clock reads", clocks},
    {"in bursts: push and pop, all attributes", registered},
    {"in bursts: push and pop, message by pointer", ascii},
#if defined(__x86_64__)
    {"in bursts: two clock reads and 96 nops", clocks_and_nops},
#endif
};
enum { TURNS = sizeof(turns) / sizeof(turns[0]) };

/* The functions take turns, because the processor's speed changes during the measurement. Returns
 * medians: of all bursts, and of their ratios to the burst of the first function just before. */
static void measure_bursts(double *ret_ns, double *ret_ratio) {
    static double each[TURNS][BURSTS], ratio[TURNS][BURSTS];

    for (int i = 0; i < BURSTS; i++) {
        for (int k = 0; k < TURNS; k++) {
            each[k][i] = burst(turns[k].what);
            ratio[k][i] = each[k][i] / each[0][i];
        }
    }
    for (int k = 0; k < TURNS; k++) {
        qsort(each[k], BURSTS, sizeof(each[k][0]), compare);
        qsort(ratio[k], BURSTS, sizeof(ratio[k][0]), compare);
        ret_ns[k] = each[k][BURSTS / 2];
        ret_ratio[k] = ratio[k][BURSTS / 2];
    }
}

/* The time that all but one in ten thousand calls stay under: the median of some tries. */
static double slowest(void (*what)(void)) {
    enum { TRIES = 5, PACED = 100000 };
    static double each[PACED], found[TRIES];

    for (int t = 0; t < TRIES; t++) {
        for (int i = 0; i < PACED; i++) {
            double before = now();
            what();
            each[i] = now() - before;
            while (now() - before < 1000) {
            }
        }
        qsort(each, PACED, sizeof(each[0]), compare);
        found[t] = each[PACED - 1 - PACED / 10000];
    }
    qsort(found, TRIES, sizeof(found[0]), compare);
    return found[TRIES / 2];
}

static double result[THREADS_MAX];

static void *in_thread(void *arg) {
    result[(intptr_t)arg] = measure(registered);
    return NULL;
}

/* The bytes in the recording, if there is one. Chunks are taken from the file as a whole, so only
 * many events show the size of one. */
static double recorded_bytes(void) {
    const char *path = getenv("NVTXH_RECORD_FILE");
    struct stat st;

    return path && stat(path, &st) == 0 ? (double)st.st_size : 0;
}

int main(int argc, char **argv) {
    double before = now();

    int threads = argc > 1 ? atoi(argv[1]) : 0;
    pthread_t t[THREADS_MAX];

    domain = nvtxDomainCreateA("bench"); /* the first call loads the tool */
    printf("%-44s %7.2f ms\n", "start-up: the first call", (now() - before) / 1e6);
    message = nvtxDomainRegisterStringA(domain, "registered");
    double burst_ns[TURNS], ratio[TURNS];
    measure_bursts(burst_ns, ratio);
    for (int k = 0; k < TURNS; k++) {
        printf("%-44s %7.1f ns  %.2f x\n", turns[k].name, burst_ns[k], ratio[k]);
    }
    if (argc > 1 && !strcmp(argv[1], "bursts")) {
        return 0;
    }
    printf("%-44s %7.1f ns\n", "one a microsecond, 99.99 %: two clock reads", slowest(clocks));
    printf("%-44s %7.1f ns\n", "one a microsecond, 99.99 %: push and pop", slowest(registered));
    double floor_ns = measure(clocks);
    double bytes = recorded_bytes();
    double registered_ns = measure(registered);
    bytes = recorded_bytes() - bytes;
    if (bytes > 0) {
        printf("%-44s %7.1f bytes\n", "a range, all attributes", bytes / ((double)ROUNDS * EVENTS));
    }
    double ascii_ns = measure(ascii);
    printf("%-44s %7.1f ns\n", "two clock reads", floor_ns);
    printf("%-44s %7.1f ns  %.2f x\n", "push and pop, registered, all attributes", registered_ns,
           registered_ns / floor_ns);
    printf("%-44s %7.1f ns  %.2f x\n", "push and pop, message by pointer", ascii_ns,
           ascii_ns / floor_ns);
    for (intptr_t i = 0; i < threads && i < THREADS_MAX; i++) {
        pthread_create(&t[i], NULL, in_thread, (void *)i);
    }
    for (intptr_t i = 0; i < threads && i < THREADS_MAX; i++) {
        pthread_join(t[i], NULL);
        printf("thread %-37jd %7.1f ns  %.2f x\n", (intmax_t)i + 1, result[i],
               result[i] / floor_ns);
    }
    return 0;
}
