/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* model [STEPS [SEED]]: random operations in random modes on streams, graphs and a context that
 * fails now and then, checked against a simple model. Each call's status is predicted. At every
 * checkpoint, when all streams have done their work: every range that was begun reached the tool
 * once or is counted as lost, exactly the ranges without an end are open, all marks are there, and
 * no slot is missing. The program is its own tool, which knows which ranges are open. */
#include "model_tool.h"
#include "fake_cuda.h"

enum { STREAMS = 4, HANDLES = 64, EXECS = 6 };

/* --- the account ----------------------------------------------------------------------------------- */

struct handle {
    struct nvtxh_device_range range;
    enum { NONE, LIVE, STALE } is;
    unsigned mode; /* when it began */
    cudaStream_t stream;
};

static cudaStream_t streams[STREAMS];
static struct handle handles[HANDLES];
static struct {
    cudaGraphExec_t exec;
    int ranges, marks, unended; /* per replay */
    int slots;                  /* that the graph holds */
} execs[EXECS];
static unsigned seed;
static long step;
static int in_use; /* slots, at most: some are free again when their stream is done */
/* `unended`: ranges of replays without an end, which are lost. `given_up`: cancelled, and perhaps in no count. */
static uint64_t begun, marked, refused, exhausted, unended, given_up;
static bool dropped; /* a host function, since the last checkpoint */
static unsigned pick(unsigned n) {
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 8) % n;
}

static cudaStream_t pick_stream(void) {
    return streams[pick(STREAMS)];
}

#define expect(status, expected)                                                                   \
    do {                                                                                           \
        int status_ = (int)(status), expected_ = (int)(expected);                                  \
        if (status_ == cudaErrorMemoryAllocation && in_use >= NVTXH_DEVICE_RANGES) {               \
            exhausted++;                                                                           \
        } else if (status_ != expected_) {                                                         \
            fprintf(stderr, "step %ld: %s is %d and should be %d\n", step, #status, status_,       \
                    expected_);                                                                    \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

/* Is the tool told when a range of this mode begins? */
static bool begins(unsigned mode) {
    return mode & NVTXH_DEVICE_INTERVAL;
}

static void checkpoint(void) {
    struct nvtxh_device_counts now;
    uint64_t live = 0, open = 0, captured = 0;
    int i;

    fake_drop(0);
    ok(cudaDeviceSynchronize());
    if (dropped) {
        (void)nvtxh_device_drain(0);
        ok(nvtxh_device_abandon()); /* all handles are stale then, and all ranges are lost */
        for (i = 0; i < HANDLES; i++)
            handles[i].is = handles[i].is == NONE ? NONE : STALE;
    }
    ok(nvtxh_device_drain(10000));
    for (i = 0; i < 2000; i++) {
        ok(nvtxh_device_drain(10000)); /* also the ranges of graphs that are gone */
        ok(nvtxh_device_counts(&now));
        for (captured = 0, live = 0; live < EXECS; live++)
            if (execs[live].exec)
                captured += (uint64_t)execs[live].slots;
        if (now.captured == captured && !now.pending)
            break;
        usleep(500);
    }
    for (i = 0, live = 0, open = 0; i < HANDLES; i++) {
        live += handles[i].is == LIVE;
        open += handles[i].is == LIVE && begins(handles[i].mode);
    }
    equal(n_bad, 0);
    equal(now.pending, 0);
    equal(now.open, live);
    equal(now.captured, captured);
    equal(now.cancelled, refused);
    equal(now.exhausted, exhausted);
    slots_balance();
    equal(n_starts - n_ends, open);
    /* Reported, lost or both: the beginning of an abandoned range may have been reported. */
    check(n_starts <= begun);
    check(n_starts + now.lost + given_up >= begun + unended);
    if (!dropped)
        check(given_up || n_starts + now.lost == begun + unended);
    check(n_marks <= marked);
    if (!dropped)
        equal(n_marks, marked);
    given_up += dropped;
    if (given_up) { /* from here on the counts add up again */
        begun = n_starts + now.lost - unended;
        marked = n_marks;
        given_up = 0;
    }
    dropped = false;
    in_use = (int)(live + captured);
}

/* Makes the next call of CUDA fail now and then: HOST, that of a host function as well. */
enum failure { FAILS_NOT, FAILS_LAUNCH, FAILS_QUERY };
static enum failure provoked(bool host) {
    bool launch;

    if (pick(50))
        return FAILS_NOT;
    launch = pick(2) && host;
    fake_fail(launch ? "cudaLaunchHostFunc" : "cudaStreamGetCaptureInfo", 719, 1, 1);
    return launch ? FAILS_LAUNCH : FAILS_QUERY;
}

static void no_more_failures(void) {
    fake_fail("cudaLaunchHostFunc", 0, 0, 0);
    fake_fail("cudaStreamGetCaptureInfo", 0, 0, 0);
}

/* Loses a host function now and then: the counts do not add up from there to the checkpoint. */
static void provoke_loss(void) {
    if (!pick(2000)) {
        fake_drop(1 + (int)pick(3));
        dropped = true;
    }
}

/* With an interval, a mark at the end, or both: all kinds are in the same streams. Now and then
 * none, but not if it is CAPTURED. */
static unsigned pick_mode(bool captured) {
    unsigned mode = 1 + pick(3);

    if (!captured && !pick(8))
        mode = 0;
    nvtxh_device_set_mode(mode);
    return mode;
}

/* May the range have its end in another stream? A mark of a range that ends before it begins may be
 * missing. */
static cudaStream_t pick_stream_of(const struct handle *handle) {
    return handle->is == LIVE && (handle->mode & 3) == 3 ? handle->stream : pick_stream();
}

static void became(struct handle *handle, int status, unsigned mode, cudaStream_t stream) {
    handle->is = status || !mode ? NONE : LIVE;
    handle->mode = mode;
    handle->stream = stream;
    if (handle->is == LIVE) {
        begun += begins(mode);
        in_use++;
    }
}

/* The stream will reach the range's end. */
static void ends(const struct handle *handle) {
    marked += (handle->mode & NVTXH_DEVICE_EVENT) != 0;
}

/* CUDA has refused the range's end: the range was reported, or has never begun and is not counted
 * as lost. */
static void cancelled(const struct handle *handle) {
    refused++;
    given_up += begins(handle->mode);
}

static void do_start(struct handle *handle, cudaStream_t stream) {
    unsigned mode = pick_mode(false);
    bool fails = provoked(begins(mode));
    int status = (int)nvtxh_device_start(stream, &handle->range, "range");

    no_more_failures();
    expect(status, fails ? 719 : 0);
    refused += status == 719;
    became(handle, status, mode, stream);
}

static void do_end(struct handle *handle, cudaStream_t stream) {
    bool fails = provoked(true);
    int status = (int)nvtxh_device_end(stream, handle->range);
    int stale = cudaErrorInvalidResourceHandle;

    no_more_failures();
    if (handle->is == STALE && status == 719 && fails)
        return; /* the failed call asked about the stream */
    expect(status, handle->is == NONE ? 0 : handle->is == STALE ? stale : fails ? 719 : 0);
    if (handle->is != LIVE)
        return;
    if (status)
        cancelled(handle);
    else
        ends(handle);
    handle->is = STALE;
}

/* Where CUDA refuses the host function that ends a range and begins the next one, both are
 * cancelled. */
static void do_next(struct handle *handle, cudaStream_t stream) {
    unsigned mode = pick_mode(false);
    bool live = handle->is == LIVE;
    enum failure fails =
        in_use + 1 < NVTXH_DEVICE_RANGES ? provoked(live || begins(mode)) : FAILS_NOT;
    int status = (int)nvtxh_device_next(stream, &handle->range, "next");

    no_more_failures();
    if (handle->is == STALE && fails != FAILS_QUERY)
        expect(status, cudaErrorInvalidResourceHandle);
    else
        expect(status, fails ? 719 : 0);
    refused += status == 719 && !(!mode && fails == FAILS_LAUNCH);
    if (live && status == 719)
        cancelled(handle);
    else if (live)
        ends(handle);
    became(handle, status, mode, stream);
}

/* A scope ends here, or is cancelled: where CUDA refuses its end, or where its stream is being
 * captured by then. */
static void do_scope(cudaStream_t stream) {
    enum failure fails = FAILS_NOT;
    struct handle handle;
    cudaGraph_t graph;
    bool captures;

    if (in_use + 1 >= NVTXH_DEVICE_RANGES)
        return;
    became(&handle, 0, pick_mode(false), stream);
    captures = !pick(4);
    {
        NVTXH_DEVICE_SCOPE(stream, "scope");
        if (captures)
            ok(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
        else
            fails = provoked(true);
    }
    no_more_failures();
    if (handle.is == LIVE && (captures || fails))
        cancelled(&handle);
    else if (handle.is == LIVE)
        ends(&handle);
    if (captures) {
        ok(cudaStreamEndCapture(stream, &graph));
        ok(cudaGraphDestroy(graph));
    }
}

/* A graph of a few ranges and marks. */
static void do_capture(int i) {
    struct nvtxh_device_range range;
    cudaStream_t stream = pick_stream();
    cudaGraph_t graph;
    unsigned n = 1 + pick(4), k, mode;
    int intervals, events;

    if (in_use + 12 >= NVTXH_DEVICE_RANGES)
        return;
    memset(&execs[i], 0, sizeof(execs[i]));
    mode = pick_mode(true);
    intervals = (mode & NVTXH_DEVICE_INTERVAL) != 0;
    events = (mode & NVTXH_DEVICE_EVENT) != 0;
    ok(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    ok(nvtxh_device_start(stream, &range, "replayed"));
    for (k = 1; k < n; k++)
        ok(nvtxh_device_next(stream, &range, "replayed"));
    ok(nvtxh_device_mark(stream, "replayed"));
    execs[i].slots = (int)n + 1;
    execs[i].marks = 1 + (int)n * events;
    execs[i].ranges = (int)n * intervals;
    if (pick(8)) {
        ok(nvtxh_device_end(stream, range));
    } else {
        execs[i].ranges -= intervals;
        execs[i].marks -= events;
        execs[i].unended += intervals;
    }
    in_use += (int)n + 1;
    if (!pick(10)) { /* the capture fails */
        fake_fail("cudaStreamEndCapture", 901, 1, 1);
        equal(cudaStreamEndCapture(stream, &graph), 901);
        (void)cudaGetLastError();
        memset(&execs[i], 0, sizeof(execs[i]));
        return;
    }
    ok(cudaStreamEndCapture(stream, &graph));
    ok(cudaGraphInstantiateWithFlags(&execs[i].exec, graph, 0));
    ok(cudaGraphDestroy(graph));
}

static void do_graph(void) {
    int i = (int)pick(EXECS);

    if (!execs[i].exec) {
        do_capture(i);
    } else if (pick(6)) {
        ok(cudaGraphLaunch(execs[i].exec, pick_stream()));
        begun += (uint64_t)execs[i].ranges;
        unended += (uint64_t)execs[i].unended;
        marked += (uint64_t)execs[i].marks;
    } else {
        ok(cudaGraphExecDestroy(execs[i].exec));
        memset(&execs[i], 0, sizeof(execs[i]));
    }
}

static void one_step(void) {
    struct handle *handle = &handles[pick(HANDLES)];
    cudaStream_t stream = pick_stream_of(handle);

    provoke_loss();
    switch (pick(10)) {
    case 0:
    case 1:
    case 2:
        if (handle->is != LIVE)
            do_start(handle, stream);
        break;
    case 3:
    case 4:
    case 5:
        do_end(handle, stream);
        break;
    case 6:
        do_next(handle, stream);
        break;
    case 7: {
        unsigned mode = pick_mode(false);
        int status = (int)nvtxh_device_mark(stream, "mark");

        expect(status, 0);
        marked += !status && mode;
        in_use += !status && mode;
        break;
    }
    case 8:
        do_scope(stream);
        break;
    default:
        do_graph();
        break;
    }
    if (!pick(200))
        checkpoint();
}

int main(int argc, char **argv) {
    long steps = argc > 1 ? atol(argv[1]) : 20000;
    int i;

    seed = argc > 2 ? (unsigned)atol(argv[2]) : 1;
    printf("%ld steps, seed %u\n", steps, seed);
    fflush(stdout);
    fake_shuffle(seed | 1u);
    for (i = 0; i < STREAMS; i++)
        ok(cudaStreamCreateWithFlags(&streams[i], cudaStreamNonBlocking));
    for (step = 0; step < steps; step++)
        one_step();
    checkpoint();
    printf("%llu ranges told, %llu marks\n", (unsigned long long)n_starts,
           (unsigned long long)n_marks);
    for (i = 0; i < EXECS; i++)
        if (execs[i].exec)
            ok(cudaGraphExecDestroy(execs[i].exec));
    memset(execs, 0, sizeof(execs));
    checkpoint();
    for (i = 0; i < STREAMS; i++)
        ok(cudaStreamDestroy(streams[i]));
    equal(fake_graphs(), 0);
    equal(fake_user_objects(), 0);
    return 0;
}
