/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_WRITE_ENTRY_SLOW_H
#define NVTXH_WRITE_ENTRY_SLOW_H
/*
 * The ways out of the fast path, to the functions of event.h. Kept out of its file, with the registers they need.
 * `begun`: the fast path has marked the thread busy and written nothing; `counted`: it has counted the depth, too.
 * The ticks of a pop come in two halves, as the processor gives them.
 */
#include <nvtx3/nvToolsExt.h>

#include <stdint.h>

#define ENTRY_SLOW __attribute__((cold))

ENTRY_SLOW int entry_slow_push(nvtxDomainHandle_t domain, const nvtxEventAttributes_t *a);
ENTRY_SLOW int entry_slow_push_begun(nvtxDomainHandle_t domain, const nvtxEventAttributes_t *a);
ENTRY_SLOW int entry_slow_push_counted(nvtxDomainHandle_t domain, const nvtxEventAttributes_t *a);
ENTRY_SLOW int entry_slow_push_text(const char *text);
ENTRY_SLOW int entry_slow_push_text_begun(const char *text);
ENTRY_SLOW int entry_slow_push_text_counted(const char *text);
ENTRY_SLOW int entry_slow_pop(nvtxDomainHandle_t domain, uint32_t low, uint32_t high);
ENTRY_SLOW int entry_slow_pop_begun(nvtxDomainHandle_t domain, uint32_t low, uint32_t high);

#endif /* NVTXH_WRITE_ENTRY_SLOW_H */
