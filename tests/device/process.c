/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The mode, the limit on ranges, and giving up ranges. */
#include "suite.h"

#include <pthread.h>

static cudaStream_t stream, other;

static void modes(void) {
    struct nvtxh_device_range range;
    struct gate gate;

    nvtxh_device_set_mode(NVTXH_DEVICE_EVENT);
    equal(nvtxh_device_mode(), NVTXH_DEVICE_EVENT);
    ok(nvtxh_device_start(stream, &range, "a"));
    settle();
    logged("");
    ok(nvtxh_device_next(stream, &range, "b"));
    settle();
    logged("mark [a]");
    ok(nvtxh_device_end(stream, range));
    settle();
    logged("mark [b]");
    nvtxh_device_set_mode(NVTXH_DEVICE_EVENT | NVTXH_DEVICE_INTERVAL);
    ok(nvtxh_device_start(stream, &range, "both"));
    nvtxh_device_set_mode(NVTXH_DEVICE_EVENT); /* a range is what it was when it began */
    ok(nvtxh_device_next(stream, &range, "event"));
    nvtxh_device_set_mode(NVTXH_DEVICE_INTERVAL);
    ok(nvtxh_device_next(stream, &range, "interval"));
    ok(nvtxh_device_end(stream, range));
    settle();
    logged("start [both] #1; end #1; mark [both]; mark [event]; start [interval] #2; end #2");
    nvtxh_device_set_mode(NVTXH_DEVICE_WAIT);
    equal(nvtxh_device_mode(), NVTXH_DEVICE_INTERVAL | NVTXH_DEVICE_WAIT);
    hold(stream, &gate);
    {
        NVTXH_DEVICE_SCOPE(stream, "waited for");
        release(&gate);
    }
    logged("start [waited for] #1; end #1"); /* with nothing in between */
    counts(0, 0, 0, 0, 0, 0);
}

/* In mode 0 nothing begins, and what has begun ends. */
static void mode_none(void) {
    struct nvtxh_device_range range;

    ok(nvtxh_device_start(stream, &range, "before"));
    nvtxh_device_set_mode(0);
    equal(nvtxh_device_mode(), 0);
    ok(nvtxh_device_next(stream, &range, "none"));
    check(!range.nvtxh_i_value);
    ok(nvtxh_device_start(stream, &range, "none"));
    ok(nvtxh_device_mark(stream, "none"));
    ok(nvtxh_device_end(stream, range));
    { NVTXH_DEVICE_SCOPE(stream, "none"); }
    settle();
    logged("start [before] #1; end #1");
    counts(0, 0, 0, 0, 0, 0);
}

/* Leaves the block early. */
static int in_mode(unsigned mode) {
    NVTXH_DEVICE_MODE_SCOPE(mode);
    NVTXH_DEVICE_SCOPE(stream, "in");
    if (mode)
        return 1;
    return 0;
}

/* A scope sets the mode, and puts back the one before, also the one of another scope. */
static void mode_scopes(void) {
    struct gate gate;

    nvtxh_device_set_mode(0);
    {
        NVTXH_DEVICE_MODE_SCOPE(NVTXH_DEVICE_EVENT);
        in_mode(NVTXH_DEVICE_INTERVAL | NVTXH_DEVICE_EVENT);
        equal(nvtxh_device_mode(), NVTXH_DEVICE_EVENT);
        in_mode(0);
        in_mode(NVTXH_DEVICE_EVENT);
        hold(stream, &gate);
        release(&gate);
        in_mode(NVTXH_DEVICE_WAIT);
        /* it has waited */
        logged("start [in] #1; end #1; mark [in]; mark [in]; start [in] #2; end #2");
    }
    equal(nvtxh_device_mode(), 0);
    nvtxh_enable(false);
    {
        NVTXH_DEVICE_MODE_SCOPE(NVTXH_DEVICE_INTERVAL);
        nvtxh_enable(true); /* who listens comes later */
        in_mode(nvtxh_device_mode());
    }
    in_mode(nvtxh_device_mode());
    settle();
    logged("start [in] #1; end #1");
}

/* Stream 0, and the two it stands for. */
static void default_streams(void) {
    struct nvtxh_device_range range;

    ok(nvtxh_device_start(0, &range, "0"));
    ok(nvtxh_device_end(cudaStreamLegacy, range));
    ok(nvtxh_device_start(cudaStreamPerThread, &range, "mine"));
    ok(nvtxh_device_end(cudaStreamPerThread, range));
    settle();
    equal(log_count(LOG_START, NULL, "0") + log_count(LOG_START, NULL, "mine"), 2);
    log_reset();
    counts(0, 0, 0, 0, 0, 0);
}

/* No room: a status and a count. Existing ranges go on. */
static void exhaustion(void) {
    static struct nvtxh_device_range ranges[NVTXH_DEVICE_RANGES], more;
    int i;

    for (i = 0; i < NVTXH_DEVICE_RANGES; i++)
        ok(nvtxh_device_start(stream, &ranges[i], "many"));
    memset(&more, 1, sizeof(more));
    equal(nvtxh_device_start(stream, &more, "one more"), cudaErrorMemoryAllocation);
    check(!more.nvtxh_i_value);
    equal(nvtxh_device_mark(stream, "one more"), cudaErrorMemoryAllocation);
    equal(nvtxh_device_next(stream, &ranges[0], "ends the one"), cudaErrorMemoryAllocation);
    check(!ranges[0].nvtxh_i_value);
    settle();
    counts(0, NVTXH_DEVICE_RANGES - 1, 0, 0, 0, 3);
    for (i = 0; i < NVTXH_DEVICE_RANGES; i++)
        ok(nvtxh_device_end(stream, ranges[i]));
    settle();
    counts(0, 0, 0, 0, 0, 0);
    equal(log_count(LOG_START, NULL, "many"), NVTXH_DEVICE_RANGES);
    log_reset();
}

static void paused(void) {
    struct nvtxh_device_range range, chained;

    ok(nvtxh_device_start(stream, &range, "before"));
    ok(nvtxh_device_start(stream, &chained, "chained"));
    nvtxh_enable(false);
    ok(nvtxh_device_end(stream, range));
    ok(nvtxh_device_next(stream, &chained, "left out"));
    ok(nvtxh_device_start(stream, &range, "left out"));
    ok(nvtxh_device_mark(stream, "left out"));
    nvtxh_enable(true);
    ok(nvtxh_device_end(stream, range));
    ok(nvtxh_device_end(stream, chained));
    settle();
    logged("start [before] #1; start [chained] #2; end #1; end #2");
}

static void drained(void) {
    struct gate gate;

    hold(stream, &gate);
    ok(nvtxh_device_mark(stream, "m"));
    equal(nvtxh_device_drain(0), cudaErrorNotReady);
    equal(nvtxh_device_drain(20), cudaErrorNotReady);
    release(&gate);
    ok(nvtxh_device_drain(-1));
    logged("mark [m]");
}

/* Abandoned ranges do not reach the tool, however late the stream gets there. */
static void abandoned(void) {
    struct nvtxh_device_range open, waiting;
    struct gate gate;

    ok(nvtxh_device_start(stream, &open, "open"));
    settle();
    hold(stream, &gate);
    ok(nvtxh_device_start(stream, &waiting, "waiting"));
    ok(nvtxh_device_mark(stream, "waiting"));
    ok(nvtxh_device_next(stream, &open, "next"));
    ok(nvtxh_device_abandon());
    counts(0, 0, 0, 4, 0, 0);
    equal(nvtxh_device_end(stream, waiting), cudaErrorInvalidResourceHandle);
    ok(nvtxh_device_mark(stream, "new")); /* where one of those was */
    release(&gate);
    settle();
    logged("start [open] #1; end #1; mark [new]");
    counts(0, 0, 0, 0, 0, 0);
}

static void names(void) {
    nvtxh_stream_name(stream, "copies");
    nvtxh_device_name(0, "left");
    nvtxh_event_name((cudaEvent_t)NULL, "ready");
    nvtxh_context_name(NULL, "main");
#ifdef NVTXH_CUDA_DRIVER
    logged("CU stream 'copies'; CU device 'left'; CU event 'ready'; CU context 'main'");
#else
    logged("CUDA stream 'copies'; CUDA device 'left'; CUDA event 'ready'; CU context 'main'");
#endif
}

static void *in_thread(void *unused) {
    struct nvtxh_device_range range;
    int i;

    (void)unused;
    for (i = 0; i < 500; i++) {
        ok(nvtxh_device_start(i & 1 ? stream : other, &range, "thread"));
        ok(nvtxh_device_next(i & 1 ? stream : other, &range, "thread"));
        ok(nvtxh_device_end(i & 1 ? stream : other, range));
        if (i % 100 == 99)
            ok(nvtxh_device_drain(10000));
    }
    return NULL;
}

static void threads(void) {
    pthread_t thread[4];
    int i;

    for (i = 0; i < 4; i++)
        ok(pthread_create(&thread[i], NULL, in_thread, NULL));
    for (i = 0; i < 4; i++)
        ok(pthread_join(thread[i], NULL));
    settle();
    equal(log_count(LOG_START, NULL, "thread"), 4000);
    equal(log_count(LOG_END, NULL, NULL) - log_count(LOG_START, NULL, NULL), 0);
    counts(0, 0, 0, 0, 0, 0);
    log_reset();
}

int main(void) {
    need_device();
    ok(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    ok(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
    RUN(modes);
    RUN(mode_none);
    RUN(mode_scopes);
    RUN(default_streams);
    RUN(exhaustion);
    RUN(paused);
    RUN(drained);
    RUN(abandoned);
    RUN(names);
    RUN(threads);
    ok(cudaStreamDestroy(stream));
    ok(cudaStreamDestroy(other));
    return 0;
}
