/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Ranges in streams: what the tool gets, when, and what the calls return. */
#include "suite.h"

#include <pthread.h>

NVTX_DOMAIN(train, "train");
NVTX_CATEGORY(gemm, &train, "gemm");

static cudaStream_t stream, other;

/* The tool gets nothing before the stream reaches the range. */
static void start_and_end(void) {
    struct nvtxh_device_range range;
    struct gate gate;

    hold(stream, &gate);
    ok(nvtxh_device_start(stream, &range, "a"));
    ok(nvtxh_device_mark(stream, "m"));
    ok(nvtxh_device_end(stream, range));
    usleep(2000);
    logged("");
    counts(2, 0, 0, 0, 0, 0);
    release(&gate);
    settle();
    logged("start [a] #1; mark [m]; end #1");
    counts(0, 0, 0, 0, 0, 0);
    ok(nvtxh_device_start(stream, &range, "b"));
    settle();
    counts(0, 1, 0, 0, 0, 0);
    ok(nvtxh_device_end(stream, range));
    settle();
    logged("start [b] #1; end #1");
}

static int evaluated;
static int count(int n) {
    evaluated++;
    return n;
}

static void attributes(void) {
    struct nvtxh_device_range range;

    evaluated = 0;
    ok(nvtxh_device_start(stream, &range, "all", .domain = &train, .category = &gemm,
                          .color = NVTXH_GREEN, .payload = nvtxh_payload(count(5))));
    ok(nvtxh_device_next(stream, &range, "then", .color = NVTXH_RED));
    ok(nvtxh_device_mark(stream, "mark", .domain = &train, .payload = nvtxh_payload(2.5)));
    ok(nvtxh_device_end(stream, range));
    ok(nvtxh_device_mark(stream, "outside", .domain = NVTXH_DOMAIN_DEFAULT));
    settle();
    equal(evaluated, 1);
    logged("train start [all] cat=gemm color=ff008000 i32=5 #1; train end #1; "
           "start [then] color=ffff0000 #2; train mark [mark] f64=2.5; end #2; "
           "mark [outside]");
}

static void formatted(void) {
    struct nvtxh_device_range range;
    char longer[400];

    memset(longer, 'x', sizeof(longer) - 1);
    longer[sizeof(longer) - 1] = 0;
    ok(nvtxh_device_startf(stream, &range, "layer %d", count(7)));
    ok(nvtxh_device_nextf(stream, &range, "layer %d of %s", 8, "10"));
    ok(nvtxh_device_markf(stream, "at %d", 3));
    ok(nvtxh_device_end(stream, range));
    settle();
    logged("start 'layer 7' #1; end #1; start 'layer 8 of 10' #2; mark 'at 3'; end #2");
    ok(nvtxh_device_markf(stream, "%s", longer));
    settle();
    check(strstr(log_at(log_size() - 1)->text, "xxx... [399 bytes]"));
    /* The longest that is whole has 143 bytes. */
    ok(nvtxh_device_markf(stream, "%.144s", longer));
    settle();
    check(strstr(log_at(log_size() - 1)->text, "xxx... [144 bytes]"));
    ok(nvtxh_device_markf(stream, "%.143s", longer));
    settle();
    equal(strspn(log_at(log_size() - 1)->text, "x"), 143);
    log_reset();
}

/* N back to back need N + 1 host functions, and one begins where the other ends. */
static void chain(void) {
    struct nvtxh_device_range range;
    int i;

    ok(nvtxh_device_start(stream, &range, "1"));
    for (i = 2; i <= 4; i++)
        ok(nvtxh_device_next(stream, &range, "n", .payload = nvtxh_payload(i)));
    ok(nvtxh_device_end(stream, range));
    settle();
    logged("start [1] #1; end #1; start [n] i32=2 #2; end #2; start [n] i32=3 #3; end #3; "
           "start [n] i32=4 #4; end #4");
    memset(&range, 0, sizeof(range));
    ok(nvtxh_device_next(stream, &range, "first")); /* of a null range: it begins one */
    ok(nvtxh_device_end(stream, range));
    settle();
    logged("start [first] #1; end #1");
    counts(0, 0, 0, 0, 0, 0);
}

static int leaves_early(int n) {
    NVTXH_DEVICE_SCOPE(stream, "scope", .domain = &train);
    NVTXH_DEVICE_SCOPEF(stream, "scope %d", n);
    if (n)
        return 1;
    ok(nvtxh_device_mark(stream, "not reached"));
    return 0;
}

static void scopes(void) {
    leaves_early(4);
    settle();
    logged("train start [scope] #1; start 'scope 4' #2; end #2; train end #1");
}

static void twice(void) {
    struct nvtxh_device_range a, copy, b;

    ok(nvtxh_device_start(stream, &a, "a"));
    copy = a;
    ok(nvtxh_device_end(stream, a));
    equal(nvtxh_device_end(stream, copy), cudaErrorInvalidResourceHandle);
    settle();
    ok(nvtxh_device_start(stream, &b, "b")); /* in the slot that a had */
    equal(nvtxh_device_end(stream, a), cudaErrorInvalidResourceHandle);
    equal(nvtxh_device_next(stream, &copy, "after a stale one"), cudaErrorInvalidResourceHandle);
    check(!copy.nvtxh_i_value); /* null, so that the chain can go on */
    ok(nvtxh_device_end(stream, b));
    memset(&a, 0, sizeof(a));
    ok(nvtxh_device_end(stream, a));
    equal(nvtxh_device_start(stream, NULL, "nowhere to"), cudaErrorInvalidValue);
    equal(nvtxh_device_counts(NULL), cudaErrorInvalidValue);
    settle();
    logged("start [a] #1; end #1; start [b] #2; end #2");
    ok(cudaPeekAtLastError());
}

/* Ordered by an event, a range goes from one stream to another. */
static void across_streams(void) {
    struct nvtxh_device_range range;
    struct gate gate;
    cudaEvent_t event;

    ok(cudaEventCreate(&event));
    hold(stream, &gate);
    ok(nvtxh_device_start(stream, &range, "across"));
    ok(cudaEventRecord(event, stream));
    ok(cudaStreamWaitEvent(other, event, 0));
    ok(nvtxh_device_end(other, range));
    release(&gate);
    settle();
    logged("start [across] #1; end #1");
    counts(0, 0, 0, 0, 0, 0);
    ok(cudaEventDestroy(event));
}

#ifdef TEST_FAKE
/* An end that comes before its beginning. On a device all host functions may share one thread,
 * which
 * `hold` would keep. */
static void ends_first(void) {
    struct nvtxh_device_range range;
    struct gate gate;

    hold(stream, &gate);
    ok(nvtxh_device_start(stream, &range, "late"));
    ok(nvtxh_device_end(other, range));
    ok(cudaStreamSynchronize(other));
    release(&gate);
    settle();
    logged("");
    counts(0, 0, 0, 1, 0, 0);

    /* If the range that `next` begins is ended by another stream first, `next` still ends the
     * previous range. */
    ok(nvtxh_device_start(stream, &range, "before"));
    hold(stream, &gate);
    ok(nvtxh_device_next(stream, &range, "lost"));
    ok(nvtxh_device_end(other, range));
    ok(cudaStreamSynchronize(other));
    release(&gate);
    settle();
    logged("start [before] #1; end #1");
    counts(0, 0, 0, 1, 0, 0);
}
#endif

int main(void) {
    need_device();
    ok(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    ok(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
    RUN(start_and_end);
    RUN(attributes);
    RUN(formatted);
    RUN(chain);
    RUN(scopes);
    RUN(twice);
    RUN(across_streams);
#ifdef TEST_FAKE
    RUN(ends_first);
#endif
    ok(cudaStreamDestroy(stream));
    ok(cudaStreamDestroy(other));
    return 0;
}
