/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_WRITE_ENTRY_FAST_H
#define NVTXH_WRITE_ENTRY_FAST_H
/* The callbacks of pushes and pops, used if the clock is a counter of the processor. A pop, or a push that has a
 * preset, takes the fast path if the chunk has room. Everything else goes to the functions of entry_slow.c. */
#include <nvtx3/nvToolsExt.h>

#include <stdint.h>

int entry_fast_push(const nvtxEventAttributes_t *a);
int entry_fast_push_text(const char *text);
int entry_fast_pop(void);
int entry_fast_domain_push(nvtxDomainHandle_t domain, const nvtxEventAttributes_t *a);
int entry_fast_domain_pop(nvtxDomainHandle_t domain);

/* The slow path, which calls the functions of event.h. It is in a file of its own, because it would take registers from
 * the fast path if the compiler inlined it. */

/* How far the fast path got. */
enum progress {
    WRITTEN, /* the event is recorded */
    NOTHING, /* nothing has changed */
    BEGUN,   /* the thread is marked busy */
    COUNTED  /* the thread is marked busy, and its depth is one more */
};

#define ENTRY_SLOW __attribute__((cold))

ENTRY_SLOW int entry_slow_push(nvtxDomainHandle_t domain, const nvtxEventAttributes_t *a, enum progress done);
ENTRY_SLOW int entry_slow_push_text(const char *text, enum progress done);

/* `low` and `high` are the halves of the ticks, as the processor returns them. */
ENTRY_SLOW int entry_slow_pop(nvtxDomainHandle_t domain, uint32_t low, uint32_t high, enum progress done);

#endif /* NVTXH_WRITE_ENTRY_FAST_H */
