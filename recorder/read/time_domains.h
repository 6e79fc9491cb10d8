/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_READ_TIME_DOMAINS_H
#define NVTXH_READ_TIME_DOMAINS_H
/* Converts times of clocks to ns since the session's start. */
#include "../base/map.h"
#include "../format/format.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Converts the recorder's ticks by the samples that the recorder took. */
struct timeline {
    struct rec_sample *samples;
    size_t count, room;
    size_t last;     /* index of the first of the two samples that the last conversion used */
    uint64_t origin; /* ns of CLOCK_MONOTONIC at the session's start */
};

void timeline_add(struct timeline *t, const struct rec_sample *sample);

/* Call both, in this order, after the last sample. timeline_sort sorts the samples. timeline_ready
 * drops samples that are too close together for a rate. `origin`: the session's start. */
void timeline_sort(struct timeline *t);
void timeline_ready(struct timeline *t, const struct rec_sample *origin);

int64_t timeline_ns(struct timeline *t, uint64_t ticks);
int64_t timeline_ns_of_realtime(const struct timeline *t, uint64_t realtime);
void timeline_free(struct timeline *t);

/* The clocks with which a process stamps its deferred events. Their timestamps are converted with
 * the synchronization points and factors that the process gave: between points by interpolation,
 * before and after them at the rate of the first or last 100 ms. */
struct recording;
struct process;

struct time_domains {
    struct time_domain *all;
    size_t count, room;
    struct map index;
    struct time_link *links; /* points and factors that relate two clocks */
    size_t link_count, link_room;
};

/* Takes a record of kind REC_TIME. */
void time_domains_take(struct time_domains *t, uint32_t id, uint32_t domain, const char *body,
                       size_t size);

/* Call it after the last record of the process, when the timelines of the recording are ready. */
void time_domains_ready(struct recording *r, struct process *p);

/* The time domain of timestamps for which only a scope is given: the one registered for the scope,
 * else the only one registered in the domain, else REC_TIME_TOOL, the ticks of the recording. */
uint64_t time_domains_of_scope(const struct process *p, uint32_t domain, uint64_t scope);

/* Converts the time `at` of a clock to ns since the session's start. False: the clock is not known,
 * or nothing relates it to the recording's clocks. */
bool time_domains_ns(struct recording *r, const struct process *p, uint32_t domain, uint64_t number,
                     int64_t at, int64_t *ret_ns);

void time_domains_free(struct time_domains *t);

#endif /* NVTXH_READ_TIME_DOMAINS_H */
