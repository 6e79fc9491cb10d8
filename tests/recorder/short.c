/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Attributes of every size up to NVTX's own, as an older caller or a careless one gives them. */
#include "program.h"

int main(void)
{
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
    }
    return 0;
}
