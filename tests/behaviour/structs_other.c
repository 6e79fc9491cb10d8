/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The second file of `structs`. */
#include "structs.h"

NVTXH_PAYLOAD_STRUCT(twin_b, (int, size));

/* Has the same name as a struct in structs.c, which C allows. */
#ifdef __cplusplus
namespace {
#endif
NVTXH_PAYLOAD_STRUCT(point, (double, radius), (double, angle));
#ifdef __cplusplus
}
#endif

void other_marks(const struct shared_info *shared) {
    struct point point = {0.5, 1.5};
    struct twin_b twin = {5};

    NVTX_MARK("shared", .payload = nvtxh_payload(shared));
    NVTX_MARK("point", .payload = nvtxh_payload(&point));
    NVTX_MARK("twin", .payload = nvtxh_payload(&twin));
}

unsigned long other_twin(void) {
    return TWIN_NUMBER(twin_b);
}
