/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Mode TIMED in stream captures: which replays are reported, and which are counted as lost. */
#include "timed_suite.h"

#include <pthread.h>

#if DEFERRED_TOOL

/* The graph of EXEC is gone, and its ranges with it. */
static void release(cudaGraphExec_t exec, cudaGraph_t graph) {
    ok(cudaGraphExecDestroy(exec));
    ok(cudaGraphDestroy(graph));
    await_captured(0);
    settle();
    counts(0, 0, 0, 0, 0, 0);
}

static void *ask(void *unused) {
    int i;

    for (i = 0; i < 40; i++)
        ok(nvtxh_device_mark(other, "beside"));
    ok(nvtxh_device_drain(10000));
    return unused;
}

/* In a capture, timed ranges are nodes that record events. Queries by other threads do not spoil
 * the capture. */
static void captures(void) {
    struct nvtxh_device_range range, outside;
    cudaGraphExec_t exec;
    cudaGraph_t graph;
    pthread_t thread;
    size_t n = 0;

    begin(NVTXH_DEVICE_TIMED);
    ok(nvtxh_device_start(stream, &outside, "outside"));
    settle(); /* so that the events of the pool have a time */
    ok(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    ok(nvtxh_device_start(stream, &range, "captured"));
    equal(nvtxh_device_end(stream, outside), cudaErrorStreamCaptureIsolation);
    ok(nvtxh_device_end(stream, range));
    ok(pthread_create(&thread, NULL, ask, NULL));
    ok(pthread_join(thread, NULL));
    ok(cudaStreamEndCapture(stream, &graph));
    ok(cudaGraphGetNodes(graph, NULL, &n));
    equal(n, 2);
    equal(n_told, 40);
    ok(nvtxh_device_end(stream, outside));
    exec = instantiate(graph);
    settle();
    equal(n_told, 41); /* no replay yet: only the range outside */
    ok(cudaGraphLaunch(exec, stream));
    settle();
    equal(host_functions() + (int)n_starts, 0);
    equal(n_told, 42);
    release(exec, graph);
}

/* "a", "b" back to back, a mark, and "both": three ranges and two marks in five nodes and two host
 * functions. */
static int64_t in_a;
static cudaGraphExec_t captured(cudaGraph_t *ret_graph, struct gate *gate) {
    struct nvtxh_device_range range;

    ok(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    ok(nvtxh_device_start(stream, &range, "a"));
    if (gate) {
        stamp(&in_a);
        hold(stream, gate);
    }
    ok(nvtxh_device_next(stream, &range, "b"));
    ok(nvtxh_device_mark(stream, "m"));
    ok(nvtxh_device_end(stream, range));
    nvtxh_device_set_mode(NVTXH_DEVICE_TIMED | NVTXH_DEVICE_INTERVAL | NVTXH_DEVICE_EVENT);
    { NVTXH_DEVICE_SCOPEF(stream, "both %d", 1); }
    nvtxh_device_set_mode(NVTXH_DEVICE_TIMED);
    ok(cudaStreamEndCapture(stream, ret_graph));
    return instantiate(*ret_graph);
}

/* Every replay that a look finds finished is reported once, at its time. So is the last one of a
 * destroyed graph. */
static void replays(void) {
    static const char *const messages[] = {"a", "b", "m", "both 1", "both 1"};
    static const bool is_range[] = {true, true, false, true, false};
    cudaGraphExec_t exec;
    cudaGraph_t graph;
    int64_t at[2];
    size_t i, k;

    begin(NVTXH_DEVICE_TIMED);
    exec = captured(&graph, NULL);
    ok(cudaGraphDestroy(graph));
    settle();
    counts(0, 0, 4, 0, 0, 0);
    equal(n_told, 0);
    for (k = 0; k < 3; k++) {
        n_told = 0;
        stamp(&at[0]);
        ok(cudaGraphLaunch(exec, stream));
        stamp(&at[1]);
        settle();
        settle(); /* nothing is reported twice */
        equal(n_told, 5);
        for (i = 0; i < 5; i++)
            told_is(i, messages[i], is_range[i], at[0], at[1]);
    }
    n_told = 0;
    usleep(110000);
    settle(); /* the clock is read anew, and the events are timed from there */
    settle();
    equal(n_told, 0);
    stamp(&at[0]);
    for (k = 0; k < 5; k++)
        ok(cudaGraphLaunch(exec, stream)); /* only the last one can be read */
    settle();
    equal(n_told, 5);
    ok(cudaGraphLaunch(exec, stream));
    ok(cudaStreamSynchronize(stream));
    usleep(200000);
    ok(nvtxh_device_mark(stream, "look"));
    equal(n_told, 10); /* verbs look */
    settle();
    equal(n_told, 11);
    ok(cudaGraphLaunch(exec, stream));
    ok(cudaGraphExecDestroy(exec));
    await_captured(0);
    settle();
    equal(n_told, 16);
    equal(host_functions() + (int)(n_starts + n_marks), 0);
    counts(0, 0, 0, 0, 0, 0);
}

/* A graph keeps no base from which it is no longer timed: graphs of as many bases as there are
 * places leave room for the next base. */
static void bases(void) {
    enum { GRAPHS = NVTXH_I_BASES + 1 };
    cudaGraphExec_t exec[GRAPHS];
    cudaGraph_t graph[GRAPHS];
    uint64_t before;
    int i;

    begin(NVTXH_DEVICE_TIMED);
    for (i = 0; i < GRAPHS; i++) {
        exec[i] = captured(&graph[i], NULL);
        usleep(110000);
        settle();
    }
    ok(cudaGraphLaunch(exec[0], stream));
    settle();
    before = n_points[told[0].clock];
    usleep(110000);
    settle();
    check(n_points[told[0].clock] > before);
    for (i = 0; i < GRAPHS; i++) {
        ok(cudaGraphExecDestroy(exec[i]));
        ok(cudaGraphDestroy(graph[i]));
    }
    await_captured(0);
    settle();
}

static void await_a(void) {
    while (!__atomic_load_n(&in_a, __ATOMIC_ACQUIRE))
        usleep(100);
}

/* A replay that was seen begun and then overwritten is counted as lost. A graph with open
 * ranges. */
static void replaced(void) {
    struct nvtxh_device_range range;
    struct gate gate;
    cudaGraphExec_t exec;
    cudaGraph_t graph;
    int i;

    begin(NVTXH_DEVICE_TIMED);
    exec = captured(&graph, &gate);
    for (i = 0; i < 2; i++)
        ok(cudaGraphLaunch(exec, stream));
    let_go(&gate);
    let_go(&gate);
    settle();
    equal(n_told, 5);
    __atomic_store_n(&in_a, 0, __ATOMIC_RELAXED);
    ok(cudaGraphLaunch(exec, stream));
    await_a();
    equal(nvtxh_device_drain(0), cudaErrorNotReady);
    equal(n_told, 5);
    ok(cudaGraphLaunch(exec, stream));
    let_go(&gate);
    let_go(&gate);
    settle();
    equal(n_told, 10);
    counts(0, 0, 4, 1, 0, 0);
    release(exec, graph);
    equal(n_told, 10);
    ok(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    ok(nvtxh_device_start(stream, &range, "open"));
    ok(cudaStreamEndCapture(stream, &graph));
    exec = instantiate(graph);
    equal(nvtxh_device_end(stream, range), cudaErrorStreamCaptureIsolation);
    for (i = 0; i < 2; i++) {
        ok(cudaGraphLaunch(exec, stream));
        settle();
    }
    ok(cudaGraphExecDestroy(exec));
    ok(cudaGraphDestroy(graph));
    await_captured(0);
    settle();
    equal(n_told, 10);
    equal(nvtxh_device_end(stream, range), cudaErrorInvalidResourceHandle);
    counts(0, 0, 0, 2, 0, 0);
}

static void *let_go_later(void *gate) {
    int i;

    usleep(20000);
    for (i = 0; i < 5; i++)
        let_go((struct gate *)gate);
    return NULL;
}

/* Drain waits for the last of five launches, whose first has not got to its end. */
static void drained(void) {
    struct gate gate;
    cudaGraphExec_t exec;
    cudaGraph_t graph;
    pthread_t thread;
    int i;

    begin(NVTXH_DEVICE_TIMED);
    exec = captured(&graph, &gate);
    for (i = 0; i < 5; i++)
        ok(cudaGraphLaunch(exec, stream));
    equal(nvtxh_device_drain(5), cudaErrorNotReady);
    equal(n_told, 0);
    ok(pthread_create(&thread, NULL, let_go_later, &gate));
    ok(nvtxh_device_drain(10000));
    check(n_told >= 5);
    ok(pthread_join(thread, NULL));
    ok(sem_getvalue(&gate.semaphore, &i));
    equal(i, 0); /* all have passed the gate */
    settle();
    ok(nvtxh_device_counts(&counted_before)); /* some replays may be lost */
    release(exec, graph);
}

#ifdef TEST_FAKE
/* Captures that CUDA refuses, and an abandon while a graph exists: nothing is reported, and no slot
 * is missing. */
static void refused_captures(void) {
    static const char *const functions[] = {"cudaUserObjectCreate", "cudaGraphRetainUserObject",
                                            "cudaEventRecord", "cudaEventRecord"};
    static const int number[] = {1, 1, 1, 2}; /* cudaEventRecord: of the beginning; of the end */
    struct nvtxh_device_range range;
    cudaGraphExec_t exec;
    cudaGraph_t graph;
    int i, status;

    begin(NVTXH_DEVICE_TIMED);
    ok(nvtxh_device_start(stream, &range, "a base"));
    ok(nvtxh_device_end(stream, range));
    settle();
    for (i = 0; i < 4; i++) {
        ok(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
        fake_fail(functions[i], 719, number[i], number[i]);
        status = (int)nvtxh_device_start(stream, &range, "refused");
        equal(status, i < 3 ? 719 : 0);
        equal(nvtxh_device_end(stream, range), i < 3 ? 0 : 719);
        fake_fail(functions[i], 0, 0, 0);
        ok(cudaStreamEndCapture(stream, &graph));
        exec = instantiate(graph);
        ok(cudaGraphLaunch(exec, stream));
        settle();
        ok(cudaGraphExecDestroy(exec));
        ok(cudaGraphDestroy(graph));
        await_captured(0);
        settle();
        equal(fake_user_objects(), 0);
        counts(0, 0, 0, i == 3, 1, 0); /* it was begun and has no end */
    }
    equal(n_told, 1);
    /* The stream belongs to another device: host functions. */
    ok(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    fake_fail("cudaEventRecord", cudaErrorInvalidResourceHandle, 1, 1);
    ok(nvtxh_device_start(stream, &range, "host"));
    ok(nvtxh_device_end(stream, range));
    ok(cudaStreamEndCapture(stream, &graph));
    exec = instantiate(graph);
    ok(cudaGraphLaunch(exec, stream));
    settle();
    equal(n_starts, 1);
    release(exec, graph);
    exec = captured(&graph, NULL);
    ok(nvtxh_device_abandon());
    counts(0, 0, 4, 0, 0, 0);
    ok(cudaGraphLaunch(exec, stream));
    ok(nvtxh_device_mark(stream, "new clock"));
    settle();
    equal(n_told, 2);
    ok(nvtxh_device_abandon()); /* the graph outlives its clock */
    release(exec, graph);
    ok(cudaPeekAtLastError());
}

/* The events of the next pairs never get a time: host functions. */
static void late(void) {
    struct nvtxh_device_range range, open[32];
    cudaGraphExec_t exec;
    cudaGraph_t graph;
    int i;

    ok(nvtxh_device_abandon());
    begin(NVTXH_DEVICE_TIMED);
    for (i = 0; i < 32; i++)
        ok(nvtxh_device_start(stream, &open[i], "has all pairs"));
    fake_drop_events(64);
    ok(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    for (i = 0; i < 3; i++) {
        ok(nvtxh_device_start(stream, &range, "host"));
        ok(nvtxh_device_end(stream, range));
    }
    ok(cudaStreamEndCapture(stream, &graph));
    fake_drop_events(0);
    exec = instantiate(graph);
    ok(cudaGraphLaunch(exec, stream));
    for (i = 0; i < 32; i++)
        ok(nvtxh_device_end(stream, open[i]));
    settle();
    equal(n_starts, 3);
    equal(n_told, 32);
    release(exec, graph);
}

#endif

int main(void) {
    unsetenv("NVTX_INJECTION64_PATH"); /* the tool is linked in */
    need_device();
    ok(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    ok(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
    (void)nvtxh_listening();
    TEST(captures);
    TEST(replays);
    TEST(bases);
    TEST(replaced);
    TEST(drained);
#ifdef TEST_FAKE
    TEST(refused_captures);
    TEST(late);
#endif
    return 0;
}

#else
int main(void) {
    printf("skipped: NVTX without deferred events\n");
    return 0;
}
#endif
