/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "test.h"

#include <pthread.h>
#include <ucontext.h>

/* Two fibers whose blocks interleave, the second half of each on another thread. */
static ucontext_t fibers[2], scheduler;
static char stacks[2][65536];

static void fiber(int number) {
    NVTXH_RANGE_SCOPE("fiber", .payload = nvtxh_payload(number));
    swapcontext(&fibers[number], &scheduler);
    {
        NVTXH_RANGE_SCOPE("second half");
        swapcontext(&fibers[number], &scheduler);
    }
}

static void *resume(void *number) {
    swapcontext(&scheduler, &fibers[*(int *)number]);
    return NULL;
}

static void make_fiber(int number) {
    getcontext(&fibers[number]);
    fibers[number].uc_stack.ss_sp = stacks[number];
    fibers[number].uc_stack.ss_size = sizeof(stacks[number]);
    fibers[number].uc_link = &scheduler;
    makecontext(&fibers[number], (void (*)(void))fiber, 1, number);
}

static void interleaved(void **state) {
    static int order[] = {0, 1, 0, 1, 0, 1};
    pthread_t thread;
    size_t i;

    (void)state;
    make_fiber(0);
    make_fiber(1);
    for (i = 0; i < sizeof(order) / sizeof(order[0]); i++) {
        assert_int_equal(pthread_create(&thread, NULL, resume, &order[i]), 0);
        pthread_join(thread, NULL);
    }
    logged("start [fiber] i32=0 #1; start [fiber] i32=1 #2; start [second half] #3; start [second "
           "half] #4; "
           "end #3; end #1; end #4; end #2");
}

#ifdef __cplusplus
static nvtxh::unique_range passed_on(nvtxh::unique_range range) {
    NVTX_MARK("passed on");
    return range;
}

/* An object that owns a range: it can be moved, ended early, and emptied. */
static void owned(void **state) {
    struct nvtxh_range taken;

    (void)state;
    {
        nvtxh::unique_range none, first{NVTX_START("first")};
        nvtxh::unique_range second = passed_on(static_cast<nvtxh::unique_range &&>(first));

        first.end(); /* it is empty */
        none = static_cast<nvtxh::unique_range &&>(second);
        second = nvtxh::unique_range{NVTX_START("second")};
        second = nvtxh::unique_range{NVTX_START("third")}; /* ends the second */
        second.end();
        second.end();
        NVTX_MARK("end of the block");
    }
    logged("start [first] #1; mark [passed on]; start [second] #2; start [third] #3; end #2; end "
           "#3; mark [end of the block]; end #1");
    {
        nvtxh::unique_range released{NVTX_START("released")};
        nvtxh::unique_range *self = &released;

        released = static_cast<nvtxh::unique_range &&>(*self);
        taken = released.release();
    }
    NVTX_MARK("still open");
    nvtxh_end(taken);
    logged("start [released] #1; mark [still open]; end #1");
}

/* Ranges that start where no statement may stand. */
static nvtxh::unique_range global = NVTXH_UNIQUE_RANGE("global", .color = NVTXH_RED);

struct connection {
    nvtxh::unique_range life = NVTXH_UNIQUE_RANGE("connection");
    nvtxh::unique_range other{NVTXH_UNIQUE_RANGE("other", .payload = nvtxh_payload(3))};
};

template <class T>
struct held {
    T value;
    nvtxh::unique_range life;
    explicit held(T given, nvtxh::unique_range range = NVTXH_UNIQUE_RANGE("argument"))
        : value(given), life(static_cast<nvtxh::unique_range &&>(range)) {
    }
};

static void without_statements(void **state) {
    (void)state;
    global.end(); /* started before the tool's log began */
    log_reset();
    {
        connection one;
        held<int> two(4);

        NVTX_MARK("inside");
    }
    { connection again; }
    logged("start [connection] #1; start [other] i32=3 #2; start [argument] #3; mark [inside]; "
           "end #3; end #2; end #1; start [connection] #4; start [other] i32=3 #5; end #5; end #4");
}
#endif

int main(void) {
    const struct CMUnitTest tests[] = {
        CASE(interleaved),
#ifdef __cplusplus
        CASE(owned),
        CASE(without_statements),
#endif
    };

    return RUN(tests);
}
