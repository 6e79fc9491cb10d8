/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Attributes of every size up to NVTX's own, as a careless caller gives them. */
#include "program.h"

/* As the payload extension has it, which not every NVTX knows. */
static const struct {
    uint64_t schema, size;
    const void *payload;
} extended = {6 /* an unsigned int */, 4, "\x2a\0\0"};

int main(void) {
    nvtxDomainHandle_t domain = nvtxDomainCreateA("extended");

    for (unsigned size = 0; size <= sizeof(nvtxEventAttributes_t); size++) {
        nvtxEventAttributes_t a = with_text("message");

        a.size = (uint16_t)size;
        a.category = 7;
        a.colorType = NVTX_COLOR_ARGB;
        a.color = 0xff112233;
        a.payloadType = NVTX_PAYLOAD_TYPE_UNSIGNED_INT64;
        a.payload.ullValue = 0x0102030405060708;
        nvtxMarkEx(&a);
        MUST(nvtxRangePushEx(&a) == 0);
        MUST(nvtxRangePop() == 0);
        nvtxRangeEnd(nvtxRangeStartEx(&a));
        a.payloadType = (int32_t)0xdfbd0009;
        a.reserved0 = 1;
        a.payload.ullValue = (uintptr_t)&extended;
        nvtxDomainMarkEx(domain, &a);
    }
    return 0;
}
