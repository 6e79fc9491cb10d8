/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "spans.h"
#include "cursor.h"
#include "names.h"

#include <stdlib.h>
#include <string.h>

#define NONE UINT32_MAX

/* A range whose end has not been seen, or an end whose beginning has not. */
struct half {
    struct span span;
    uint32_t outer; /* the push it lies in, in its thread and domain; also links the free ones */
    bool is_end;
    bool used;
};

struct pairing {
    struct recording *recording;
    struct process *process;
    void (*f)(void *, const struct span *);
    void *arg;
    struct span_totals *totals;
    struct half *halves;
    size_t count, room;
    uint32_t free;
    uint32_t *innermost;  /* by domain, this stream's innermost open push */
    struct map ranges;    /* range id -> half */
    struct map texts;     /* this stream's texts */
    int64_t stream_last;  /* latest time in this stream */
    int64_t process_last; /* and in this process */
};

static uint32_t half_new(struct pairing *p)
{
    uint32_t i = p->free;

    if (i != NONE) {
        p->free = p->halves[i].outer;
    } else {
        ARRAY_ADD(p->halves, p->count, p->room);
        i = (uint32_t)p->count++;
    }
    p->halves[i] = (struct half){.outer = NONE, .used = true};
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
                          ? map_find(&p->process->registered, text & ~REC_TEXT_REGISTERED)
                          : map_find(&p->texts, text);
    if (!found && text) {
        p->recording->damage.no_text++;
    }
    return found ? (uint32_t)*found : 0;
}

static struct span span_of(struct pairing *p, const struct record *r, uint32_t tid, int64_t now)
{
    return (struct span){
        .process = p->process,
        .tid = tid,
        .end_tid = tid,
        .start = now,
        .end = now,
        .domain = r->domain,
        .domain_name = names_domain(p->process, r->domain),
        .text = text_of(p, r->text),
        .range = r->range,
        .color = r->color,
        .category = r->category,
        .has_color = r->has_color,
        .has_category = r->has_category,
        .payload_type = r->payload_type,
        .payload = r->payload,
    };
}

static void push(struct pairing *p, const struct record *r, uint32_t tid, int64_t now)
{
    uint32_t outer = p->innermost[r->domain];
    uint32_t i = half_new(p);

    p->halves[i].span = span_of(p, r, tid, now);
    p->halves[i].span.style = SPAN_PUSH_POP;
    p->halves[i].span.depth = outer == NONE ? 0 : p->halves[outer].span.depth + 1;
    p->halves[i].outer = outer;
    p->innermost[r->domain] = i;
}

static void pop(struct pairing *p, const struct record *r, int64_t now)
{
    uint32_t i = p->innermost[r->domain];

    if (i == NONE) {
        p->totals->pops += !p->process->info.forked; /* a child ends what its parent began */
        return;
    }
    p->innermost[r->domain] = p->halves[i].outer;
    p->halves[i].span.end = now;
    p->f(p->arg, &p->halves[i].span);
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
            end = (struct span){.start = now, .tid = tid};
        }
        span.style = SPAN_START_END;
        span.end = end.start > span.start ? end.start : span.start;
        span.end_tid = end.tid;
        map_remove(&p->ranges, r->range);
        half_free(p, i);
        p->f(p->arg, &span);
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

/* A thread that lost events may have lost the ends of these: they end where it was last seen. */
static void cut_stream(struct pairing *p, uint64_t dropped)
{
    for (size_t i = 0; i < p->count; i++) {
        struct half *h = &p->halves[i];
        if (h->used && h->span.style == SPAN_PUSH_POP && !h->span.open) {
            h->span.open = true;
            h->span.end = dropped ? p->stream_last : -1;
        }
    }
}

static void read_stream(struct pairing *p, struct cursor *c, size_t first, size_t count)
{
    const struct chunk_ref *ref = &p->recording->chunks[first];
    struct record r;
    uint64_t dropped = 0;
    int64_t last = -1;
    uint64_t events = 0;

    memset(p->innermost, 0xff, (REC_DOMAIN_MAX + 1) * sizeof(*p->innermost));
    map_free(&p->texts);
    for (size_t i = 0; i < count; i++) {
        dropped += ref[i].dropped;
        p->recording->damage.bad_chunks += ref[i].seq != i; /* one before it is missing */
    }
    cursor_begin(c, p->recording, first, count);
    while (cursor_next(c, &r)) {
        if (r.kind == REC_TEXT) {
            uint32_t text = texts_add(&p->recording->texts, r.body, r.size);
            *map_add(&p->texts, r.id, text) = text;
        }
        if (r.kind > REC_MARK) {
            continue;
        }
        /* Two events of one thread never happen at once: the later is at least 1 ns later. */
        int64_t now = recording_ns(p->recording, r.ticks);
        now = now > last ? now : last + 1;
        last = now;
        events++;
        if (r.kind == REC_PUSH) {
            push(p, &r, ref->tid, now);
        } else if (r.kind == REC_POP) {
            pop(p, &r, now);
        } else if (r.kind == REC_MARK) {
            struct span span = span_of(p, &r, ref->tid, now);
            span.style = SPAN_MARK;
            p->f(p->arg, &span);
        } else {
            range_half(p, &r, ref->tid, now);
        }
    }
    p->stream_last = last;
    p->process_last = last > p->process_last ? last : p->process_last;
    p->totals->events += events;
    p->totals->threads += events > 0 && ref->lane == 0;
    p->totals->dropped += dropped;
    cut_stream(p, dropped);
}

static void finish_process(struct pairing *p)
{
    int64_t end = p->process_last;
    const struct rec_sample *known = p->process->info.end.ticks         ? &p->process->info.end
                                     : p->recording->process_count == 1 ? &p->recording->header.end
                                                                        : NULL;

    if (known && known->ticks) {
        int64_t ns = recording_ns(p->recording, known->ticks);
        end = ns > end ? ns : end;
    }
    for (size_t i = 0; i < p->count; i++) {
        struct half *h = &p->halves[i];
        if (!h->used) {
            continue;
        }
        if (h->is_end) {
            p->totals->ends += !p->process->info.forked;
            continue;
        }
        if (!h->span.open || h->span.end < 0) {
            h->span.end = end;
        }
        h->span.open = true;
        p->totals->open++;
        p->f(p->arg, &h->span);
    }
    for (int i = 0; i < REC_LOSS_SIZE; i++) {
        p->totals->lost[i] += p->process->info.lost[i];
    }
    p->totals->dropped += p->process->info.lost[REC_LOSS_NO_STREAM];
    p->totals->dropped += p->process->info.lost[REC_LOSS_NESTED];
}

void spans_each(struct recording *r, void (*f)(void *, const struct span *), void *arg,
                struct span_totals *ret_totals)
{
    struct cursor c = {0};
    struct pairing p = {.recording = r, .f = f, .arg = arg, .totals = ret_totals};

    *ret_totals = (struct span_totals){0};
    p.innermost = must_alloc(NULL, REC_DOMAIN_MAX + 1, sizeof(*p.innermost));
    for (size_t n = 0; n < r->process_count; n++) {
        p.process = &r->processes[n];
        p.count = 0;
        p.free = NONE;
        p.process_last = 0;
        map_free(&p.ranges);
        size_t end = p.process->first_chunk + p.process->chunk_count;
        for (size_t first = p.process->first_chunk, i = first; i < end; first = i) {
            while (i < end && r->chunks[i].stream == r->chunks[first].stream) {
                i++;
            }
            if (r->chunks[first].stream != 0) {
                read_stream(&p, &c, first, i - first);
            }
        }
        finish_process(&p);
    }
    map_free(&p.ranges);
    map_free(&p.texts);
    cursor_end(&c);
    free(p.innermost);
    free(p.halves);
}
