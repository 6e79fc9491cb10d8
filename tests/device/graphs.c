/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Ranges in CUDA graphs. */
#include "suite.h"

static cudaStream_t stream, other;

/* "a", "b" back to back, a mark, and "layer N" in a graph. */
static cudaGraph_t captured(int n) {
    struct nvtxh_device_range range;
    cudaGraph_t graph;

    ok(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    ok(nvtxh_device_start(stream, &range, "a"));
    ok(nvtxh_device_next(stream, &range, "b"));
    ok(nvtxh_device_mark(stream, "m"));
    ok(nvtxh_device_end(stream, range));
    { NVTXH_DEVICE_SCOPEF(stream, "layer %d", n); }
    ok(cudaStreamEndCapture(stream, &graph));
    return graph;
}

#define REPLAY(text)                                                                               \
    "start [a] #1; end #1; start [b] #2; mark [m]; end #2; start 'layer " text "' #3; end #3"

/* The tool gets nothing at the capture, and everything in each of 1,000 replays, after the graph
 * was destroyed. */
static void replays(void) {
    cudaGraph_t graph = captured(1);
    cudaGraphExec_t exec = instantiate(graph);
    int i;

    settle();
    logged("");
    counts(0, 0, 4, 0, 0, 0);
    ok(cudaGraphDestroy(graph));
    for (i = 0; i < 1000; i++) {
        ok(cudaGraphLaunch(exec, stream));
        if (i < 3) {
            settle();
            logged(REPLAY("1"));
        }
    }
    settle();
    equal(log_count(LOG_START, NULL, "a"), 1000);
    equal(log_count(LOG_MARK, NULL, "m"), 1000);
    equal(log_count(LOG_START, NULL, "layer 1"), 1000);
    log_reset();
    counts(0, 0, 4, 0, 0, 0);
    ok(cudaGraphExecDestroy(exec));
    await_captured(0);
    counts(0, 0, 0, 0, 0, 0);
}

/* Launches are not counted: drain returns at once. After a wait for their stream, the tool has got
 * all. */
static void drained(void) {
    cudaGraph_t graph = captured(1);
    cudaGraphExec_t exec = instantiate(graph);
    size_t ends = log_count(LOG_END, NULL, NULL), marks = log_count(LOG_MARK, NULL, "m");
    struct gate gate;
    int i;

    hold(stream, &gate);
    for (i = 0; i < 5; i++)
        ok(cudaGraphLaunch(exec, stream));
    ok(nvtxh_device_drain(10000));
    logged("");
    release(&gate);
    ok(cudaStreamSynchronize(stream));
    equal(log_count(LOG_END, NULL, NULL) - ends, 15);
    equal(log_count(LOG_MARK, NULL, "m") - marks, 5);
    log_reset();
    ok(cudaGraphExecDestroy(exec));
    ok(cudaGraphDestroy(graph));
    await_captured(0);
    counts(0, 0, 0, 0, 0, 0);
}

/* The ranges last as long as the last of a graph's clones and instantiations. */
static void clones(void) {
    cudaGraph_t graph = captured(2), clone;
    cudaGraphExec_t first = instantiate(graph), second, third;

    ok(cudaGraphClone(&clone, graph));
    second = instantiate(graph);
    ok(cudaGraphDestroy(graph));
    third = instantiate(clone);
    ok(cudaGraphDestroy(clone));
    ok(cudaGraphLaunch(first, stream));
    ok(cudaGraphLaunch(second, stream));
    ok(cudaGraphExecDestroy(first));
    ok(cudaGraphLaunch(third, stream));
    settle();
    log_reset();
    ok(cudaGraphExecDestroy(second));
    counts(0, 0, 4, 0, 0, 0);
    ok(cudaGraphLaunch(third, stream));
    settle();
    logged(REPLAY("2"));
    ok(cudaGraphExecDestroy(third));
    await_captured(0);
    counts(0, 0, 0, 0, 0, 0);
}

/* Two instantiations at once: one range, and the overlap is counted. No range stays open. */
static void at_once(void) {
    struct nvtxh_device_counts before, after;
    cudaGraph_t graph = captured(3);
    cudaGraphExec_t first = instantiate(graph), second = instantiate(graph);
    size_t starts;
    int i;

    ok(nvtxh_device_counts(&before));
    starts = log_count(LOG_START, NULL, NULL);
    for (i = 0; i < 300; i++) {
        ok(cudaGraphLaunch(first, stream));
        ok(cudaGraphLaunch(second, other));
    }
    settle();
    ok(nvtxh_device_counts(&after));
    starts = log_count(LOG_START, NULL, NULL) - starts;
    /* Three ranges 600 times; what the tool does not get is counted, also an end that comes before
     * its beginning. */
    check(starts <= 1800 && starts + (after.lost - before.lost) >= 1800);
    counted_before = after;
    log_reset();
    ok(cudaGraphExecDestroy(first));
    ok(cudaGraphLaunch(second, stream));
    settle();
    logged(REPLAY("3"));
    ok(cudaGraphExecDestroy(second));
    ok(cudaGraphDestroy(graph));
    await_captured(0);
    counts(0, 0, 0, 0, 0, 0);
}

static void updates(void) {
    cudaGraph_t graph = captured(4), newer = captured(5);
    cudaGraphExec_t exec = instantiate(graph);
#if CUDART_VERSION >= 12000
    cudaGraphExecUpdateResultInfo info;

    ok(cudaGraphExecUpdate(exec, newer, &info));
#else
    enum cudaGraphExecUpdateResult info;

    ok(cudaGraphExecUpdate(exec, newer, NULL, &info));
#endif
    ok(cudaGraphLaunch(exec, stream));
    settle();
    logged(REPLAY("5"));
    ok(cudaGraphDestroy(graph));
    ok(cudaGraphLaunch(exec, stream));
    settle();
    logged(REPLAY("5"));
    ok(cudaGraphDestroy(newer));
    ok(cudaGraphExecDestroy(exec));
    await_captured(0);
    counts(0, 0, 0, 0, 0, 0);
}

/* From one stream of a capture to another. */
static void across_streams(void) {
    struct nvtxh_device_range range;
    cudaEvent_t fork, join;
    cudaGraphExec_t exec;
    cudaGraph_t graph;
    int i;

    ok(cudaEventCreate(&fork));
    ok(cudaEventCreate(&join));
    ok(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    ok(nvtxh_device_start(stream, &range, "across"));
    ok(cudaEventRecord(fork, stream));
    ok(cudaStreamWaitEvent(other, fork, 0));
    ok(nvtxh_device_mark(other, "there"));
    ok(nvtxh_device_end(other, range));
    ok(cudaEventRecord(join, other));
    ok(cudaStreamWaitEvent(stream, join, 0));
    ok(cudaStreamEndCapture(stream, &graph));
    exec = instantiate(graph);
    for (i = 0; i < 10; i++) {
        ok(cudaGraphLaunch(exec, stream));
        settle();
        logged("start [across] #1; mark [there]; end #1");
    }
    ok(cudaGraphExecDestroy(exec));
    ok(cudaGraphDestroy(graph));
    await_captured(0);
    counts(0, 0, 0, 0, 0, 0);
    ok(cudaEventDestroy(fork));
    ok(cudaEventDestroy(join));
}

static void modes(void) {
    struct nvtxh_device_range range;
    cudaGraphExec_t exec;
    cudaGraph_t graph;

    nvtxh_device_set_mode(NVTXH_DEVICE_EVENT);
    ok(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    ok(nvtxh_device_start(stream, &range, "a"));
    ok(nvtxh_device_next(stream, &range, "b"));
    ok(nvtxh_device_end(stream, range));
    nvtxh_device_set_mode(NVTXH_DEVICE_EVENT | NVTXH_DEVICE_INTERVAL | NVTXH_DEVICE_WAIT);
    { NVTXH_DEVICE_SCOPE(stream, "c"); /* no wait: it would spoil the capture */ }
    ok(cudaStreamEndCapture(stream, &graph));
    exec = instantiate(graph);
    ok(cudaGraphDestroy(graph));
    ok(cudaGraphLaunch(exec, stream));
    ok(cudaGraphLaunch(exec, stream));
    settle();
    logged("mark [a]; mark [b]; start [c] #1; end #1; mark [c]; "
           "mark [a]; mark [b]; start [c] #2; end #2; mark [c]");
    ok(cudaGraphExecDestroy(exec));
    await_captured(0);
    counts(0, 0, 0, 0, 0, 0);
}

int main(void) {
    need_device();
    ok(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    ok(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
    RUN(replays);
    RUN(drained);
    RUN(clones);
    RUN(at_once);
    RUN(updates);
    RUN(across_streams);
    RUN(modes);
    ok(cudaStreamDestroy(stream));
    ok(cudaStreamDestroy(other));
    return 0;
}
