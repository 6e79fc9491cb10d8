/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_DECODE_TIME_DOMAINS_H
#define NVTXH_DECODE_TIME_DOMAINS_H
/* Converts times of several clocks to ns since the recording began. */
#include "../util/map.h"
#include "../format/format.h"

#include <stdbool.h>
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
int64_t timeline_ns_of_realtime(const struct timeline *t, uint64_t realtime);
void timeline_free(struct timeline *t);

/* The clocks (NVTX: time domains) of deferred events, which a program submits with timestamps of
 * its own. The program relates two clocks by points (one moment on both) and factors (the ratio of
 * their rates). Timestamps are interpolated between points, and extrapolated before and after them
 * at the rate of the first or last 100 ms. */
struct recording;
struct process;

struct time_domains {
    struct time_domain *all;
    size_t count, capacity;
    struct map index;
    struct time_link *links; /* points and factors that relate two clocks */
    size_t link_count, link_capacity;
    struct time_clock {
        uint32_t domain, order; /* order: index in `all` */
        uint64_t scope, number;
    } * clocks; /* the registered ones, sorted by domain, scope and order */
    size_t clock_count;
};

/* Takes a record of kind REC_TIME. */
void time_domains_parse(struct time_domains *t, uint32_t id, uint32_t domain, const char *body,
                        size_t size);

/* Prepares time_domains_ns. Call it after the last time_domains_parse, when timelines are ready. */
void time_domains_ready(struct recording *r, struct process *p);

/* Returns the clock of timestamps for which the program gave no clock: the one registered for their
 * scope (0: none), else the only one registered in the NVTX domain, else the recording's ticks. */
uint64_t time_domains_of_scope(const struct process *p, uint32_t domain, uint64_t scope);

/* Converts the time `at` of the clock `number` to ns since the recording began. False: the clock is
 * not known, or nothing relates it to the recording's clocks. */
bool time_domains_ns(struct recording *r, const struct process *p, uint32_t domain, uint64_t number,
                     int64_t at, int64_t *ret_ns);

void time_domains_free(struct time_domains *t);

#endif /* NVTXH_DECODE_TIME_DOMAINS_H */
