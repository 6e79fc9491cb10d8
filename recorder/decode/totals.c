/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "recording_source.h"
#include "cursor.h"

void totals_add_stream(struct span_totals *t, struct recording *r, size_t first, size_t count) {
    const struct chunk_ref *ref = &r->chunks[first];

    for (size_t i = 0; i < count; i++) {
        uint32_t before = i ? ref[i - 1].seq + 1 : 0;
        t->dropped += ref[i].dropped;
        r->damage.bad_chunks += !ref[i].ring && ref[i].seq != before; /* some chunks are missing */
    }
}

void totals_add_losses(struct span_totals *t, const uint64_t lost[REC_LOSS_SIZE]) {
    for (int i = 0; i < REC_LOSS_SIZE; i++) {
        t->lost[i] += lost[i];
    }
    t->dropped += lost[REC_LOSS_NO_STREAM] + lost[REC_LOSS_NESTED];
}

/* Counts events that came while recording was on. Returns how many threads had such events. */
static uint64_t count_stream(struct cursor *c, const struct process *p, uint64_t *events) {
    bool open = gates_open_first(p), has_events = false;
    uint64_t threads = 0;
    size_t gate = 0;
    struct record r;

    while (cursor_next(c, &r)) {
        if (c->next_thread) {
            threads += has_events;
            has_events = false;
        }
        for (; record_is_of_events(&r) && gate < p->gate_count && p->gates[gate].ticks <= r.ticks;
             gate++) {
            open = p->gates[gate].open;
        }
        if (open && record_is_event(&r)) {
            ++*events;
            has_events = true;
        }
    }
    return threads + has_events;
}

void totals_count(struct recording *r, struct span_totals *ret_totals) {
    struct cursor c = {0};

    *ret_totals = (struct span_totals){0};
    recording_begin_reading(r);
    for (size_t n = 0; n < r->source.process_count; n++) {
        const struct process *p = &r->processes[n];
        for (size_t first = 0, next = 0; recording_next_stream(r, p, &first, &next);) {
            totals_add_stream(ret_totals, r, first, next - first);
            cursor_begin(&c, r, first, next - first);
            uint64_t threads = count_stream(&c, p, &ret_totals->events);
            ret_totals->threads += r->chunks[first].in_handlers ? 0 : threads;
        }
        totals_add_losses(ret_totals, p->info.lost);
    }
    totals_add_losses(ret_totals, r->header.lost);
    cursor_end(&c);
}
