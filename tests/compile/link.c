/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* One part of a program of several, for link.py: C or C++, compiled several times with different
 * values of PART. Each part has every macro, a header that all parts include, and uses the domain
 * that part 0 defines. Ten of the macros have a record; POP has none. */
#include "link.h"

#if PART == 0
NVTXH_DOMAIN(shared_domain, "shared");
NVTXH_CATEGORY(shared_category, &shared_domain, "shared category");
#else
NVTXH_DOMAIN_EXTERN(shared_domain);
NVTXH_CATEGORY_EXTERN(shared_category);
#endif

int PART_NAME(part)(int n) {
    struct nvtxh_range range = NVTX_START("start", .domain = &shared_domain);
    int sum = n + from_header(n);

    NVTX_FUNC(.domain = &shared_domain, .category = &shared_category);
    NVTX_SCOPE("scope", .payload = nvtxh_payload(n));
    NVTX_SCOPEF("scope %d", n);
    NVTXH_BLOCK("block") {
        sum++;
    }
    NVTX_MARK("mark", .domain = &shared_domain);
    NVTX_MARKF("mark %d", n);
    NVTX_PUSH("push", .domain = &shared_domain);
    NVTX_POP(.domain = &shared_domain);
    NVTXH_PUSHF("push %d", n);
    NVTX_POP();
    nvtxh_end(NVTXH_STARTF("start %d", n));
    nvtxh_end(range);
    return sum;
}

/* What tells one linked object from another. */
const void *PART_NAME(state_of)(void) {
    return &nvtxh_i_state;
}

const void *PART_NAME(domain_of)(void) {
    return &shared_domain;
}
