/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_WRITE_CAPTURE_H
#define NVTXH_WRITE_CAPTURE_H
/*
 * Captures are ranges of a certain name, or in a domain of captures. They open the gate. If the recorder is linked
 * into the program, they begin a recording of their own. These functions are called for every range in such a domain:
 * before its beginning is recorded, and after its end is.
 */
#include <nvtx3/nvToolsExt.h>

#include <stdint.h>

void capture_pushed(uint32_t domain, int depth, const nvtxEventAttributes_t *a);
void capture_popped(uint32_t domain, int depth);
void capture_started(uint32_t domain, uint64_t range, const nvtxEventAttributes_t *a);
void capture_ended(uint64_t range);

#endif /* NVTXH_WRITE_CAPTURE_H */
