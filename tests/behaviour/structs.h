/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_TEST_STRUCTS_H
#define NVTXH_TEST_STRUCTS_H

/* Shared by the files of the program `structs`. */
#include "test.h"
#include "nvtxh/payload.h"

NVTXH_PAYLOAD_STRUCT(shared_info, (int, a), (int, b));

/* In C, a schema is found by its file and a number, which is made of the line, the length of the
 * declaration, and how many numbered declarations the compiler has seen before. The structs twin_a
 * and twin_b have the same number in two files. */
#ifdef __cplusplus
#define TWIN_NUMBER(twin) 0
#else
#define TWIN_NUMBER(twin) NVTXH_I_NUMBER_OF((struct twin *)0)
#endif

#ifdef __cplusplus
void in_cpp(void **state);
extern "C" {
#endif
void other_marks(const struct shared_info *shared);
unsigned long other_twin(void);
#ifdef __cplusplus
}
#endif

#endif
