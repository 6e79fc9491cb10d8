/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reads the context switches of a recording. */
#include "recording.h"
#include "../util/memory.h"

#include <stdlib.h>

/* Reading the chunks of one recording, in their order. */
struct reading {
    struct switches *switches;
    uint64_t start;        /* CLOCK_MONOTONIC, ns, when the recording began */
    int64_t complete;      /* all switches before this time were read */
    uint32_t next;         /* the number of the next chunk */
    struct rec_chunk head; /* of the chunk that is being read */
};

static int64_t since_start(const struct reading *g, uint64_t monotonic) {
    int64_t at = (int64_t)(monotonic - g->start);
    return at > RECORDING_MAX_NS    ? RECORDING_MAX_NS
           : at < -RECORDING_MAX_NS ? -RECORDING_MAX_NS
                                    : at;
}

static void add(struct reading *g, const struct rec_switch *s) {
    static const enum switches_state states[] = {[REC_SWITCH_ON] = SWITCHES_ON,
                                                 [REC_SWITCH_BLOCKED] = SWITCHES_BLOCKED,
                                                 [REC_SWITCH_PREEMPTED] = SWITCHES_PREEMPTED,
                                                 [REC_SWITCH_ENDED] = SWITCHES_UNKNOWN};
    int64_t at = since_start(g, s->monotonic);

    if (s->kind >= REC_SWITCH_ON && s->kind <= REC_SWITCH_ENDED) {
        switches_add(g->switches, s->tid, at, states[s->kind], s->processor);
    } else if (s->kind == REC_SWITCH_LOST) {
        switches_lost(g->switches, s->tid < UINT32_MAX ? at - (int64_t)s->tid * 1000 : INT64_MIN,
                      at);
    } else if (s->kind == REC_SWITCH_COMPLETE) {
        g->complete = at > g->complete ? at : g->complete;
    }
}

static void read_chunk(struct recording *r, const struct chunk_ref *ref, struct reading *g) {
    char *bytes = must_alloc(NULL, ref->used, 1);
    size_t size = recording_read(r, bytes, ref->used, ref->offset);
    const struct rec_switch *all = (const struct rec_switch *)(bytes + REC_CHUNK_HEADER);

    if (size >= REC_CHUNK_HEADER && recording_chunk(r, ref, &g->head)) {
        if (ref->seq != g->next) { /* a ring's, or a damaged file's: earlier ones are missing */
            switches_lost(g->switches, g->complete, since_start(g, g->head.sample.monotonic));
        }
        g->next = ref->seq + 1;
        for (size_t i = 0; i < (size - REC_CHUNK_HEADER) / sizeof(*all); i++) {
            add(g, &all[i]);
        }
    }
    free(bytes);
}

/* Gives the switches to the processes whose tids they have. */
static void hand_out(struct recording *r, uint32_t origin, const struct reading *g) {
    for (size_t i = 0; i < r->source.process_count; i++) {
        struct process *p = &r->processes[i];
        uint64_t pids = p->origin == origin ? process_pids(r, p) : 0;
        if (p->origin == origin && (!pids || !g->head.pids || pids == g->head.pids)) {
            p->source->switches = g->switches;
        }
    }
}

void recording_load_switches(struct recording *r) {
    for (size_t i = 0; i < r->switch_chunk_count;) {
        uint32_t origin = r->switch_chunks[i].origin;
        struct reading g = {.switches = switches_begin(), .complete = INT64_MIN};
        g.start = r->timelines[origin].origin;
        for (; i < r->switch_chunk_count && r->switch_chunks[i].origin == origin; i++) {
            read_chunk(r, &r->switch_chunks[i], &g);
        }
        switches_lost(g.switches, g.complete, INT64_MAX);
        switches_ready(g.switches);
        hand_out(r, origin, &g);
        *ARRAY_NEW(r->switches, r->switches_count, r->switches_capacity) = g.switches;
    }
}
