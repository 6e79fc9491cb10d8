/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_WRITE_TIME_DOMAIN_H
#define NVTXH_WRITE_TIME_DOMAIN_H
/*
 * A program's own clocks. A reader can place their timestamps among other events if it knows two moments on both
 * clocks. One pair of times is taken when the program names a function that reads its clock, and one whenever it
 * submits deferred events or samples in the same domain.
 */
#include <stdint.h>

/* Takes a pair of times for every clock in this domain of NVTX. */
void time_domain_points(uint32_t domain);

#endif /* NVTXH_WRITE_TIME_DOMAIN_H */
