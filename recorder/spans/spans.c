/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "spans.h"
#include "filter.h"
#include "pairing.h"
#include "totals.h"
#include "../read/gates.h"

const char *const span_style_names[] = {"PushPop", "StartEnd", "Mark", "Counter"};

static void read_stream(struct pairing *p, struct cursor *c, size_t first, size_t count)
{
    const struct chunk_ref *ref = &p->out.recording->chunks[first];
    struct record r;
    uint64_t dropped = p->totals->dropped;
    int64_t last = -1;
    uint64_t events = 0, before = 0; /* of the stream; before: of its earlier threads */
    const struct process *process = p->out.process;
    bool open = gates_open_first(process);
    size_t gate = 0;

    totals_add_stream(p->totals, p->out.recording, first, count);
    dropped = p->totals->dropped - dropped;
    p->out.stream = ref->stream;
    pairing_begin_stream(p);
    cursor_begin(c, p->out.recording, first, count);
    while (!p->out.recording->enough && cursor_next(c, &r)) {
        if (c->after_gap) { /* the ends of open ranges may be missing */
            pairing_gap(p, last);
        }
        if (c->next_thread) {
            pairing_next_thread(p, last, dropped > 0);
            p->totals->threads += events > before && ref->lane == 0;
            before = events;
        }
        if (r.kind == REC_TEXT) {
            uint32_t text = texts_add(&p->out.recording->texts, r.body, r.size);
            *map_add(&p->texts, r.id, text) = text;
        }
        if (!record_is_of_events(&r)) {
            continue;
        }
        for (; gate < process->gate_count && process->gates[gate].ticks <= r.ticks; gate++) {
            open = process->gates[gate].open;
            if (!open) {
                pairing_close(p,
                              recording_ns(p->out.recording, process, process->gates[gate].ticks));
            }
        }
        if (!open) {
            continue;
        }
        /* Two events of a stream never get the same time: the later one is at least 1 ns later. */
        int64_t now = recording_ns(p->out.recording, p->out.process, r.ticks);
        if (record_is_event(&r)) {
            now = now > last ? now : last + 1;
            last = now;
            events++;
        }
        pairing_event(p, &r, c->tid, now);
    }
    pairing_end_stream(p, last, dropped > 0);
    p->totals->events += events;
    p->totals->threads += events > before && ref->lane == 0;
}

static void finish_process(struct pairing *p)
{
    int64_t end = p->process_last;
    bool alone = p->out.recording->process_count == 1 && !p->out.process->origin;
    const struct rec_sample *known = p->out.process->info.end.ticks ? &p->out.process->info.end
                                     : alone                        ? &p->out.recording->header.end
                                                                    : NULL;

    if (known && known->ticks) {
        int64_t ns = recording_ns(p->out.recording, p->out.process, known->ticks);
        end = ns > end ? ns : end;
    }
    pairing_end_process(p, end);
    totals_add_losses(p->totals, p->out.process->info.lost);
}

/* With a filter, the two functions below stand between the pairing and the caller's functions. */
struct filtering {
    struct filter *filter;
    const struct recording *recording;
    span_function *f;
    span_enter *enter;
    void *arg;
};

static void hand_out(void *arg, const struct span *span)
{
    struct filtering *f = arg;
    struct span cut = *span;

    if (filter_cut(f->filter, &cut) && filter_wants(f->filter, f->recording, span)) {
        f->f(f->arg, &cut);
    }
}

/* A range that is left out gets the place of the range around it, so that ranges in it seem to lie in that one. */
static uint32_t enter_wanted(void *arg, const struct span *span, const struct span *outer)
{
    struct filtering *f = arg;
    uint32_t place = outer ? outer->place : 0;

    if (span->start >= f->filter->to || !filter_wants(f->filter, f->recording, span)) {
        return place;
    }
    return f->enter(f->arg, span, place ? outer : NULL);
}

void spans_nested(struct recording *r, span_function *f, span_enter *enter, void *arg,
                  struct span_totals *ret_totals)
{
    struct cursor c = {0};
    struct pairing p = {
        .out = {.recording = r, .f = f, .arg = arg, .unplaced = &ret_totals->unplaced},
        .enter = enter,
        .totals = ret_totals};

    struct filtering filtering = {r->filter, r, f, enter, arg};

    if (r->filter) {
        p.out.f = hand_out;
        p.out.arg = &filtering;
        p.enter = enter ? enter_wanted : NULL;
        p.nest.filter = r->filter;
    }
    *ret_totals = (struct span_totals){0};
    recording_begin_reading(r);
    for (size_t n = 0; n < r->process_count && !r->enough; n++) {
        pairing_begin_process(&p, &r->processes[n]);
        for (size_t first = 0, next = 0;
             !r->enough && recording_next_stream(r, p.out.process, &first, &next);) {
            read_stream(&p, &c, first, next - first);
        }
        finish_process(&p);
    }
    totals_add_losses(ret_totals, r->header.lost);
    totals_add_statistics(ret_totals, r);
    pairing_free(&p);
    cursor_end(&c);
}

void spans_each(struct recording *r, span_function *f, void *arg, struct span_totals *ret_totals)
{
    spans_nested(r, f, NULL, arg, ret_totals);
}
