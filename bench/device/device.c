/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What device ranges cost: prints for each row microseconds of the enqueuing thread, what of them
 * is the scheme's own, and of the stream, per range; device.py explains them. For comparison: the
 * same with a handle on the heap, as in PyTorch, and the unavoidable cost in a stream: a pair of
 * events and, compiled by nvcc, an empty kernel. The tool is linked in and does nothing.
 *
 *   device [ROUNDS]     at most 200 */
#include "nvtxh/device.h"
#include "gate.h"
#include "heap.h"
#include "tool.h"

#include <cuda_runtime_api.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* A round enqueues at most 2 * RANGES host functions while the stream is held. CUDA does not
 * document how many it takes before it blocks the host; for stream operations, some 1,000 are
 * reported. */
enum { RANGES = 50, ROUNDS = 200, CHAIN = 10, ALARM_S = 20 };

static cudaStream_t stream, second;
static cudaEvent_t event;

#define CHECK(call)                                                                                \
    do {                                                                                           \
        int status_ = (int)(call);                                                                 \
        if (status_) {                                                                             \
            fprintf(stderr, "%s: %d\n", #call, status_);                                           \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

static void CUDART_CB do_nothing(void *unused) {
    (void)unused;
}

/* --- what is measured: each RANGES of them ---------------------------------------------------------- */

static void launches(void) {
    int i;

    for (i = 0; i < RANGES; i++)
        CHECK(cudaLaunchHostFunc(stream, do_nothing, NULL));
}

#if CUDART_VERSION >= 13010
/* The thread that runs host functions spins instead of sleeping until the next one is ready. */
static void spinning(void) {
    int i;

    for (i = 0; i < RANGES; i++)
        CHECK(cudaLaunchHostFunc_v2(stream, do_nothing, NULL, cudaHostTaskSpinWait));
}

/* False: the driver is older than the runtime. */
static bool can_spin(void) {
    bool can = cudaLaunchHostFunc_v2(stream, do_nothing, NULL, cudaHostTaskSpinWait) == cudaSuccess;

    (void)cudaGetLastError();
    return can;
}
#endif

static void questions(void) {
    enum cudaStreamCaptureStatus status;
    int i;

    for (i = 0; i < RANGES; i++)
        CHECK(cudaStreamIsCapturing(stream, &status));
}

static void start_end(void) {
    struct nvtxh_device_range range;
    int i;

    for (i = 0; i < RANGES; i++) {
        CHECK(nvtxh_device_start(stream, &range, "a range of ordinary length"));
        CHECK(nvtxh_device_end(stream, range));
    }
}

static void chain(void) {
    struct nvtxh_device_range range;
    int i, k;

    for (i = 0; i < RANGES / CHAIN; i++) {
        CHECK(nvtxh_device_start(stream, &range, "a range of ordinary length"));
        for (k = 1; k < CHAIN; k++)
            CHECK(nvtxh_device_next(stream, &range, "a range of ordinary length"));
        CHECK(nvtxh_device_end(stream, range));
    }
}

static void marks(void) {
    int i;

    for (i = 0; i < RANGES; i++)
        CHECK(nvtxh_device_mark(stream, "a mark of ordinary length"));
}

static void paused(void) {
    nvtxh_enable(false);
    start_end();
    nvtxh_enable(true);
}

static void heap(void) {
    void *range;
    int i;

    for (i = 0; i < RANGES; i++) {
        CHECK(heap_start(stream, "a range of ordinary length", &range));
        CHECK(cudaLaunchHostFunc(stream, heap_end, range));
    }
}

static void event_pairs(void) {
    int i;

    for (i = 0; i < RANGES; i++) {
        CHECK(cudaEventRecord(event, stream));
        CHECK(cudaEventRecord(event, stream));
    }
}

#ifdef __CUDACC__
__global__ void nothing(void) {
}

static void kernels(void) {
    int i;

    for (i = 0; i < RANGES; i++)
        nothing<<<1, 1, 0, stream>>>();
}
#endif

/* A second stream, independent of the ranges in the first one unless host functions hold it up. */
static void beside(void) {
    int i;

    start_end();
    for (i = 0; i < RANGES; i++)
#ifdef __CUDACC__
        nothing<<<1, 1, 0, second>>>();
#else
        CHECK(cudaEventRecord(event, second));
#endif
}

static cudaGraphExec_t graph_of(void (*what)(void)) {
    cudaGraphExec_t exec;
    cudaGraph_t graph;

    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    what();
    CHECK(cudaStreamEndCapture(stream, &graph));
    CHECK(cudaGraphInstantiateWithFlags(&exec, graph, 0));
    CHECK(cudaGraphDestroy(graph));
    return exec;
}

static cudaGraphExec_t pairs_graph, chain_graph;

static void replay_pairs(void) {
    CHECK(cudaGraphLaunch(pairs_graph, stream));
}

static void replay_chain(void) {
    CHECK(cudaGraphLaunch(chain_graph, stream));
}

/* --- measuring ------------------------------------------------------------------------------------- */

static double now_us(void) {
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static int compare(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* A round runs a function RANGES times. For BESIDE, the stream's column is that of the second
 * stream. */
struct row {
    const char *name;
    void (*what)(void); /* NULL: CUDA does not have it */
    double launches;    /* of host functions, for each range */
    double host, own, device[ROUNDS];
};

#define SPIN "launch of an empty host function, with spin-wait"
#define BESIDE "a second stream beside start and end: "
static struct row rows[] = {
    {"launch of an empty host function", launches, 1, 1e9, 0, {0}},
    {"asking whether the stream is captured", questions, 0, 1e9, 0, {0}},
    {"nobody listens (paused)", paused, 0, 1e9, 0, {0}},
    {"start and end", start_end, 2, 1e9, 0, {0}},
    {"chains of 10 with next", chain, (CHAIN + 1.0) / CHAIN, 1e9, 0, {0}},
    {"mark", marks, 1, 1e9, 0, {0}},
    {"handle on the heap, start and end", heap, 2, 1e9, 0, {0}},
    {"two events", event_pairs, 0, 1e9, 0, {0}},
#ifdef __CUDACC__
    {"an empty kernel", kernels, 0, 1e9, 0, {0}},
#endif
#if CUDART_VERSION >= 13010
    {SPIN, spinning, 0, 1e9, 0, {0}},
#endif
#ifdef __CUDACC__
    {BESIDE "an empty kernel", beside, 2, 1e9, 0, {0}},
#else
    {BESIDE "an event", beside, 2, 1e9, 0, {0}},
#endif
    {"start and end, replayed by a graph", replay_pairs, 0, 1e9, 0, {0}},
    {"chains of 10, replayed by a graph", replay_chain, 0, 1e9, 0, {0}},
};
enum { ROWS = sizeof(rows) / sizeof(rows[0]) };

/* The stream is held while the host enqueues, and then does all of it. Each function runs once
 * before it is measured, so that it finds memory in the state in which it leaves it, and not as the
 * previous row has left it. */
static void measure(struct row *row, int round) {
    cudaStream_t measured = row->what == beside ? second : stream;
    double before, enqueued, let_go, host;

    under_way = row->name;
    alarm(ALARM_S);
    row->what();
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaLaunchHostFunc(stream, wait_at_gate, NULL));
    if (measured != stream)
        CHECK(cudaLaunchHostFunc(measured, wait_at_gate, NULL));
    before = now_us();
    row->what();
    enqueued = now_us();
    let_go = now_us();
    sem_post(&gate); /* which may run the stream's thread at once */
    if (measured != stream)
        sem_post(&gate);
    CHECK(cudaStreamSynchronize(measured));
    row->device[round] = (now_us() - let_go) / RANGES;
    CHECK(cudaDeviceSynchronize());
    CHECK(nvtxh_device_drain(-1));
    alarm(0);
    host = (enqueued - before) / RANGES;
    row->host = host < row->host ? host : row->host;
}

/* The host's times are the least of all rounds, the rows taking turns; the stream's the medians. */
static void print(int rounds) {
    struct row *row;

    for (row = rows; row < rows + ROWS; row++) {
        if (!row->what)
            continue;
        qsort(row->device, (size_t)rounds, sizeof(row->device[0]), compare);
        row->own = row->host - row->launches * rows[0].host;
        printf("%s\t%.3f\t%.3f\t%.3f\n", row->name, row->host, row->own, row->device[rounds / 2]);
    }
}

int main(int argc, char **argv) {
    int n = 0, round, i, rounds = argc > 1 ? atoi(argv[1]) : ROUNDS;

    InitializeInjectionNvtx2_fnptr = tool_init; /* where NVTX looks for a tool that is linked in */
    if (cudaGetDeviceCount(&n) != cudaSuccess || !n) {
        printf("skipped: no CUDA device\n");
        return 77;
    }
    gate_init();
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    CHECK(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking));
    CHECK(cudaEventCreate(&event));
    (void)nvtxh_listening();
    pairs_graph = graph_of(start_end);
    chain_graph = graph_of(chain);
#if CUDART_VERSION >= 13010
    for (i = 0; i < ROWS; i++)
        if (rows[i].what == spinning && !can_spin())
            rows[i].what = NULL;
#endif
    for (round = 0; round < rounds; round++)
        for (i = 0; i < ROWS; i++)
            if (rows[i].what)
                measure(&rows[i], round);
    print(rounds);
    CHECK(cudaGraphExecDestroy(pairs_graph));
    CHECK(cudaGraphExecDestroy(chain_graph));
    CHECK(cudaStreamDestroy(stream));
    CHECK(cudaStreamDestroy(second));
    return 0;
}
