/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "pairing.h"
#include "gates.h"
#include "memory.h"
#include "registry.h"
#include "span_extended.h"

#include <stdlib.h>
#include <string.h>

static uint32_t half_new(struct pairing *p)
{
    uint32_t i = p->free;

    if (i != PAIRING_NONE) {
        p->free = p->halves[i].outer;
    } else {
        ARRAY_ADD(p->halves, p->count, p->room);
        i = (uint32_t)p->count++;
    }
    p->halves[i] = (struct half){
        .outer = PAIRING_NONE, .below = PAIRING_NONE, .above = PAIRING_NONE, .used = true};
    return i;
}

static void half_free(struct pairing *p, uint32_t i)
{
    p->halves[i].used = false;
    p->halves[i].outer = p->free;
    p->free = i;
}

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

static struct span span_of(struct pairing *p, const struct record *r, uint32_t tid, int64_t now)
{
    struct span span = {
        .process = p->out.process,
        .tid = tid,
        .end_tid = tid,
        .start = now,
        .end = now,
        .domain = r->domain,
        .domain_name = registry_domain(p->out.process, r->domain),
        .text = text_of(p, r->text),
        .range = r->range,
        .color = r->color,
        .category = r->category,
        .has_color = r->has_color,
        .has_category = r->has_category,
        .payload_type = r->payload_type,
        .payload = r->payload,
    };
    span_extended_attach(&p->out, &span);
    return span;
}

/* Time goes to the push that is the innermost of its thread. */
static void count_self(struct pairing *p, int64_t now)
{
    if (p->top != PAIRING_NONE) {
        p->halves[p->top].span.self += now - p->top_since;
    }
    p->top_since = now;
}

static void push(struct pairing *p, const struct record *r, uint32_t tid, int64_t now)
{
    uint32_t outer = p->innermost[r->domain];
    uint32_t i = half_new(p);

    count_self(p, now);
    p->halves[i].below = p->top;
    if (p->top != PAIRING_NONE) {
        p->halves[p->top].above = i;
    }

    p->halves[i].span = span_of(p, r, tid, now);
    p->halves[i].span.style = SPAN_PUSH_POP;
    p->halves[i].span.depth = outer == PAIRING_NONE ? 0 : p->halves[outer].span.depth + 1;
    p->halves[i].outer = outer;
    if (p->enter) {
        const struct span *around = p->top == PAIRING_NONE ? NULL : &p->halves[p->top].span;
        p->halves[i].span.place = p->enter(p->out.arg, &p->halves[i].span, around);
    }
    p->innermost[r->domain] = i;
    p->top = i;
}

/* Ranges of two domains need not nest: it may lie in the middle. */
static void unlink_push(struct pairing *p, uint32_t i)
{
    const struct half *h = &p->halves[i];

    if (h->below != PAIRING_NONE) {
        p->halves[h->below].above = h->above;
    }
    if (h->above != PAIRING_NONE) {
        p->halves[h->above].below = h->below;
    } else {
        p->top = h->below;
    }
}

static void pop(struct pairing *p, const struct record *r, int64_t now)
{
    uint32_t i = p->innermost[r->domain];

    if (i == PAIRING_NONE) {
        /* A child ends what its parent began; others, what began before they were recorded. */
        p->totals->pops += !p->out.process->info.forked && !p->out.process->gate_count &&
                           !p->out.process->info.ring && !p->after_gap;
        return;
    }
    p->halves[i].span.end_blobs = p->out.payload;
    p->out.payload = (struct span_blobs){0};
    count_self(p, now);
    unlink_push(p, i);
    p->innermost[r->domain] = p->halves[i].outer;
    p->halves[i].span.end = now;
    p->out.f(p->out.arg, &p->halves[i].span);
    half_free(p, i);
}

/* The two halves of a process range may be met in either order: threads are read one by one. */
static void range_half(struct pairing *p, const struct record *r, uint32_t tid, int64_t now)
{
    bool is_end = r->kind == REC_END;
    uint64_t *found = map_find(&p->ranges, r->range);

    if (found && p->halves[*found].is_end != is_end) {
        uint32_t i = (uint32_t)*found;
        struct span end = p->halves[i].span;
        struct span span = is_end ? p->halves[i].span : span_of(p, r, tid, now);
        if (is_end) {
            end = span_of(p, r, tid, now);
        }
        span.style = SPAN_START_END;
        span.end = end.start > span.start ? end.start : span.start;
        span.end = gates_cut(p->out.recording, p->out.process, span.start, span.end);
        span.end_tid = end.tid;
        span.end_blobs = end.begin;
        map_remove(&p->ranges, r->range);
        half_free(p, i);
        p->out.f(p->out.arg, &span);
    } else if (found) {
        p->totals->ends += is_end; /* ended twice */
    } else {
        uint32_t i = half_new(p);
        p->halves[i].span = span_of(p, r, tid, now);
        p->halves[i].span.style = SPAN_START_END;
        p->halves[i].is_end = is_end;
        map_add(&p->ranges, r->range, i);
    }
}

void pairing_begin_process(struct pairing *p, struct process *process)
{
    p->out.process = process;
    p->count = 0;
    p->free = PAIRING_NONE;
    p->process_last = 0;
    map_free(&p->ranges);
}

void pairing_begin_stream(struct pairing *p)
{
    if (!p->innermost) {
        p->innermost = must_alloc(NULL, REC_DOMAIN_MAX + 1, sizeof(*p->innermost));
    }
    p->out.payload = (struct span_blobs){0};
    memset(p->innermost, 0xff, (REC_DOMAIN_MAX + 1) * sizeof(*p->innermost));
    p->top = PAIRING_NONE;
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
        struct span span = span_of(p, r, tid, now);
        span.style = SPAN_MARK;
        p->out.f(p->out.arg, &span);
    } else if (r->kind == REC_COUNT) {
        span_extended_count(&p->out, r, tid, now);
    } else if (r->kind == REC_EXTENDED) {
        span_extended_record(&p->out, r, tid, now);
    } else {
        range_half(p, r, tid, now);
    }
}

void pairing_close(struct pairing *p, int64_t at)
{
    count_self(p, at > p->top_since ? at : p->top_since);
    for (uint32_t i = p->top, below; i != PAIRING_NONE; i = below) {
        struct half *h = &p->halves[i];
        below = h->below;
        h->span.open = true;
        h->span.end = at > h->span.start ? at : h->span.start;
        p->innermost[h->span.domain] = PAIRING_NONE;
        p->totals->open++;
        p->out.f(p->out.arg, &h->span);
        half_free(p, i);
    }
    p->top = PAIRING_NONE;
}

void pairing_gap(struct pairing *p, int64_t last)
{
    pairing_close(p, last);
    p->out.payload = (struct span_blobs){0}; /* its event is missing */
    p->after_gap = true;
}

void pairing_end_stream(struct pairing *p, int64_t last, bool lost_events)
{
    count_self(p, last);
    for (uint32_t i = p->top; i != PAIRING_NONE; i = p->halves[i].below) {
        struct half *h = &p->halves[i];
        h->span.open = true;
        h->span.end = lost_events ? last : -1;
        h->is_top = i == p->top;
        h->seen = last;
    }
    p->process_last = last > p->process_last ? last : p->process_last;
}

void pairing_end_process(struct pairing *p, int64_t end)
{
    for (size_t i = 0; i < p->count; i++) {
        struct half *h = &p->halves[i];
        if (!h->used) {
            continue;
        }
        if (h->is_end) {
            p->totals->ends += !p->out.process->info.forked && !p->out.process->gate_count;
            continue;
        }
        if (!h->span.open || h->span.end < 0) {
            h->span.end = gates_cut(p->out.recording, p->out.process, h->span.start, end);
            h->span.self += h->is_top && h->span.end > h->seen ? h->span.end - h->seen : 0;
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
    free(p->innermost);
    free(p->halves);
}
