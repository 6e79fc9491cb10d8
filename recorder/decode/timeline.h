/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once
#include "../format/format.h"

#include <stddef.h>
#include <stdint.h>

/* Converts ticks, in which events are timed, to ns. Each sample is one moment on three clocks. */
struct timeline {
    struct rec_sample *samples;
    size_t count, capacity;
    size_t last;     /* the last conversion used the samples `last` and `last` + 1 */
    uint64_t origin; /* ns of CLOCK_MONOTONIC when the recording began */
};

void timeline_add(struct timeline *t, const struct rec_sample *sample);

/* Call both, in this order, after the last sample. timeline_sort sorts the samples. timeline_ready
 * drops samples too close together to give an exact rate. `origin`: when the recording began. */
void timeline_sort(struct timeline *t);
void timeline_ready(struct timeline *t, const struct rec_sample *origin);

int64_t timeline_ns(struct timeline *t, uint64_t ticks);
void timeline_free(struct timeline *t);
