/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_INJECT_TIMER_H
#define NVTXH_INJECT_TIMER_H
/*
 * Clocks of the program's own. A reader can place their timestamps among other events when it has
 * the same moment on both clocks, twice: once is taken when the program tells of its clock, and
 * again whenever it hands in events that are stamped with one.
 */
#include <stdint.h>

void timer_points(uint32_t domain);

#endif /* NVTXH_INJECT_TIMER_H */
