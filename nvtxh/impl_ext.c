/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The implementation, like impl.c, for programs with structured payloads or counters. */
#define NVTXH_IMPLEMENTATION
#include "../nvtxh.h"
#include "counter.h"
