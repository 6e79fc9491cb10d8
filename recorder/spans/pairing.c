/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "pairing.h"
#include "filter.h"
#include "span_extended.h"
#include "../base/memory.h"
#include "../read/gates.h"
#include "../read/registry.h"

#include <stdlib.h>
#include <string.h>

static uint32_t text_of(struct pairing *p, uint32_t text)
{
    uint64_t *found = text & REC_TEXT_REGISTERED
                          ? map_find(&p->out.process->registered, text & ~REC_TEXT_REGISTERED)
                          : map_find(&p->texts, text);
    if (!found && text) {
        p->out.recording->damage.no_text++;
    }
    return found ? (uint32_t)*found : 0;
}

/* Sets each member: clearing the whole struct first would take as long as all other work on a range. */
static void set_span(struct pairing *p, const struct record *r, uint32_t tid, int64_t now,
                     enum span_style style, struct span *ret)
{
    ret->style = style;
    ret->process = p->out.process;
    ret->tid = ret->end_tid = tid;
    ret->stream = p->out.stream;
    ret->start = ret->end = now;
    ret->self = 0;
    ret->depth = ret->place = 0;
    ret->domain = r->domain;
    ret->domain_name = registry_domain(p->out.process, r->domain);
    ret->text = text_of(p, r->text);
    ret->range = r->range;
    ret->color = r->color;
    ret->category = r->category;
    ret->has_color = r->has_color;
    ret->has_category = r->has_category;
    ret->open = false;
    ret->payload_type = r->payload_type;
    ret->payload = r->payload;
    ret->begin = ret->end_blobs = (struct span_blobs){0};
    span_extended_attach(&p->out, ret);
}

static void push(struct pairing *p, const struct record *r, uint32_t tid, int64_t now)
{
    uint32_t i = nesting_new(&p->nest);
    set_span(p, r, tid, now, SPAN_PUSH_POP, &p->nest.halves[i].span);
    nesting_push(&p->nest, i);
    if (p->enter) {
        struct half *h = &p->nest.halves[i];
        bool within = h->below != NESTING_NONE;
        h->span.place =
            p->enter(p->out.arg, &h->span, within ? &p->nest.halves[h->below].span : NULL);
    }
}

static void pop(struct pairing *p, const struct record *r, int64_t now)
{
    uint32_t i = nesting_pop(&p->nest, r->domain, now);

    if (i == NESTING_NONE) {
        /* Counted as an error unless the push may be missing: in a forked child's parent, behind a closed gate,
         * in overwritten chunks of a ring, or in a gap. */
        p->totals->pops += !p->out.process->info.forked && !p->out.process->gate_count &&
                           !p->out.process->info.ring && !p->after_gap;
        return;
    }
    struct span *span = &p->nest.halves[i].span;
    span->end_blobs = p->out.payload;
    p->out.payload = (struct span_blobs){0};
    span->end = now;
    p->out.f(p->out.arg, span);
    nesting_free_half(&p->nest, i);
}

/* A pop without an open push in its domain. */
static void no_push(struct pairing *p, const struct record *r, int64_t now)
{
    uint32_t i = nesting_no_push(&p->nest, now);

    if (i != NESTING_NONE && p->totals->misdirected++ == 0) {
        p->totals->popped_domain = registry_domain(p->out.process, r->domain);
        p->totals->open_domain = p->nest.halves[i].span.domain_name;
    }
}

/* The two halves of a process range may be read in either order, because threads are read one by one. */
static void range_half(struct pairing *p, const struct record *r, uint32_t tid, int64_t now)
{
    bool is_end = r->kind == REC_END;
    uint64_t *found = map_find(&p->ranges, r->range);

    if (found && p->nest.halves[*found].is_end != is_end) {
        uint32_t i = (uint32_t)*found;
        struct span this, other = p->nest.halves[i].span;
        set_span(p, r, tid, now, SPAN_START_END, &this);
        const struct span *end = is_end ? &this : &other;
        struct span span = is_end ? other : this;
        span.end = end->start > span.start ? end->start : span.start;
        span.end = gates_cut(p->out.recording, p->out.process, span.start, span.end);
        span.end_tid = end->tid;
        span.end_blobs = end->begin;
        map_remove(&p->ranges, r->range);
        nesting_free_half(&p->nest, i);
        p->out.f(p->out.arg, &span);
    } else if (found) {
        p->totals->ends += is_end; /* ended twice */
    } else {
        uint32_t i = nesting_new(&p->nest);
        set_span(p, r, tid, now, SPAN_START_END, &p->nest.halves[i].span);
        p->nest.halves[i].is_end = is_end;
        map_add(&p->ranges, r->range, i);
    }
}

void pairing_begin_process(struct pairing *p, struct process *process)
{
    p->out.process = process;
    p->out.halves = &p->halves;
    nesting_begin_process(&p->nest);
    p->process_last = 0;
    map_free(&p->ranges);
}

void pairing_begin_stream(struct pairing *p)
{
    nesting_begin_stream(&p->nest);
    p->out.payload = (struct span_blobs){0};
    p->after_gap = false;
    map_free(&p->texts);
}

void pairing_event(struct pairing *p, const struct record *r, uint32_t tid, int64_t now)
{
    if (r->kind == REC_PUSH) {
        push(p, r, tid, now);
    } else if (r->kind == REC_POP) {
        pop(p, r, now);
    } else if (r->kind == REC_MARK) {
        struct span span;
        set_span(p, r, tid, now, SPAN_MARK, &span);
        p->out.f(p->out.arg, &span);
    } else if (r->kind == REC_COUNT) {
        span_extended_count(&p->out, r, tid, now);
    } else if (record_is_no_push(r)) {
        no_push(p, r, now);
    } else if (r->kind == REC_EXTENDED) {
        span_extended_record(&p->out, r, tid, now);
    } else {
        range_half(p, r, tid, now);
    }
}

/* Hands out a push without an end. */
static void give_open(struct pairing *p, uint32_t i)
{
    p->nest.innermost[p->nest.halves[i].span.domain] = NESTING_NONE;
    p->totals->open++;
    p->out.f(p->out.arg, &p->nest.halves[i].span);
    nesting_free_half(&p->nest, i);
}

void pairing_close(struct pairing *p, int64_t at)
{
    struct nesting *n = &p->nest;
    uint32_t rows[] = {n->top, n->aside};

    p->totals->cut += nesting_finish(n, at, true);
    for (size_t k = 0; k < 2; k++) {
        for (uint32_t i = rows[k], below; i != NESTING_NONE; i = below) {
            below = n->halves[i].below;
            give_open(p, i);
        }
    }
    n->top = n->meant = n->aside = NESTING_NONE;
}

void pairing_gap(struct pairing *p, int64_t last)
{
    pairing_close(p, last);
    p->out.payload = (struct span_blobs){0}; /* the event of this payload is missing */
    p->after_gap = true;
}

void pairing_end_stream(struct pairing *p, int64_t last, bool lost_events)
{
    p->totals->cut += nesting_finish(&p->nest, last, lost_events);
    p->process_last = last > p->process_last ? last : p->process_last;
}

void pairing_next_thread(struct pairing *p, int64_t last, bool lost_events)
{
    bool is_open = p->nest.top != NESTING_NONE || p->nest.aside != NESTING_NONE;

    pairing_end_stream(p, last, lost_events);
    if (is_open) { /* otherwise the nesting is empty already, and resetting it takes long */
        nesting_begin_stream(&p->nest);
    }
    p->out.payload = (struct span_blobs){0};
    p->after_gap = false;
}

void pairing_end_process(struct pairing *p, int64_t end)
{
    deferred_halves_pair(&p->halves, &p->out, end, p->totals);
    for (size_t i = 0; i < p->nest.count; i++) {
        struct half *h = &p->nest.halves[i];
        if (!h->used) {
            continue;
        }
        if (h->is_end) {
            p->totals->ends += !p->out.process->info.forked && !p->out.process->info.ring &&
                               !p->out.process->gate_count;
            continue;
        }
        if (!h->span.open || h->span.end < 0) {
            h->span.end = gates_cut(p->out.recording, p->out.process, h->span.start, end);
            h->span.self += h->is_top ? filter_within(p->nest.filter, h->seen, h->span.end) : 0;
        }
        h->span.open = true;
        p->totals->open++;
        p->out.f(p->out.arg, &h->span);
    }
}

void pairing_free(struct pairing *p)
{
    map_free(&p->ranges);
    map_free(&p->texts);
    deferred_halves_free(&p->halves);
    nesting_free(&p->nest);
}
