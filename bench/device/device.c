/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What device ranges cost: microseconds of the enqueuing thread and of the stream, per range. Beside
 * them the same with a handle on the heap, which is how PyTorch does it, and what a stream does anyway:
 * a pair of events and, compiled by nvcc, an empty kernel. The tool is linked in and does nothing.
 * Linked with the fake runtime of the tests only the host's column says anything.
 *
 *   meson test --benchmark device     on the fake runtime
 *   sh bench/device/run.sh            on a device
 */
#include "nvtxh/device.h"

#include <cuda_runtime_api.h>
#include <nvtx3/nvToolsExt.h> /* which nvtxh leaves out of the device's half of a .cu file */
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { RANGES = 200, ROUNDS = 30, CHAIN = 10 };

static cudaStream_t stream;
static cudaEvent_t event;

#define CHECK(call)                                                                                \
    do {                                                                                           \
        int status_ = (int)(call);                                                                 \
        if (status_) {                                                                             \
            fprintf(stderr, "%s: %d\n", #call, status_);                                           \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

/* --- a tool that does nothing -------------------------------------------------------------------- */

static nvtxRangeId_t tool_start_ex(const nvtxEventAttributes_t *unused)
{
    (void)unused;
    return 1;
}

static nvtxRangeId_t tool_start(const char *unused)
{
    (void)unused;
    return 1;
}

static void tool_end(nvtxRangeId_t unused)
{
    (void)unused;
}

static void tool_mark(const nvtxEventAttributes_t *unused)
{
    (void)unused;
}

static nvtxStringHandle_t tool_string(nvtxDomainHandle_t unused, const char *text)
{
    nvtxStringHandle_t handle;

    (void)unused;
    memcpy(&handle, &text, sizeof(handle));
    return handle;
}

static int tool_init(NvtxGetExportTableFunc_t get)
{
    const NvtxExportTableCallbacks *callbacks =
        (const NvtxExportTableCallbacks *)get(NVTX_ETID_CALLBACKS);
    NvtxFunctionTable table;
    unsigned size;

    callbacks->GetModuleFunctionTable(NVTX_CB_MODULE_CORE, &table, &size);
    *table[NVTX_CBID_CORE_RangeStartEx] = (NvtxFunctionPointer)tool_start_ex;
    *table[NVTX_CBID_CORE_RangeStartA] = (NvtxFunctionPointer)tool_start;
    *table[NVTX_CBID_CORE_RangeEnd] = (NvtxFunctionPointer)tool_end;
    *table[NVTX_CBID_CORE_MarkEx] = (NvtxFunctionPointer)tool_mark;
    callbacks->GetModuleFunctionTable(NVTX_CB_MODULE_CORE2, &table, &size);
    *table[NVTX_CBID_CORE2_DomainRegisterStringA] = (NvtxFunctionPointer)tool_string;
    return 1;
}

/* --- a handle on the heap ------------------------------------------------------------------------- */

struct heap_range {
    nvtxRangeId_t id;
    char *message;
};

static void CUDART_CB heap_begin(void *data)
{
    struct heap_range *range = (struct heap_range *)data;

    range->id = nvtxRangeStartA(range->message);
}

static void CUDART_CB heap_end(void *data)
{
    struct heap_range *range = (struct heap_range *)data;

    nvtxRangeEnd(range->id);
    free(range->message);
    free(range);
}

static struct heap_range *heap_start(const char *message)
{
    struct heap_range *range = (struct heap_range *)calloc(1, sizeof(*range));

    range->message = strdup(message);
    CHECK(cudaLaunchHostFunc(stream, heap_begin, range));
    return range;
}

/* --- what is measured: each RANGES of them ---------------------------------------------------------- */

static void start_end(void)
{
    struct nvtxh_device_range range;
    int i;

    for (i = 0; i < RANGES; i++) {
        CHECK(nvtxh_device_start(stream, &range, "a range of ordinary length"));
        CHECK(nvtxh_device_end(stream, range));
    }
}

static void chain(void)
{
    struct nvtxh_device_range range;
    int i, k;

    for (i = 0; i < RANGES / CHAIN; i++) {
        CHECK(nvtxh_device_start(stream, &range, "a range of ordinary length"));
        for (k = 1; k < CHAIN; k++)
            CHECK(nvtxh_device_next(stream, &range, "a range of ordinary length"));
        CHECK(nvtxh_device_end(stream, range));
    }
}

static void marks(void)
{
    int i;

    for (i = 0; i < RANGES; i++)
        CHECK(nvtxh_device_mark(stream, "a mark of ordinary length"));
}

static void paused(void)
{
    nvtxh_enable(false);
    start_end();
    nvtxh_enable(true);
}

static void heap(void)
{
    int i;

    for (i = 0; i < RANGES; i++)
        CHECK(cudaLaunchHostFunc(stream, heap_end, heap_start("a range of ordinary length")));
}

static void event_pairs(void)
{
    int i;

    for (i = 0; i < RANGES; i++) {
        CHECK(cudaEventRecord(event, stream));
        CHECK(cudaEventRecord(event, stream));
    }
}

#ifdef __CUDACC__
__global__ void nothing(void)
{
}

static void kernels(void)
{
    int i;

    for (i = 0; i < RANGES; i++)
        nothing<<<1, 1, 0, stream>>>();
}
#endif

static cudaGraphExec_t graph_of(void (*what)(void))
{
    cudaGraphExec_t exec;
    cudaGraph_t graph;

    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    what();
    CHECK(cudaStreamEndCapture(stream, &graph));
    CHECK(cudaGraphInstantiateWithFlags(&exec, graph, 0));
    CHECK(cudaGraphDestroy(graph));
    return exec;
}

static cudaGraphExec_t replayed;

static void replay(void)
{
    CHECK(cudaGraphLaunch(replayed, stream));
}

/* --- measuring ------------------------------------------------------------------------------------- */

static double now_us(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static sem_t gate;

static void CUDART_CB wait_at_gate(void *unused)
{
    (void)unused;
    while (sem_wait(&gate))
        ;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static double first_host, heap_host;

/* Medians. The stream stands still while the host enqueues, and then does all of it. */
static double measure(const char *name, void (*what)(void))
{
    static double host[ROUNDS], device[ROUNDS];
    int i;

    for (i = 0; i < ROUNDS; i++) {
        double before, enqueued, let_go;

        CHECK(cudaLaunchHostFunc(stream, wait_at_gate, NULL));
        before = now_us();
        what();
        enqueued = now_us();
        let_go = now_us();
        sem_post(&gate); /* which may well run the stream's thread at once */
        CHECK(cudaStreamSynchronize(stream));
        host[i] = (enqueued - before) / RANGES;
        device[i] = (now_us() - let_go) / RANGES;
    }
    qsort(host, ROUNDS, sizeof(host[0]), compare);
    qsort(device, ROUNDS, sizeof(device[0]), compare);
    printf("%-46s %9.3f %9.3f\n", name, host[ROUNDS / 2], device[ROUNDS / 2]);
    return host[ROUNDS / 2];
}

int main(void)
{
    int n = 0;
    double chained;

    InitializeInjectionNvtx2_fnptr = tool_init; /* where NVTX looks for a tool that is linked in */
    if (cudaGetDeviceCount(&n) != cudaSuccess || !n) {
        printf("skipped: no CUDA device\n");
        return 77;
    }
    sem_init(&gate, 0, 0);
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    CHECK(cudaEventCreate(&event));
    printf("%-46s %9s %9s\n", "microseconds per range", "host", "stream");
    (void)nvtxh_listening();
    measure("nobody listens (paused)", paused);
    first_host = measure("start and end", start_end);
    chained = measure("chains of 10 with next", chain);
    measure("mark", marks);
    heap_host = measure("handle on the heap, start and end", heap);
    measure("two events", event_pairs);
#ifdef __CUDACC__
    measure("an empty kernel", kernels);
#endif
    replayed = graph_of(start_end);
    measure("start and end, replayed by a graph", replay);
    CHECK(cudaGraphExecDestroy(replayed));
    replayed = graph_of(chain);
    measure("chains of 10, replayed by a graph", replay);
    CHECK(cudaGraphExecDestroy(replayed));
    printf("enqueuing over a handle on the heap: start and end %.2f x, chains %.2f x\n",
           first_host / heap_host, chained / heap_host);
    CHECK(cudaStreamDestroy(stream));
    return 0;
}
