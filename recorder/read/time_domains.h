/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_READ_TIME_DOMAINS_H
#define NVTXH_READ_TIME_DOMAINS_H
/*
 * The clocks that a process stamps its deferred events with. Timestamps are converted to ns of the session by the
 * synchronization points and factors that the process gave: by interpolation between points, and beyond them at the
 * rate of the first and last 100 ms.
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

/* The time domain of timestamps that name only a scope; 0: not known. */
uint64_t time_domains_of_scope(const struct process *p, uint32_t domain, uint64_t scope);

/* Converts to ns since the session's start. False: the clock cannot be converted. */
bool time_domains_ns(struct recording *r, const struct process *p, uint32_t domain, uint64_t number,
                     int64_t at, int64_t *ret_ns);

void time_domains_free(struct time_domains *t);

#endif /* NVTXH_READ_TIME_DOMAINS_H */
