/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_WRITE_TENTATIVE_H
#define NVTXH_WRITE_TENTATIVE_H
/* nvtxh record --min-duration leaves out pushed ranges that are shorter than a bound. A push is tentative at first: it
 * lies behind the published records, and `tentative` in the chunk's header says where it ends. A pop within the bound
 * takes the push back. Any other record publishes (settles) the push first, so a range with something in it is kept. */
#include "stream.h"

#include <nvtx3/nvToolsExt.h>

#include <stdbool.h>
#include <stdint.h>

enum { TENTATIVE_MOST = 1024 }; /* pushes; one more settles them all */

/* The tentative pushes of a thread, outermost first. Valid only while stream.pending is not 0. */
struct tentative {
    uint32_t count;
    struct {
        uint64_t ticks;
        uint32_t at, domain; /* `at`: offset in the chunk, in bytes */
    } all[TENTATIVE_MOST];
};

/* Sets the bound, 0 for none, and measures the clock's rate. Call it once, before the first event. */
void tentative_init(uint64_t bound_ns);

/* Whether there is a bound. */
bool tentative_wanted(void);

/* Writes a push tentatively, in place of record_write_event. */
void tentative_begin(struct tentative *t, struct stream *s, uint64_t word, uint32_t text,
                     const nvtxEventAttributes_t *a);

/* For a pop: if its range is too short, takes back the push, counts the range as left out, and returns true. */
bool tentative_end(struct tentative *t, struct stream *s, uint32_t domain, uint64_t ticks);

#endif /* NVTXH_WRITE_TENTATIVE_H */
