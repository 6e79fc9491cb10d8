/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Annotations that a signal handler is the first to run; as C and as C++. */
#include "../../nvtxh.h"

#include "handler_scopes.h"

NVTX_DOMAIN(first, "first");
NVTX_DOMAIN(second, "second");
NVTX_CATEGORY(category, &second, "category");

#define ONE(n)                                                                                     \
    { NVTX_SCOPE("scope " #n, .domain = domain); }
#define TEN(n)                                                                                     \
    ONE(n##0)                                                                                      \
    ONE(n##1) ONE(n##2) ONE(n##3) ONE(n##4) ONE(n##5) ONE(n##6) ONE(n##7) ONE(n##8) ONE(n##9)
#define HUNDRED(n)                                                                                 \
    TEN(n##0)                                                                                      \
    TEN(n##1) TEN(n##2) TEN(n##3) TEN(n##4) TEN(n##5) TEN(n##6) TEN(n##7) TEN(n##8) TEN(n##9)

static void in_domain(struct nvtxh_domain *domain) {
    HUNDRED(1)
    HUNDRED(2)
}

void handler_scopes_begin(void) {
    NVTX_MARK("begin");
}

void handler_scopes(void) {
    in_domain(&first);
    in_domain(&second); /* a site in a second domain has more to remember */
    NVTX_MARK("mark", .domain = &second, .category = &category, .color = NVTXH_RED);
    for (int i = 0; i < 100; i++) {
        struct nvtxh_range range = NVTX_START("process range");
        if (i % 2) {
            NVTX_END(range);
        }
    }
}
