/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Failures of CUDA: every call that can fail, host functions that are never called, a broken
 * context. Only on the fake runtime. */
#include "suite.h"
#include "fake_cuda.h"

static cudaStream_t stream;

/* Every way to begin while one call of CUDA fails: returns its error, begins nothing, leaves
 * nothing over. */
static void refused_starts(void) {
    static const char *const calls[] = {"cudaLaunchHostFunc", "cudaStreamGetCaptureInfo"};
    struct nvtxh_device_range range;
    size_t i;

    for (i = 0; i < 2; i++) {
        fake_fail(calls[i], 719, 1, 1);
        memset(&range, 1, sizeof(range));
        equal(nvtxh_device_start(stream, &range, "x"), 719);
        check(!range.nvtxh_i_value);
        fake_fail(calls[i], 719, 1, 1);
        equal(nvtxh_device_mark(stream, "x"), 719);
        fake_fail(calls[i], 719, 1, 1);
        { NVTXH_DEVICE_SCOPE(stream, "x"); }
        settle();
        logged("");
        counts(0, 0, 0, 0, 3, 0);
        ok(cudaPeekAtLastError());
    }
}

/* An end that is refused ends the range at once, begun or not. */
static void refused_ends(void) {
    static const char *const calls[] = {"cudaLaunchHostFunc", "cudaStreamGetCaptureInfo"};
    struct nvtxh_device_range range;
    struct gate gate;
    size_t i;

    for (i = 0; i < 2; i++) {
        ok(nvtxh_device_start(stream, &range, "begun"));
        settle();
        fake_fail(calls[i], 719, 1, 1);
        equal(nvtxh_device_end(stream, range), 719);
        logged("start [begun] #1; end #1");
        equal(nvtxh_device_end(stream, range), cudaErrorInvalidResourceHandle);
        hold(stream, &gate);
        ok(nvtxh_device_start(stream, &range, "waiting"));
        fake_fail(calls[i], 719, 1, 1);
        equal(nvtxh_device_end(stream, range), 719);
        release(&gate);
        settle();
        logged("");
        ok(nvtxh_device_start(stream, &range, "chained"));
        settle();
        fake_fail(calls[i], 719, 1, 1);
        equal(nvtxh_device_next(stream, &range, "refused"), 719);
        check(!range.nvtxh_i_value);
        settle();
        logged("start [chained] #1; end #1");
        nvtxh_device_set_mode(NVTXH_DEVICE_EVENT);
        ok(nvtxh_device_start(stream, &range, "event"));
        fake_fail(calls[i], 719, 1, 1);
        equal(nvtxh_device_next(stream, &range, "refused"), 719);
        check(!range.nvtxh_i_value);
        nvtxh_device_set_mode(NVTXH_DEVICE_INTERVAL);
        settle();
        logged("");
        counts(0, 0, 0, 0, 6, 0);
    }
}

/* In a capture, each of the calls fails in turn. */
static void refused_captures(void) {
    static const char *const calls[] = {"cudaLaunchHostFunc", "cudaStreamGetCaptureInfo",
                                        "cudaUserObjectCreate", "cudaGraphRetainUserObject"};
    struct nvtxh_device_range range;
    cudaGraphExec_t exec;
    cudaGraph_t graph;
    size_t i;

    for (i = 0; i < 4; i++) {
        ok(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
        fake_fail(calls[i], 719, 1, 1);
        equal(nvtxh_device_start(stream, &range, "x"), 719);
        check(!range.nvtxh_i_value);
        fake_fail(calls[i], 719, 1, 1);
        equal(nvtxh_device_mark(stream, "x"), 719);
        if (i < 2) {
            ok(nvtxh_device_start(stream, &range, "without an end"));
            fake_fail(calls[i], 719, 1, 1);
            equal(nvtxh_device_end(stream, range), 719);
        }
        ok(nvtxh_device_start(stream, &range, "whole"));
        ok(nvtxh_device_end(stream, range));
        ok(cudaStreamEndCapture(stream, &graph));
        /* What was given to the graph ends with it, also if it was refused afterwards. */
        await_captured(i == 0 ? 4 : i == 1 ? 2 : 1);
        ok(cudaGraphInstantiateWithFlags(&exec, graph, 0));
        ok(cudaGraphLaunch(exec, stream));
        settle();
        logged("start [whole] #1; end #1");
        ok(cudaGraphExecDestroy(exec));
        ok(cudaGraphDestroy(graph));
        await_captured(0);
        equal(fake_user_objects(), 0);
        counts(0, 0, 0, i < 2, i < 2 ? 3 : 2, 0);
        ok(cudaPeekAtLastError());
    }
}

/* An error that spoils the capture: its graph is gone at once, and nobody may use its handle. */
static void spoiled_captures(void) {
    struct nvtxh_device_range range;
    cudaGraph_t graph;

    ok(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    ok(nvtxh_device_start(stream, &range, "captured"));
    fake_fail("cudaLaunchHostFunc", cudaErrorStreamCaptureInvalidated, 1, 1);
    equal(nvtxh_device_mark(stream, "spoils it"), cudaErrorStreamCaptureInvalidated);
    equal(nvtxh_device_end(stream, range), cudaErrorStreamCaptureInvalidated);
    equal(cudaStreamEndCapture(stream, &graph), cudaErrorStreamCaptureInvalidated);
    (void)cudaGetLastError();
    await_captured(0);
    equal(fake_user_objects(), 0);
    logged("");
    counts(0, 0, 0, 0, 1, 0);
}

/* The program's own error stays, and ours does not replace it. */
static void last_error(void) {
    struct nvtxh_device_range range;

    fake_fail("cudaLaunchHostFunc", 700, 1, 2);
    equal(cudaLaunchHostFunc(stream, NULL, NULL), 700);
    equal(nvtxh_device_start(stream, &range, "x"), 700);
    equal(cudaGetLastError(), 700);
    ok(cudaPeekAtLastError());
    counts(0, 0, 0, 0, 1, 0);
}

/* Host functions that never come: they are pending until given up. */
static void dropped(void) {
    struct nvtxh_device_range range, open;

    fake_drop(1);
    ok(nvtxh_device_start(stream, &range, "dropped"));
    ok(nvtxh_device_end(stream, range)); /* comes, and finds no beginning */
    ok(nvtxh_device_start(stream, &open, "open"));
    fake_drop(1);
    ok(nvtxh_device_end(stream, open));
    fake_drop(1);
    ok(nvtxh_device_mark(stream, "dropped"));
    ok(cudaDeviceSynchronize());
    equal(nvtxh_device_drain(5), cudaErrorNotReady);
    counts(3, 0, 0, 1, 0, 0);
    ok(nvtxh_device_abandon());
    ok(nvtxh_device_drain(0));
    counts(0, 0, 0, 2, 0, 0);
    logged("start [open] #1; end #1");
}

/* A context breaks while ranges are under way; host functions are still called, or are not. */
static void broken(int still_called) {
    struct nvtxh_device_range range, later;
    struct gate gate;

    ok(nvtxh_device_start(stream, &range, "open"));
    settle();
    hold(stream, &gate);
    ok(nvtxh_device_next(stream, &range, "pending"));
    ok(nvtxh_device_mark(stream, "pending"));
    fake_break(700, still_called);
    release(&gate);
    equal(nvtxh_device_start(stream, &later, "later"), 700);
    equal(nvtxh_device_mark(stream, "later"), 700);
    equal(nvtxh_device_end(stream, range), 700);
    (void)nvtxh_device_drain(still_called ? 10000 : 20);
    ok(nvtxh_device_abandon());
    ok(nvtxh_device_drain(0));
    fake_reset();
    ok(cudaDeviceSynchronize());
    ok(nvtxh_device_mark(stream, "healed"));
    settle();
    if (still_called) {
        size_t starts = log_count(LOG_START, NULL, "pending");

        check(starts <= 1); /* the stream or the end was faster */
    } else {
        logged("start [open] #1; end #1; mark [healed]");
    }
    ok(nvtxh_device_counts(&counted_before));
    equal(counted_before.pending + counted_before.open + counted_before.captured, 0);
    slots_balance();
    log_reset();
}

static void broken_silent(void) {
    broken(0);
}

static void broken_talking(void) {
    broken(1);
}

/* A replay that breaks off in the middle leaves nothing open when its graph goes. */
static void broken_replay(void) {
    struct nvtxh_device_range range;
    cudaGraphExec_t exec;
    cudaGraph_t graph;
    struct gate gate;

    sem_init(&gate.semaphore, 0, 0);
    ok(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    ok(nvtxh_device_start(stream, &range, "broken off"));
    ok(cudaLaunchHostFunc(stream, wait_at_gate, &gate));
    ok(nvtxh_device_end(stream, range));
    ok(cudaStreamEndCapture(stream, &graph));
    ok(cudaGraphInstantiateWithFlags(&exec, graph, 0));
    ok(cudaGraphLaunch(exec, stream));
    while (!log_size() || log_at(log_size() - 1)->kind != LOG_START)
        usleep(100);
    fake_break(700, 0);
    release(&gate);
    equal(cudaDeviceSynchronize(), 700); /* the replay is over before the context is repaired */
    equal(cudaGraphExecDestroy(exec), 700);
    equal(cudaGraphDestroy(graph), 700);
    fake_reset();
    ok(cudaDeviceSynchronize());
    await_captured(0);
    logged("start [broken off] #1; end #1");
    counts(0, 0, 0, 1, 0, 0);
}

/* Calls that are forbidden in a capture are not made there, and idle annotations call nothing. */
static void frugal(void) {
    struct nvtxh_device_range range;
    int i;

    fake_reset();
    ok(nvtxh_device_start(stream, &range, "0"));
    for (i = 0; i < 10; i++)
        ok(nvtxh_device_next(stream, &range, "n"));
    ok(nvtxh_device_end(stream, range));
    equal(fake_calls("cudaLaunchHostFunc"), 12); /* 11 ranges */
    equal(fake_calls("cudaStreamSynchronize"), 0);
    settle();
    fake_reset();
    nvtxh_enable(false);
    ok(nvtxh_device_start(stream, &range, "0"));
    ok(nvtxh_device_next(stream, &range, "n"));
    ok(nvtxh_device_end(stream, range));
    ok(nvtxh_device_mark(stream, "n"));
    nvtxh_enable(true);
    equal(fake_calls("cudaLaunchHostFunc") + fake_calls("cudaStreamGetCaptureInfo"), 0);
    log_reset();
}

int main(void) {
    ok(cudaStreamCreate(&stream));
    RUN(refused_starts);
    RUN(refused_ends);
    RUN(refused_captures);
    RUN(spoiled_captures);
    RUN(last_error);
    RUN(dropped);
    RUN(broken_silent);
    RUN(broken_talking);
    RUN(broken_replay);
    RUN(frugal);
    ok(cudaStreamDestroy(stream));
    equal(fake_graphs(), 0);
    return 0;
}
