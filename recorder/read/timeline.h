/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_READ_TIMELINE_H
#define NVTXH_READ_TIMELINE_H
/* Converts ticks to ns since the session's start, by the samples that the recorder took. */
#include "../format/format.h"

#include <stddef.h>

struct timeline {
    struct rec_sample *samples;
    size_t count, room;
    size_t last;     /* the sample before the ticks that were converted last: the next are near them */
    uint64_t origin; /* ns of CLOCK_MONOTONIC at the session's start */
};

void timeline_add(struct timeline *t, const struct rec_sample *sample);

/* Call both after the last sample: the first sorts the samples, the second drops those that are too close together
 * for a rate. */
void timeline_sort(struct timeline *t);
void timeline_ready(struct timeline *t, const struct rec_sample *origin);

int64_t timeline_ns(struct timeline *t, uint64_t ticks);
int64_t timeline_ns_of_realtime(const struct timeline *t, uint64_t realtime);
void timeline_free(struct timeline *t);

#endif /* NVTXH_READ_TIMELINE_H */
