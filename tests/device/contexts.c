/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Captures (capture.h) where CUDA's runtime is linked statically, so that only the driver is found,
 * and without a tool: in which contexts the profiler is started, stopped and waited for, and what
 * is returned. Some of it is drawn: contexts [SEED]. */
#include "nvtxh/capture.h"
#include "../inject/check.h"
#include "fake_contexts.h"

/* Takes a capture with these flags in the context of that number. `expected`: the calls of CUDA, as
 * fake_did() has them. */
static void captures(unsigned flags, int context, bool answer, const char *expected) {
    const char *did;

    fake_current(context);
    check(nvtxh_capture_start("steady", flags) == answer);
    check(nvtxh_capture_active() == answer);
    check(nvtxh_capture_stop() == answer);
    did = fake_did();
    if (strcmp(did, expected)) {
        fprintf(stderr, "flags %u, context %d: CUDA did %s and not %s\n", flags, context, did,
                expected);
        exit(1);
    }
    check(fake_retained() == 0);
    check(fake_stacked() == (context != 0));
}

static int in_use[DEVICES], refusing[CONTEXTS], n_calls;
static char calls[256];

/* A function is called in a context. True: it has succeeded. */
static bool expected_in(int context, char what) {
    n_calls += snprintf(calls + n_calls, sizeof(calls) - (size_t)n_calls, "%s%c%d",
                        n_calls ? " " : "", what, context);
    return !refusing[context];
}

/* In the contexts of the devices in use, but not in EXCEPT; FIRST: until it succeeds once. */
static bool expected_on(int except, char what, bool first) {
    bool done = false;
    int i;

    for (i = 1; i <= DEVICES && !(first && done); i++)
        if (in_use[i - 1] && i != except)
            done = expected_in(i, what) || done;
    return done;
}

/* Devices in use, and contexts where CUDA refuses, are drawn. What is done is what capture.h and
 * cuda.h of nvtxh/capture say. */
static void drawn(unsigned seed) {
    const unsigned both = NVTXH_CAPTURE_WAIT | NVTXH_CAPTURE_WAIT_ALL;
    unsigned turn, flags;
    int i, context;
    bool answer;

    srand(seed);
    printf("seed %u\n", seed);
    fflush(stdout);
    for (turn = 0; turn < 2000; turn++) {
        for (i = 0; i < DEVICES; i++)
            fake_use(i, in_use[i] = rand() / 256 % 2);
        for (i = 0; i < CONTEXTS; i++)
            fake_refuse(i, refusing[i] = rand() / 256 % 3 == 0);
        context = rand() / 256 % CONTEXTS;
        flags = NVTXH_CAPTURE_PROFILER | ((unsigned)rand() / 256 % 4 * NVTXH_CAPTURE_WAIT);
        n_calls = calls[0] = 0;
        answer = context ? expected_in(context, '<') : expected_on(0, '<', true);
        if (answer && (flags & both))
            (void)(context ? expected_in(context, 'w') : expected_on(0, 'w', false));
        if (answer && (flags & NVTXH_CAPTURE_WAIT_ALL)) {
            if (context)
                (void)expected_in(context, 'w');
            (void)expected_on(context, 'w', false);
        }
        if (answer)
            (void)(context ? expected_in(context, '>') : expected_on(0, '>', true));
        captures(flags, context, answer, calls);
    }
}

int main(int argc, char **argv) {
    const unsigned profiler = NVTXH_CAPTURE_PROFILER, wait = profiler | NVTXH_CAPTURE_WAIT,
                   wait_all = profiler | NVTXH_CAPTURE_WAIT_ALL;

    captures(wait_all, 0, false, ""); /* no device is in use, and the capture uses none */
    check(fake_active() == 0);
    captures(NVTXH_CAPTURE_WAIT, 0, false, "");
    fake_use(1, true);
    captures(profiler, 0, true, "<2 >2");
    captures(wait, 0, true, "<2 w2 >2");
    fake_use(2, true);
    captures(wait, 0, true, "<2 w2 w3 >2");
    captures(wait, 3, true, "<3 w3 >3"); /* the thread's, and no other */
    captures(wait, 7, true, "<7 w7 >7"); /* one that the program has made */
    captures(wait_all, 3, true, "<3 w3 w3 w2 >3");
    captures(wait_all, 7, true, "<7 w7 w7 w2 w3 >7");
    check(fake_active() == 2);
    drawn(argc > 1 ? (unsigned)atol(argv[1]) : 1);
    printf("ok: contexts\n");
    return 0;
}
