/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_READ_TIME_DOMAINS_H
#define NVTXH_READ_TIME_DOMAINS_H
/*
 * The clocks that a process stamps its deferred events with. A timestamp becomes nanoseconds of the session by the
 * synchronization points and factors that the process gave: in a straight line between neighbouring points, and at the rate
 * of the first and last 100 ms beyond them.
 */
#include "map.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct recording;
struct process;

struct time_domains {
    struct time_domain *all;
    size_t count, room;
    struct map index;
    struct time_link *links; /* pairs of the same moment on two clocks */
    size_t link_count, link_room;
};

/* Takes a record of kind REC_TIME. */
void time_domains_take(struct time_domains *t, uint32_t id, uint32_t domain, const char *body,
                       size_t size);

/* After the last record of the process, when the recording's own clock is ready. */
void time_domains_ready(struct recording *r, struct process *p);

/* The time domain of timestamps for which the program names none, only their scope, or 0. */
uint64_t time_domains_of_scope(const struct process *p, uint32_t domain, uint64_t scope);

/* Nanoseconds from the session's start. False: nothing says how to convert this clock. */
bool time_domains_ns(struct recording *r, const struct process *p, uint32_t domain, uint64_t number,
                     int64_t at, int64_t *ret_ns);

void time_domains_free(struct time_domains *t);

#endif /* NVTXH_READ_TIME_DOMAINS_H */
