/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_TEST_STRUCTS_H
#define NVTXH_TEST_STRUCTS_H

/* Shared by the files of the program `structs`. */
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
