/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_WRITE_CAPTURE_H
#define NVTXH_WRITE_CAPTURE_H
/*
 * Captures: ranges of a certain name, or in a domain of captures, that open the gate, or begin a recording of their
 * own in a program that says itself when it is recorded. Called for every range in such a domain: before it is
 * recorded, and after its end is.
 */
#include <nvtx3/nvToolsExt.h>

#include <stdint.h>

void capture_pushed(uint32_t domain, int depth, const nvtxEventAttributes_t *a);
void capture_popped(uint32_t domain, int depth);
void capture_started(uint32_t domain, uint64_t range, const nvtxEventAttributes_t *a);
void capture_ended(uint64_t range);

#endif /* NVTXH_WRITE_CAPTURE_H */
