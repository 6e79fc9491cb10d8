/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* In a domain that is left out, calls return what they return if nobody listens; in other domains
 * the usual values. Here a program and a library of it are annotated with nvtxh.h, each in a
 * domain; the library's is left out.
 *
 * record --domain-exclude library
 * recorded:
 * Style,Domain,Message,Depth
 * PushPop,own,outer,0
 * PushPop,own,inner,1 */
#define NVTXH_CHECK
#include "../../nvtxh.h"

#include <stdio.h>
#include <stdlib.h>

#define MUST(what)                                                                                 \
    ((what) ? (void)0                                                                              \
            : (fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #what), exit(99)))

NVTX_DOMAIN(own, "own");
NVTX_DOMAIN(library, "library");
NVTX_CATEGORY(category, &library, "category");

static void call(int n) {
    NVTX_SCOPE("scope", .domain = &library, .category = &category, .payload = nvtxh_payload(n));
    struct nvtxh_range range = NVTX_START("range", .domain = &library);

    NVTX_MARK("mark", .domain = &library);
    NVTX_END(range);
}

int main(void) {
    MUST(NVTX_PUSH("outer", .domain = &own) == 0);
    /* A library that is left out gets no depth, as without a tool. */
    MUST(NVTX_PUSH("in the library", .domain = &library) == NVTX_NO_PUSH_POP_TRACKING);
    MUST(NVTX_PUSH("inner", .domain = &own) == 1);
    for (int i = 0; i < 10; i++) {
        call(i);
    }
    MUST(NVTX_POP(.domain = &library) == NVTX_NO_PUSH_POP_TRACKING);
    MUST(NVTX_POP(.domain = &own) == 1);
    MUST(NVTX_POP(.domain = &own) == 0);
    return 0;
}
