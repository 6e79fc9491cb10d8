/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Mode TIMED: there is no host function, the tool gets ranges after they ended, and their times are
 * right although the device's clock is another one than the host's. `timed undeferred`: with a tool
 * that has no deferred events. */
#include "timed_suite.h"

#include <pthread.h>
#include <sys/wait.h>

#if DEFERRED_TOOL

NVTXH_CATEGORY(copies, NULL, "copies");
NVTXH_DOMAIN(beside, "beside");

/* A capture that waits: at its end the tool has got its timed ranges. Another capture does not
 * wait. */
static void captured(void) {
    struct gate gate;
    int i;

    begin(NVTXH_DEVICE_TIMED);
    for (i = 0; i < 2; i++) {
        NVTXH_CAPTURE_SCOPE("timed", i ? NVTXH_CAPTURE_WAIT : 0u);
        NVTXH_DEVICE_SCOPE(stream, "in it");
    }
    equal(n_starts, 2);
    equal(n_ends, 2);
    equal(n_told, 2);
    hold(stream, &gate);
    {
        NVTXH_CAPTURE_SCOPE("not waited for");
        ok(nvtxh_device_mark(stream, "late"));
    }
    equal(n_told, 2);
    let_go(&gate);
    settle();
    equal(n_told, 3);
}

/* A range with all attributes, one after it and a mark. */
static void ranges(void) {
    struct nvtxh_device_range range;
    int64_t at[4];

    begin(NVTXH_DEVICE_TIMED);
    equal(nvtxh_device_mode(), NVTXH_DEVICE_TIMED | NVTXH_DEVICE_INTERVAL);
    stamp(&at[0]);
    ok(nvtxh_device_start(stream, &range, "first", .category = &copies, .color = NVTXH_GREEN,
                          .payload = nvtxh_payload(42)));
    stamp(&at[1]);
    ok(nvtxh_device_nextf(stream, &range, "second %d", 2));
    stamp(&at[2]);
    ok(nvtxh_device_end(stream, range));
    equal(nvtxh_device_end(stream, range), cudaErrorInvalidResourceHandle);
    ok(nvtxh_device_mark(stream, "mark", .payload = nvtxh_payload(1.5)));
    stamp(&at[3]);
    settle();
    equal(host_functions(), 0);
    equal(n_starts + n_marks, 0);
    equal(n_told, 3);
    told_is(0, "first", true, at[0], at[2]);
    told_is(1, "second 2", true, at[1], at[3]);
    told_is(2, "mark", false, at[2], at[3]);
    check(told[0].end >= told[0].begin && told[1].begin >= told[0].end);
    equal(told[0].color, NVTXH_GREEN);
    equal(told[0].category, 0x4e343e10); /* of "copies": see category.c of tests/behaviour */
    equal(told[0].type, NVTX_PAYLOAD_ENTRY_TYPE_INT32);
    equal((int32_t)told[0].payload, 42);
    check(told[0].registered && !told[1].registered);
    equal(told[1].type, 0);
    equal(told[2].type, NVTX_PAYLOAD_ENTRY_TYPE_DOUBLE);
    counts(0, 0, 0, 0, 0, 0);
    { NVTXH_DEVICE_SCOPE(stream, "scope"); }
    nvtxh_device_set_mode(NVTXH_DEVICE_TIMED | NVTXH_DEVICE_EVENT | NVTXH_DEVICE_WAIT);
    { NVTXH_DEVICE_SCOPEF(stream, "event %s", "scope"); }
    nvtxh_device_set_mode(NVTXH_DEVICE_TIMED | NVTXH_DEVICE_EVENT | NVTXH_DEVICE_INTERVAL);
    { NVTXH_DEVICE_SCOPE(stream, "both"); }
    settle();
    equal(n_told, 7);
    told_is(3, "scope", true, at[3], now_on_host());
    told_is(4, "event scope", false, at[3], now_on_host());
    told_is(5, "both", true, at[3], now_on_host());
    told_is(6, "both", false, at[3], now_on_host());
    equal(host_functions(), 0);
}

static nvtxEventAttributes_t at_once;

static void keep_event(const nvtxEventAttributes_t *event) {
    at_once = *event;
}

/* The payload of a type that is numbered as NVTX does it, with the lower bits of BITS. */
static struct nvtxh_payload_value payload_of(int type, uint64_t bits) {
    struct nvtxh_payload_value none;

    memset(&none, 0, sizeof(none));
    switch (type) {
    case NVTX_PAYLOAD_TYPE_UNSIGNED_INT64:
        return nvtxh_payload((unsigned long)bits);
    case NVTX_PAYLOAD_TYPE_INT64:
        return nvtxh_payload((long)bits);
    case NVTX_PAYLOAD_TYPE_DOUBLE:
        return nvtxh_payload((double)bits);
    case NVTX_PAYLOAD_TYPE_UNSIGNED_INT32:
        return nvtxh_payload((unsigned)bits);
    case NVTX_PAYLOAD_TYPE_INT32:
        return nvtxh_payload((int)bits);
    case NVTX_PAYLOAD_TYPE_FLOAT:
        return nvtxh_payload((float)bits);
    default:
        return none;
    }
}

/* The payload of that type that the tool got as PAYLOAD is of BITS. */
static bool is_payload(int type, uint64_t bits, uint64_t payload) {
    union {
        uint64_t u64;
        uint32_t u32;
        double f64;
        float f32;
    } got = {payload};

    switch (type) {
    case NVTX_PAYLOAD_TYPE_UNSIGNED_INT64:
    case NVTX_PAYLOAD_TYPE_INT64:
        return got.u64 == bits;
    case NVTX_PAYLOAD_TYPE_DOUBLE:
        return got.f64 == (double)bits;
    case NVTX_PAYLOAD_TYPE_FLOAT:
        return got.f32 == (float)bits;
    default:
        return type == NVTX_PAYLOAD_UNKNOWN || got.u32 == (uint32_t)bits;
    }
}

/* Ranges and marks with drawn attributes have these attributes, timed or not. */
static void attributes(void) {
    static const uint64_t types[] = {0,
                                     NVTX_PAYLOAD_ENTRY_TYPE_UINT64,
                                     NVTX_PAYLOAD_ENTRY_TYPE_INT64,
                                     NVTX_PAYLOAD_ENTRY_TYPE_DOUBLE,
                                     NVTX_PAYLOAD_ENTRY_TYPE_UINT32,
                                     NVTX_PAYLOAD_ENTRY_TYPE_INT32,
                                     NVTX_PAYLOAD_ENTRY_TYPE_FLOAT};
    static const uint32_t colors[] = {0, NVTXH_GREEN, 0x80123456},
                          categories[] = {0, 0x4e343e10 /* of "copies" */, 7};
    unsigned seed = (unsigned)now_on_host(), step;

    printf("seed %u\n", seed);
    fflush(stdout);
    on_event = keep_event;
    for (step = 0; step < 500; step++) {
        unsigned draw = (seed = seed * 1664525u + 1013904223u) >> 8;
        bool timed = draw & 1, range = draw & 2;
        int type = (int)(draw / 4 % 7);
        unsigned color = draw / 28 % 3, category = draw / 84 % 3;
        uint64_t bits = (draw ^ (uint64_t)seed << 32) >> seed % 64;
        struct nvtxh_payload_value payload = payload_of(type, bits);
        struct nvtxh_category *named = category == 1   ? &copies
                                       : category == 2 ? NVTXH_CATEGORY_ID(7)
                                                       : NULL;
        struct nvtxh_device_range handle;

        begin(timed ? NVTXH_DEVICE_TIMED : NVTXH_DEVICE_INTERVAL);
        if (range) {
            ok(nvtxh_device_start(stream, &handle, "drawn", .category = named,
                                  .color = colors[color], .payload = payload));
            ok(nvtxh_device_end(stream, handle));
        } else {
            ok(nvtxh_device_mark(stream, "drawn", .category = named, .color = colors[color],
                                 .payload = payload));
        }
        settle();
        equal(n_told, timed);
        equal(n_starts, !timed && range);
        equal(n_marks, !timed && !range);
        if (timed) {
            check(!strcmp(told[0].message, "drawn") && told[0].range == range);
            equal(told[0].type, types[type]);
            equal(told[0].color, colors[color]);
            equal(told[0].category, categories[category]);
            check(is_payload(type, bits, told[0].payload));
        } else {
            check(at_once.messageType == NVTX_MESSAGE_TYPE_REGISTERED);
            equal(at_once.payloadType, type);
            equal(at_once.colorType, color ? NVTX_COLOR_ARGB : NVTX_COLOR_UNKNOWN);
            check(!color || at_once.color == colors[color]);
            equal(at_once.category, categories[category]);
            check(is_payload(type, bits, at_once.payload.ullValue));
        }
    }
    on_event = NULL;
}

#ifdef TEST_FAKE
/* A device's clock is 0.5 % fast, or slow. Only the synchronization points can correct that. */
static void drift_on(int device) {
    cudaStream_t const usual = stream;
    struct nvtxh_device_range range;
    int64_t at[3];
    int i;

    fake_drift(5000);
    ok(nvtxh_device_abandon()); /* forgets the clock that ran at another rate */
    ok(cudaSetDevice(device));
    ok(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    begin(NVTXH_DEVICE_TIMED);
    for (i = 0; i < 3; i++) {
        stamp(&at[0]);
        ok(nvtxh_device_start(stream, &range, "drifting"));
        stamp(&at[1]);
        ok(cudaStreamSynchronize(stream)); /* the range has begun, however busy the machine is */
        usleep(110000);
        ok(nvtxh_device_end(stream, range));
        stamp(&at[2]);
        settle();
        equal(n_told, i + 1);
        told_is((size_t)i, "drifting", true, at[0], at[2]);
        check(on_host(told[i].clock, told[i].end) - on_host(told[i].clock, told[i].begin) >=
              110000000 - 2 * error_ns());
    }
    check(n_points[told[0].clock] >= 3);
    ok(cudaStreamDestroy(stream));
    stream = usual;
    ok(cudaSetDevice(0));
    fake_drift(0);
}

static void drift(void) {
    drift_on(0);
    drift_on(1);
}

#endif

#ifdef TEST_FAKE
/* The device is slow to reach the events that read its clock. Ranges have their times
 * nevertheless. */
static void slow_clock(void) {
    struct nvtxh_device_range range;
    int64_t at[2];
    int i;

    for (i = 0; i < 50; i++) {
        ok(nvtxh_device_abandon()); /* forgets the clock */
        begin(NVTXH_DEVICE_TIMED);
        fake_slow_events(1);
        ok(nvtxh_device_start(stream, &range, "slow"));
        stamp(&at[0]);
        usleep(60000);
        ok(nvtxh_device_end(stream, range));
        stamp(&at[1]);
        settle();
        equal(n_told, 1);
        if (llabs(on_host(told[0].clock, told[0].end) - at[1]) < 15000000)
            /* half of 60 ms away if the clock was read only then. A busy machine is given more
             * tries */
            break;
    }
    check(i < 50);
    usleep(110000);
    fake_slow_events(1);
    (void)nvtxh_device_drain(0);
    usleep(110000);
    settle();
    check(n_points[told[0].clock] >= 3); /* each was sent once */
}

#endif

/* Verbs read the times of finished ranges without waiting; drain reads the rest. */
static void lazily(void) {
    struct nvtxh_device_range range;
    struct gate gate;
    int i;

    begin(NVTXH_DEVICE_TIMED);
    hold(stream, &gate);
    for (i = 0; i < 100; i++) {
        ok(nvtxh_device_start(stream, &range, "held"));
        ok(nvtxh_device_end(stream, range));
    }
    equal(n_told, 0);
    counts(100, 0, 0, 0, 0, 0);
    equal(nvtxh_device_drain(0), cudaErrorNotReady);
    let_go(&gate);
    ok(cudaDeviceSynchronize());
    for (i = 0; i < 80; i++)
        ok(nvtxh_device_mark(stream, "later"));
    check(n_told >= 100);
    settle();
    equal(n_told, 180);
    for (i = 1; i < 100; i++)
        check(told[i].begin >= told[i - 1].end);
    counts(0, 0, 0, 0, 0, 0);
}

#ifdef TEST_FAKE
/* Ends before their beginnings, ranges that CUDA refuses, abandoned ones, and ranges without a free
 * slot. */
static void losses(void) {
    static struct nvtxh_device_range many[NVTXH_DEVICE_RANGES];
    struct nvtxh_device_range range, chained;
    struct gate gate;
    int i;

    begin(NVTXH_DEVICE_TIMED);
    hold(stream, &gate);
    ok(nvtxh_device_start(stream, &range, "late"));
    ok(nvtxh_device_end(other, range));
    ok(cudaStreamSynchronize(other));
    usleep(1000);
    let_go(&gate);
    settle();
    counts(0, 0, 0, 1, 0, 0);
    fake_fail("cudaEventRecord", 719, 1, 1);
    equal(nvtxh_device_start(stream, &range, "refused"), 719);
    check(!range.nvtxh_i_value);
    ok(nvtxh_device_start(stream, &range, "refused"));
    ok(nvtxh_device_start(stream, &chained, "refused"));
    fake_fail("cudaEventRecord", 719, 1, 2);
    equal(nvtxh_device_end(stream, range), 719);
    equal(nvtxh_device_next(stream, &chained, "refused"), 719);
    check(!chained.nvtxh_i_value);
    fake_fail("cudaEventRecord", 0, 0, 0);
    settle();
    counts(0, 0, 0, 0, 4, 0);
    equal(cudaPeekAtLastError(), 0);
    equal(n_told, 0);
    ok(nvtxh_device_start(stream, &chained, "open"));
    hold(stream, &gate);
    ok(nvtxh_device_start(stream, &range, "given up"));
    ok(nvtxh_device_end(stream, range));
    ok(nvtxh_device_abandon());
    counts(0, 0, 0, 2, 0, 0);
    equal(nvtxh_device_end(stream, chained), cudaErrorInvalidResourceHandle);
    let_go(&gate);
    settle();
    equal(n_told, 0);
    for (i = 0; i < NVTXH_DEVICE_RANGES; i++)
        ok(nvtxh_device_start(stream, &many[i], "many"));
    equal(nvtxh_device_start(stream, &range, "too many"), cudaErrorMemoryAllocation);
    for (i = 0; i < NVTXH_DEVICE_RANGES; i++)
        ok(nvtxh_device_end(stream, many[i]));
    settle();
    equal(n_told, NVTXH_DEVICE_RANGES);
    counts(0, 0, 0, 0, 0, 1);
    /* One stream stands still, and all slots wait: finished ranges of another stream are found
     * nevertheless. */
    hold(stream, &gate);
    for (i = 0; i < 40; i++)
        ok(nvtxh_device_mark(stream, "held"));
    for (i = 0; i < 2 * NVTXH_DEVICE_RANGES; i++) {
        ok(nvtxh_device_mark(other, "on"));
        ok(cudaStreamSynchronize(other));
    }
    let_go(&gate);
    settle();
    counts(0, 0, 0, 0, 0, 0);
    equal(n_told, 3 * NVTXH_DEVICE_RANGES + 40);
    equal(host_functions() - 3, 0); /* the gates */
}

/* Two devices with a clock each, and two domains: each range has its times on its device's clock, in
 * a graph as well. */
static void devices(void) {
    static struct nvtxh_domain *const domains[] = {NVTXH_DOMAIN_DEFAULT, &beside};
    static struct nvtxh_device_range many[NVTXH_DEVICE_RANGES];
    cudaStream_t streams[2] = {stream, NULL};
    struct nvtxh_device_range range;
    cudaGraphExec_t exec;
    cudaGraph_t graph;
    int64_t at[2];
    int events = 0;
    size_t i, k;

    ok(cudaSetDevice(1));
    ok(cudaStreamCreateWithFlags(&streams[1], cudaStreamNonBlocking));
    for (i = 0; i < 2; i++) { /* all pairs of events are of one device, then of the other one */
        begin(NVTXH_DEVICE_TIMED);
        ok(cudaSetDevice((int)i));
        for (k = 0; k < NVTXH_DEVICE_RANGES; k++)
            ok(nvtxh_device_start(streams[i], &many[k], "many"));
        for (k = 0; k < NVTXH_DEVICE_RANGES; k++)
            ok(nvtxh_device_end(streams[i], many[k]));
        settle();
        equal(n_told, NVTXH_DEVICE_RANGES);
        if (i) /* those of the first device are destroyed; a clock has its own */
            equal(fake_events(), events + NVTXH_I_BASES);
        events = fake_events();
    }
    begin(NVTXH_DEVICE_TIMED);
    for (i = 0; i < 12; i++) {
        ok(cudaSetDevice((int)(i & 1)));
        at[0] = now_on_host();
        if (i >= 8)
            ok(cudaStreamBeginCapture(streams[i & 1], cudaStreamCaptureModeThreadLocal));
        ok(nvtxh_device_start(streams[i & 1], &range, "range", .domain = domains[i / 2 & 1]));
        ok(nvtxh_device_end(streams[i & 1], range));
        if (i >= 8) {
            ok(cudaStreamEndCapture(streams[i & 1], &graph));
            exec = instantiate(graph);
            ok(cudaGraphDestroy(graph));
            ok(cudaSetDevice((int)(i / 2 & 1)));
            ok(cudaGraphLaunch(exec, streams[i & 1]));
            ok(cudaGraphExecDestroy(exec));
            await_captured(0);
        }
        settle();
        equal(n_told, i + 1);
        told_is(i, "range", true, at[0], now_on_host());
        for (k = 0; k < i; k++) /* a time domain for each device in each domain */
            equal(told[k].clock == told[i].clock, (k & 3) == (i & 3));
    }
    equal(n_starts, 0);
    ok(cudaSetDevice(0));
    ok(cudaStreamDestroy(streams[1]));
}

/* The stream belongs to another device than the current one: a host function, or nothing. */
static void elsewhere(void) {
    struct nvtxh_device_range range;

    begin(NVTXH_DEVICE_TIMED);
    fake_fail("cudaEventRecord", cudaErrorInvalidResourceHandle, 1, 1);
    ok(nvtxh_device_start(stream, &range, "elsewhere"));
    ok(nvtxh_device_end(stream, range));
    settle();
    equal(n_starts, 1);
    equal(n_told, 0);
    nvtxh_device_set_mode(NVTXH_DEVICE_TIMED | NVTXH_DEVICE_NO_HOST);
    fake_fail("cudaEventRecord", cudaErrorInvalidResourceHandle, 1, 1);
    equal(nvtxh_device_start(stream, &range, "elsewhere"), cudaErrorInvalidResourceHandle);
    settle();
    equal(n_starts, 1);
    counts(0, 0, 0, 0, 1, 0);
}

/* CUDA makes no events after the eight of the clock: again a host function, or nothing. */
static void no_events(void) {
    struct nvtxh_device_range range;

    ok(nvtxh_device_abandon()); /* forgets the events it has */
    begin(NVTXH_DEVICE_TIMED);
    fake_fail("cudaEventCreateWithFlags", cudaErrorMemoryAllocation, 9, 100);
    ok(nvtxh_device_start(stream, &range, "no events"));
    ok(nvtxh_device_end(stream, range));
    settle();
    equal(n_starts, 1);
    nvtxh_device_set_mode(NVTXH_DEVICE_TIMED | NVTXH_DEVICE_NO_HOST);
    equal(nvtxh_device_start(stream, &range, "no events"), cudaErrorMemoryAllocation);
    check(!range.nvtxh_i_value);
    fake_fail("cudaEventCreateWithFlags", 0, 0, 0);
    ok(nvtxh_device_start(stream, &range, "events"));
    ok(nvtxh_device_end(stream, range));
    settle();
    equal(n_starts, 1);
    equal(n_told, 1);
    counts(0, 0, 0, 0, 0, 1);
    ok(cudaPeekAtLastError());
}

/* While CUDA refuses to make all of a clock, or of the first pair of events, nothing of it is left
 * over. */
static void no_clock(void) {
    struct nvtxh_device_range range;
    int i, events;

    ok(nvtxh_device_abandon());
    begin(NVTXH_DEVICE_TIMED | NVTXH_DEVICE_NO_HOST);
    events = fake_events();
    for (i = 0; i < 4; i++) {
        fake_fail(i % 2 ? "cudaStreamCreateWithFlags" : "cudaEventCreateWithFlags",
                  cudaErrorMemoryAllocation, i % 2 ? 1 : 5, i % 2 ? 1 : 5);
        ok(nvtxh_device_start(stream, &range, "no clock"));
        check(!range.nvtxh_i_value);
        equal(fake_events(), events);
    }
    fake_fail("cudaEventCreateWithFlags", cudaErrorMemoryAllocation, 10, 10);
    equal(nvtxh_device_start(stream, &range, "no pair"), cudaErrorMemoryAllocation);
    equal(fake_events(), events + 8);
    ok(nvtxh_device_start(stream, &range, "clock"));
    ok(nvtxh_device_end(stream, range));
    settle();
    equal(n_told, 1);
    ok(cudaPeekAtLastError());
}

#endif

static void *enqueue(void *unused) {
    struct nvtxh_device_range range;
    cudaStream_t mine;
    int i;

    ok(cudaStreamCreateWithFlags(&mine, cudaStreamNonBlocking));
    for (i = 0; i < 200; i++) {
        ok(nvtxh_device_start(mine, &range, "one"));
        ok(nvtxh_device_next(mine, &range, "two"));
        ok(nvtxh_device_end(mine, range));
        if (i % 10 == 9)
            ok(nvtxh_device_drain(10000));
    }
    ok(cudaStreamDestroy(mine));
    return unused;
}

/* While several threads enqueue and drain, nothing is lost or reported twice. */
static void threads(void) {
    pthread_t all[3];
    int i;

    begin(NVTXH_DEVICE_TIMED);
    for (i = 0; i < 3; i++)
        ok(pthread_create(&all[i], NULL, enqueue, NULL));
    for (i = 0; i < 3; i++)
        ok(pthread_join(all[i], NULL));
    settle();
    /* host functions while another thread makes the pool's next events */
    equal(n_told + n_starts, 3 * 200 * 2);
    counts(0, 0, 0, 0, 0, 0);
}

/* Each range keeps its mode: timed and other ranges follow each other. */
static void mixed(void) {
    struct nvtxh_device_range range;

    begin(NVTXH_DEVICE_INTERVAL);
    ok(nvtxh_device_start(stream, &range, "host"));
    nvtxh_device_set_mode(NVTXH_DEVICE_TIMED);
    ok(nvtxh_device_next(stream, &range, "timed"));
    nvtxh_device_set_mode(NVTXH_DEVICE_INTERVAL);
    ok(nvtxh_device_next(stream, &range, "host"));
    ok(nvtxh_device_end(stream, range));
    settle();
    equal(n_told, 1);
    equal(n_starts, 2);
    equal(n_ends, 2);
    counts(0, 0, 0, 0, 0, 0);
}

/* A child has none of its parent's ranges, and may have its own. */
static void forked(void) {
    struct nvtxh_device_range range, open;
    int status;
    pid_t child;

    begin(NVTXH_DEVICE_TIMED);
    ok(nvtxh_device_start(stream, &open, "open"));
    ok(nvtxh_device_start(stream, &range, "waiting"));
    ok(nvtxh_device_end(stream, range));
    child = fork();
    if (!child) {
        struct nvtxh_device_counts now;

        ok(nvtxh_device_counts(&now));
        equal(now.pending + now.open, 0);
        ok(nvtxh_device_drain(0));
        ok(nvtxh_device_abandon());
        _exit(n_told ? 1 : 0);
    }
    equal(waitpid(child, &status, 0), child);
    equal(status, 0);
    ok(nvtxh_device_end(stream, open));
    settle();
    equal(n_told, 2);
}

#ifdef TEST_FAKE
/* While nobody listens, CUDA is not called. */
static void idle(void) {
    struct nvtxh_device_range range;

    begin(NVTXH_DEVICE_TIMED);
    nvtxh_enable(false);
    ok(nvtxh_device_start(stream, &range, "off"));
    ok(nvtxh_device_end(stream, range));
    nvtxh_enable(true);
    equal(fake_calls("cudaEventRecord") + fake_calls("cudaStreamGetCaptureInfo"), 0);
}

#endif

static void at_exit(void) {
    if (n_told != 1)
        _exit(3);
}

/* At exit the tool gets the ranges that have ended, without a call of drain. */
static void exits(void) {
    struct nvtxh_device_range range;

    begin(NVTXH_DEVICE_TIMED);
    ok(nvtxh_device_start(stream, &range, "at exit"));
    ok(nvtxh_device_end(stream, range));
    ok(cudaStreamSynchronize(stream));
    equal(n_told, 0);
}

/* A tool without deferred events. */
static void fallback(void) {
    struct nvtxh_device_range range;

    begin(NVTXH_DEVICE_TIMED);
    ok(nvtxh_device_start(stream, &range, "host"));
    ok(nvtxh_device_next(stream, &range, "host"));
    ok(nvtxh_device_end(stream, range));
    ok(nvtxh_device_mark(stream, "host"));
    settle();
    equal(n_starts, 2);
    equal(n_ends, 2);
    equal(n_marks, 1);
#ifdef TEST_FAKE
    equal(fake_calls("cudaEventRecord") + fake_events(), 0);
#endif
    nvtxh_device_set_mode(NVTXH_DEVICE_TIMED | NVTXH_DEVICE_NO_HOST);
    ok(nvtxh_device_start(stream, &range, "nothing"));
    check(!range.nvtxh_i_value);
    ok(nvtxh_device_mark(stream, "nothing"));
    ok(nvtxh_device_end(stream, range));
    settle();
    equal(n_starts + n_marks, 3);
}

int main(int argc, char **argv) {
    unsetenv("NVTX_INJECTION64_PATH"); /* the tool is linked in */
    need_device();
    undeferred = argc > 1 && !strcmp(argv[1], "undeferred");
    if (!undeferred)
        atexit(at_exit);
    ok(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    ok(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
    (void)nvtxh_listening();
    if (undeferred) {
        TEST(fallback);
        return 0;
    }
    TEST(ranges);
    TEST(attributes);
    TEST(captured);
    TEST(lazily);
    TEST(threads);
    TEST(mixed);
    TEST(forked);
#ifdef TEST_FAKE
    TEST(drift);
    TEST(slow_clock);
    TEST(losses);
    TEST(devices);
    TEST(elsewhere);
    TEST(no_events);
    TEST(no_clock);
    TEST(idle);
#endif
    TEST(exits);
    return 0;
}

#else
int main(void) {
    printf("skipped: NVTX without deferred events\n");
    return 0;
}
#endif
