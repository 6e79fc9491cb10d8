/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_TEST_STRUCTS_H
#define NVTXH_TEST_STRUCTS_H

/* What the files of structs.c declare, each for itself. */
#include "test.h"
#include "nvtxh/payload.h"

NVTXH_PAYLOAD_STRUCT(shared_info, (int, a), (int, b));

#ifdef __cplusplus
void in_cpp(void **state);
extern "C" {
#endif
void other_marks(const struct shared_info *shared);
#ifdef __cplusplus
}
#endif

#endif
