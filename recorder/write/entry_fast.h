/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_WRITE_ENTRY_FAST_H
#define NVTXH_WRITE_ENTRY_FAST_H
/*
 * The callbacks of pushes and pops, with a fast path: for a pop, or a push that has a preset, if the chunk has room.
 * Everything else goes to entry_slow.h. Only if the clock is a counter of the processor.
 */
#include <nvtx3/nvToolsExt.h>

int entry_fast_push(const nvtxEventAttributes_t *a);
int entry_fast_push_text(const char *text);
int entry_fast_pop(void);
int entry_fast_domain_push(nvtxDomainHandle_t domain, const nvtxEventAttributes_t *a);
int entry_fast_domain_pop(nvtxDomainHandle_t domain);

#endif /* NVTXH_WRITE_ENTRY_FAST_H */
