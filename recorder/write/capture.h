/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_WRITE_CAPTURE_H
#define NVTXH_WRITE_CAPTURE_H
/*
 * A capture is a range that opens the gate. With --capture-range, it is a range with the given name in the given
 * domain. If the recorder is linked into the program and nothing is being recorded, every range in the domain
 * "nvtxh.capture" is a capture and begins a recording. These functions are called for every range in a domain with
 * captures (see handle_is_capture): before its beginning is recorded, and after its end is.
 */
#include <nvtx3/nvToolsExt.h>

#include <stdint.h>

void capture_pushed(uint32_t domain, int depth, const nvtxEventAttributes_t *a);
void capture_popped(uint32_t domain, int depth);
void capture_started(uint32_t domain, uint64_t range, const nvtxEventAttributes_t *a);
void capture_ended(uint64_t range);

#endif /* NVTXH_WRITE_CAPTURE_H */
