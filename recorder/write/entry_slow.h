/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_WRITE_ENTRY_SLOW_H
#define NVTXH_WRITE_ENTRY_SLOW_H
/* The ways out of the fast path, to the functions of event.h. Kept out of its file, with the registers they need. */
#include <nvtx3/nvToolsExt.h>

#include <stdint.h>

/* What the fast path has done of an event: nothing; marked the thread busy; also counted the depth; all of it. */
enum progress { WRITTEN, NOTHING, BEGUN, COUNTED };

#define ENTRY_SLOW __attribute__((cold))

ENTRY_SLOW int entry_slow_push(nvtxDomainHandle_t domain, const nvtxEventAttributes_t *a,
                               enum progress done);
ENTRY_SLOW int entry_slow_push_text(const char *text, enum progress done);

/* The ticks come in two halves, as the processor gives them. */
ENTRY_SLOW int entry_slow_pop(nvtxDomainHandle_t domain, uint32_t low, uint32_t high,
                              enum progress done);

#endif /* NVTXH_WRITE_ENTRY_SLOW_H */
