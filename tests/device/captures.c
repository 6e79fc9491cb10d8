/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Ranges that cross the edges of stream captures, and ranges in captures that fail. */
#include "suite.h"

#include <pthread.h>

static cudaStream_t stream, other;

/* A range that begins in a capture and ends outside, or the reverse: a call returns an error and
 * enqueues nothing. */
static void isolation(void) {
    struct nvtxh_device_range inside, outside, none;
    cudaGraphExec_t exec;
    cudaGraph_t graph;

    ok(nvtxh_device_start(stream, &outside, "outside"));
    ok(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    ok(nvtxh_device_start(stream, &inside, "inside"));
    equal(nvtxh_device_end(stream, outside), cudaErrorStreamCaptureIsolation);
    equal(nvtxh_device_next(stream, &outside, "next"), cudaErrorStreamCaptureIsolation);
    equal(nvtxh_device_end(other, inside), cudaErrorStreamCaptureIsolation);
    ok(cudaStreamEndCapture(stream, &graph));
    equal(nvtxh_device_end(stream, inside), cudaErrorStreamCaptureIsolation);
    ok(nvtxh_device_end(stream, outside)); /* unchanged */
    settle();
    logged("start [outside] #1; end #1");
    exec = instantiate(graph);
    ok(cudaGraphLaunch(exec, stream)); /* a range without an end: it never begins */
    settle();
    logged("");
    counts(0, 0, 1, 1, 0, 0);
    ok(cudaStreamBeginCapture(other, cudaStreamCaptureModeThreadLocal));
    equal(nvtxh_device_end(other, inside), cudaErrorStreamCaptureIsolation); /* another capture */
    {
        cudaGraph_t second;

        ok(cudaStreamEndCapture(other, &second));
        ok(cudaGraphDestroy(second));
    }
    ok(cudaGraphExecDestroy(exec));
    ok(cudaGraphDestroy(graph));
    await_captured(0);
    /* The range is gone with its capture. */
    equal(nvtxh_device_end(stream, inside), cudaErrorInvalidResourceHandle);
    memset(&none, 0, sizeof(none));
    ok(nvtxh_device_end(stream, none));
    counts(0, 0, 0, 0, 0, 0);
    ok(cudaPeekAtLastError());
}

/* A capture that fails loses its own ranges, and no others. */
static void aborted(void) {
    struct nvtxh_device_range range, more, outside, chained;
    cudaGraph_t graph;

    ok(nvtxh_device_start(stream, &outside, "outside"));
    ok(nvtxh_device_start(stream, &chained, "chained"));
    settle();
    ok(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    ok(nvtxh_device_start(stream, &range, "aborted"));
    check(cudaStreamSynchronize(stream) != cudaSuccess); /* not allowed: spoils the capture */
    (void)cudaGetLastError();
    equal(nvtxh_device_start(stream, &more, "after"), cudaErrorStreamCaptureInvalidated);
    equal(nvtxh_device_mark(stream, "after"), cudaErrorStreamCaptureInvalidated);
    equal(nvtxh_device_end(stream, range), cudaErrorStreamCaptureInvalidated);
    equal(nvtxh_device_end(stream, outside), cudaErrorStreamCaptureInvalidated);
    equal(nvtxh_device_next(stream, &chained, "after"), cudaErrorStreamCaptureInvalidated);
    check(cudaStreamEndCapture(stream, &graph) != cudaSuccess);
    (void)cudaGetLastError();
    await_captured(0);
    counts(0, 2, 0, 0, 3, 0);
    ok(nvtxh_device_end(stream, outside)); /* unchanged */
    ok(nvtxh_device_end(stream, chained));
    ok(nvtxh_device_mark(stream, "as ever"));
    settle();
    logged("start [outside] #1; start [chained] #2; end #1; end #2; mark [as ever]");
    counts(0, 0, 0, 0, 0, 0);
}

/* Mode NO_CAPTURE: the graph has no node of ours, and ranges that began outside or before end as
 * usual. */
static void kept_out(void) {
    struct nvtxh_device_range outside, inside, range;
    cudaGraph_t graph;
    size_t n = 1;

    ok(nvtxh_device_start(stream, &outside, "outside"));
    ok(cudaStreamBeginCapture(other, cudaStreamCaptureModeThreadLocal));
    ok(nvtxh_device_start(other, &inside, "inside"));
    nvtxh_device_set_mode(NVTXH_DEVICE_NO_CAPTURE);
    equal(nvtxh_device_mode(), NVTXH_DEVICE_INTERVAL | NVTXH_DEVICE_NO_CAPTURE);
    ok(nvtxh_device_next(other, &inside, "left out")); /* ends the range, and begins none */
    check(!inside.nvtxh_i_value);
    ok(cudaStreamEndCapture(other, &graph));
    ok(cudaGraphGetNodes(graph, NULL, &n));
    equal(n, 2);
    ok(cudaGraphDestroy(graph));
    ok(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    memset(&range, 1, sizeof(range));
    ok(nvtxh_device_start(stream, &range, "left out"));
    check(!range.nvtxh_i_value);
    ok(nvtxh_device_next(stream, &range, "left out"));
    ok(nvtxh_device_end(stream, range));
    ok(nvtxh_device_mark(stream, "left out"));
    {
        NVTXH_DEVICE_SCOPE(stream, "left out");
        NVTXH_DEVICE_SCOPEF(stream, "left out %d", 2);
    }
    equal(nvtxh_device_next(stream, &outside, "left out"), cudaErrorStreamCaptureIsolation);
    ok(cudaStreamEndCapture(stream, &graph));
    ok(cudaGraphGetNodes(graph, NULL, &n));
    equal(n, 0);
    ok(cudaGraphDestroy(graph));
    ok(nvtxh_device_end(stream, outside));
    ok(nvtxh_device_mark(stream, "as ever"));
    settle();
    logged("start [outside] #1; end #1; mark [as ever]");
    await_captured(0);
    counts(0, 0, 0, 0, 0, 0);
}

/* Paused, `next` ends what it can; a range that cannot be ended here stays as it was. */
static void paused(void) {
    struct nvtxh_device_range outside, inside;
    cudaGraph_t graph;

    ok(nvtxh_device_start(stream, &outside, "outside"));
    ok(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    ok(nvtxh_device_start(stream, &inside, "inside"));
    nvtxh_enable(false);
    equal(nvtxh_device_next(stream, &outside, "left out"), cudaErrorStreamCaptureIsolation);
    equal(nvtxh_device_nextf(stream, &outside, "left %s", "out"), cudaErrorStreamCaptureIsolation);
    equal(nvtxh_device_next(other, &inside, "left out"), cudaErrorStreamCaptureIsolation);
    check(cudaStreamSynchronize(stream) != cudaSuccess); /* spoils the capture */
    (void)cudaGetLastError();
    equal(nvtxh_device_next(stream, &outside, "left out"), cudaErrorStreamCaptureInvalidated);
    check(cudaStreamEndCapture(stream, &graph) != cudaSuccess);
    (void)cudaGetLastError();
    check(outside.nvtxh_i_value && inside.nvtxh_i_value);
    ok(nvtxh_device_next(stream, &outside, "left out"));
    check(!outside.nvtxh_i_value);
    await_captured(0);
    equal(nvtxh_device_next(stream, &inside, "left out"), cudaErrorInvalidResourceHandle);
    check(!inside.nvtxh_i_value);
    nvtxh_enable(true);
    settle();
    logged("start [outside] #1; end #1");
    counts(0, 0, 0, 0, 0, 0);
}

/* The default stream may not be used while a stream that synchronizes with it is captured. */
static void implicit(void) {
    cudaStream_t blocking;
    cudaGraph_t graph;

    ok(cudaStreamCreate(&blocking));
    ok(cudaStreamBeginCapture(blocking, cudaStreamCaptureModeThreadLocal));
    ok(nvtxh_device_mark(blocking, "captured"));
    equal(nvtxh_device_mark(cudaStreamLegacy, "refused"), cudaErrorStreamCaptureImplicit);
    ok(nvtxh_device_mark(blocking, "the capture goes on"));
    ok(cudaStreamEndCapture(blocking, &graph));
    ok(cudaGraphDestroy(graph));
    ok(cudaStreamBeginCapture(other, cudaStreamCaptureModeThreadLocal));
    ok(nvtxh_device_mark(cudaStreamLegacy, "apart"));
    ok(cudaStreamEndCapture(other, &graph));
    ok(cudaGraphDestroy(graph));
    settle();
    logged("mark [apart]");
    ok(cudaStreamDestroy(blocking));
    await_captured(0);
    counts(0, 0, 0, 0, 1, 0);
    ok(cudaPeekAtLastError());
}

static void *wait_in_scope(void *unused) {
    { NVTXH_DEVICE_SCOPE(other, "beside"); }
    return unused;
}

/* Mode WAIT: while this thread captures, a scope may wait for another stream, here or on another
 * thread. */
static void waits(void) {
    static const enum cudaStreamCaptureMode captures[] = {cudaStreamCaptureModeGlobal,
                                                          cudaStreamCaptureModeThreadLocal};
    enum cudaStreamCaptureMode before = cudaStreamCaptureModeGlobal;
    cudaGraph_t graph;
    pthread_t thread;
    int i;

    nvtxh_device_set_mode(NVTXH_DEVICE_WAIT);
    for (i = 0; i < 2; i++) {
        ok(cudaStreamBeginCapture(stream, captures[i]));
        ok(pthread_create(&thread, NULL, wait_in_scope, NULL));
        ok(pthread_join(thread, NULL));
        (void)wait_in_scope(NULL);
        ok(cudaStreamEndCapture(stream, &graph));
        ok(cudaGraphDestroy(graph));
    }
    logged("start [beside] #1; end #1; start [beside] #2; end #2; "
           "start [beside] #3; end #3; start [beside] #4; end #4"); /* with nothing in between */
    ok(cudaThreadExchangeStreamCaptureMode(&before));
    equal(before, cudaStreamCaptureModeGlobal); /* as it was */
    counts(0, 0, 0, 0, 0, 0);
    ok(cudaPeekAtLastError());
}

int main(void) {
    need_device();
    ok(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    ok(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
    RUN(isolation);
    RUN(aborted);
    RUN(kept_out);
    RUN(paused);
    RUN(implicit);
    RUN(waits);
    ok(cudaStreamDestroy(stream));
    ok(cudaStreamDestroy(other));
    return 0;
}
