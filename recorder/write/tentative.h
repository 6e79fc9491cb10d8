/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_WRITE_TENTATIVE_H
#define NVTXH_WRITE_TENTATIVE_H
/*
 * Ranges that are left out if they end before a bound, `nvtxh record --min-duration`. The beginning of a push is
 * tentative at first: it is in the chunk, after what is published, and the chunk's header says up to where. An end
 * within the bound withdraws it. Anything else that is written to the stream settles it, which means publishing it:
 * so a range with something in it is kept.
 */
#include "stream.h"

#include <nvtx3/nvToolsExt.h>

#include <stdbool.h>
#include <stdint.h>

enum { TENTATIVE_MOST = 1024 }; /* at most; one more settles all of them */

/* The tentative beginnings of one thread, outermost first. Valid only while its stream has some. */
struct tentative {
    uint32_t count;
    struct {
        uint64_t ticks;
        uint32_t at, domain; /* `at`: in the chunk */
    } all[TENTATIVE_MOST];
};

/* Measures the rate of the clock. Once, before the first event. */
void tentative_init(uint64_t bound_ns);

/* Whether there is a bound. */
bool tentative_wanted(void);

/* Writes the beginning of a push, as record_write_event does. */
void tentative_begin(struct tentative *t, struct stream *s, uint64_t word, uint32_t text,
                     const nvtxEventAttributes_t *a);

/* Whether a pop ends a range that is left out. If so, its beginning is withdrawn, and the range is counted. */
bool tentative_end(struct tentative *t, struct stream *s, uint32_t domain, uint64_t ticks);

#endif /* NVTXH_WRITE_TENTATIVE_H */
