/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* 
 * Captures (capture.h) where CUDA's runtime is linked statically, so that only the driver is found,
 * and without a tool: in which contexts the profiler is started, stopped and waited for, and what
 * is returned. */
#include "nvtxh/capture.h"
#include "fake_contexts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define check(claim)                                                                               \
    do {                                                                                           \
        if (!(claim)) {                                                                            \
            fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #claim);                    \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

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

int main(void) {
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
    printf("ok: contexts\n");
    return 0;
}
