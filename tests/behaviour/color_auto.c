/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#define NVTXH_AUTO_COLOR 1
#include "nvtxh.h"
#include "color_auto.h"

void auto_file(void) {
    {
        NVTX_SCOPE("scope");
        NVTX_SCOPE("scope", .color = NVTXH_RED);
    }
    { NVTX_SCOPEF("f %d", 1); }
    NVTX_MARK("mark");
    NVTXH_MARKF_WITH(("f %d", 1), .color = NVTXH_RED);
    NVTXH_MARK_STRING(nvtxh_string_named(NULL, "mark"));
    NVTXH_MARK_STRING(nvtxh_string_named(NULL, "mark"), .color = NVTXH_RED);
}
