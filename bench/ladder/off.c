/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* An annotation that is switched off when the file is compiled. */
#define NVTXH_DISABLE
#include "nvtxh.h"
#include "ladder.h"

#include <stddef.h>

LADDER_RUNG(rung_off_off, NVTXH_SCOPE("message", .color = NVTXH_GREEN), )

const struct ladder_rung rungs_off[] = {
    LADDER_ENTRY("nvtxh/off", rung_off_off),
    {NULL, NULL, NULL},
};
