/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* real sticky|conditional|threads: what only a device can show. Prints what it saw where CUDA
 * leaves it open, and fails if our code is wrong. */
#include "suite.h"

static cudaStream_t stream;

__global__ void fault(int *nowhere) {
    *nowhere = 1;
}

__global__ void wait_for(const volatile int *go) {
    while (!*go)
        ;
}

/* A kernel's illegal access breaks the context while ranges are under way. */
static void sticky(void) {
    struct nvtxh_device_range open, pending, later;
    struct nvtxh_device_counts now;
    cudaError_t status;
    int i;

    ok(nvtxh_device_start(stream, &open, "open"));
    settle();
    fault<<<1, 1, 0, stream>>>(NULL);
    (void)nvtxh_device_start(stream, &pending, "pending");
    (void)nvtxh_device_mark(stream, "pending");
    status = cudaDeviceSynchronize();
    printf("the context is broken: %s\n", cudaGetErrorName(status));
    check(status != cudaSuccess);
    for (i = 0; i < 3 * NVTXH_DEVICE_RANGES; i++)
        check(nvtxh_device_start(stream, &later, "later") != cudaSuccess);
    check(nvtxh_device_end(stream, open) != cudaSuccess);
    usleep(100000);
    printf("after the error %zu of 1 ranges and %zu of 1 marks were told\n",
           log_count(LOG_START, NULL, "pending"), log_count(LOG_MARK, NULL, "pending"));
    ok(nvtxh_device_abandon());
    ok(nvtxh_device_drain(0));
    ok(nvtxh_device_counts(&now));
    equal(now.pending + now.open + now.captured, 0);
    equal(log_count(LOG_START, NULL, NULL), log_count(LOG_END, NULL, NULL));
}

/* Host functions may not stand in the body of a conditional node: CUDA says so, and nothing is
 * lost. */
static void conditional(void) {
#if CUDART_VERSION >= 12030
    cudaGraphConditionalHandle handle;
    struct nvtxh_device_range range;
    cudaGraphNodeParams params = {};
    cudaGraphExec_t exec = NULL;
    cudaGraph_t graph, body, captured = NULL;
    cudaGraphNode_t node;
    cudaError_t begun, ended, made;

    ok(cudaGraphCreate(&graph, 0));
    ok(cudaGraphConditionalHandleCreate(&handle, graph, 1, cudaGraphCondAssignDefault));
    params.type = cudaGraphNodeTypeConditional;
    params.conditional.handle = handle;
    params.conditional.type = cudaGraphCondTypeIf;
    params.conditional.size = 1;
#if CUDART_VERSION >= 13000
    ok(cudaGraphAddNode(&node, graph, NULL, NULL, 0, &params));
#else
    ok(cudaGraphAddNode(&node, graph, NULL, 0, &params));
#endif
    body = params.conditional.phGraph_out[0];
    ok(cudaStreamBeginCaptureToGraph(stream, body, NULL, NULL, 0,
                                     cudaStreamCaptureModeThreadLocal));
    begun = nvtxh_device_start(stream, &range, "in a body");
    ended = nvtxh_device_end(stream, range);
    (void)cudaStreamEndCapture(stream, &captured);
    made = cudaGraphInstantiateWithFlags(&exec, graph, 0);
    printf("start: %s, end: %s, instantiate: %s\n", cudaGetErrorName(begun),
           cudaGetErrorName(ended), cudaGetErrorName(made));
    check(begun != cudaSuccess || made != cudaSuccess);
    (void)cudaGetLastError();
    if (exec)
        ok(cudaGraphExecDestroy(exec));
    ok(cudaGraphDestroy(graph));
    await_captured(0);
    ok(nvtxh_device_mark(stream, "as ever"));
    settle();
#else
    printf("conditional nodes came with CUDA 12.3\n");
#endif
}

/* Which threads call host functions: none of the program's. */
static void threads(void) {
    struct nvtxh_device_range range;
    long tids[64];
    size_t i, k, n = 0;
    int *go;

    ok(cudaHostAlloc((void **)&go, sizeof(*go), cudaHostAllocMapped));
    *go = 0;
    wait_for<<<1, 1, 0, stream>>>(go);
    for (i = 0; i < 40; i++) {
        ok(nvtxh_device_start(stream, &range, "range"));
        ok(nvtxh_device_end(stream, range));
    }
    equal(log_count(LOG_START, NULL, "range"), 0); /* the kernel is still running */
    *(volatile int *)go = 1;
    settle();
    for (i = 0; i < log_size(); i++) {
        for (k = 0; k < n && tids[k] != log_at(i)->tid; k++)
            ;
        if (k == n && n < 64)
            tids[n++] = log_at(i)->tid;
        if (log_at(i)->kind == LOG_START)
            check(log_at(i)->tid != (long)getpid());
    }
    equal(log_count(LOG_END, NULL, NULL), 40);
    printf("told on %zu threads\n", n);
    ok(cudaFreeHost(go));
}

int main(int argc, char **argv) {
    need_device();
    check(argc == 2);
    ok(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    ok(nvtxh_device_mark(stream, "first"));
    settle();
    log_reset();
    if (!strcmp(argv[1], "sticky"))
        sticky();
    else if (!strcmp(argv[1], "conditional"))
        conditional();
    else
        threads();
    printf("ok: %s\n", argv[1]);
    return 0;
}
