/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_WRITE_ENTRY_FAST_H
#define NVTXH_WRITE_ENTRY_FAST_H
/*
 * The callbacks of pushes and pops, used if the clock is a counter of the processor. A pop, or a push that has a
 * preset, takes the fast path if the chunk has room. Everything else goes to the functions of entry_slow.h.
 */
#include <nvtx3/nvToolsExt.h>

int entry_fast_push(const nvtxEventAttributes_t *a);
int entry_fast_push_text(const char *text);
int entry_fast_pop(void);
int entry_fast_domain_push(nvtxDomainHandle_t domain, const nvtxEventAttributes_t *a);
int entry_fast_domain_pop(nvtxDomainHandle_t domain);

#endif /* NVTXH_WRITE_ENTRY_FAST_H */
