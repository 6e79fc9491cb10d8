/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_WRITE_ENTRY_SLOW_H
#define NVTXH_WRITE_ENTRY_SLOW_H
/* The ways from the fast path to the functions of event.h. In a file of their own, because they need registers. */
#include <nvtx3/nvToolsExt.h>

#include <stdint.h>

/* How far the fast path got: nothing; the thread is marked busy; the depth is counted, too; everything. */
enum progress { WRITTEN, NOTHING, BEGUN, COUNTED };

#define ENTRY_SLOW __attribute__((cold))

ENTRY_SLOW int entry_slow_push(nvtxDomainHandle_t domain, const nvtxEventAttributes_t *a,
                               enum progress done);
ENTRY_SLOW int entry_slow_push_text(const char *text, enum progress done);

/* The ticks are in two halves, as the processor returns them. */
ENTRY_SLOW int entry_slow_pop(nvtxDomainHandle_t domain, uint32_t low, uint32_t high,
                              enum progress done);

#endif /* NVTXH_WRITE_ENTRY_SLOW_H */
