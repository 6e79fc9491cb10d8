/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_WRITE_TIME_DOMAIN_H
#define NVTXH_WRITE_TIME_DOMAIN_H
/*
 * A program's own clocks. A reader can place their timestamps among other events if it knows two moments on both
 * clocks. One pair is taken when the program defines its clock, and one whenever it submits events with timestamps of
 * that clock.
 */
#include <stdint.h>

void time_domain_points(uint32_t domain);

#endif /* NVTXH_WRITE_TIME_DOMAIN_H */
