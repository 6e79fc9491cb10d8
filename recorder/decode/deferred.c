/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "span_output.h"
#include "../util/memory.h"

#include <stdlib.h>
#include <string.h>

/* --- halves of ranges ------------------------------------------------------------------------- */

enum { THREAD = 22, INNERMOST = 31 }; /* NVTX_SCOPE_CURRENT_SW_THREAD and _INNERMOST */

/* A half pairs only with halves of this thread. 0: of any thread; its scope or range id decides. */
static uint32_t thread_of_half(const struct deferred_half *h) {
    return h->range || h->scope ? 0 : h->span.tid;
}

/* Returns 0 if the two halves may pair. */
static int compare_kind(const struct deferred_half *a, const struct deferred_half *b) {
    return ORDERS(ORDER(a->is_push, b->is_push) ?: ORDER(a->span.domain, b->span.domain)
                  ?: ORDER(a->range, b->range) ?: ORDER(a->scope, b->scope)
                  ?: ORDER(thread_of_half(a), thread_of_half(b)));
}

static int compare(const void *a, const void *b) {
    const struct deferred_half *x = a, *y = b;
    return ORDERS(compare_kind(x, y) ?: ORDER(x->span.start, y->span.start)
                  ?: ORDER(x->place, y->place));
}

/* Makes a range of two halves. If both have a text, colour or category, that of the end counts. */
static struct span joined(const struct deferred_half *begin, const struct deferred_half *end) {
    struct span span = begin->span;
    const struct span *last = &end->span;

    span.end = last->start;
    span.end_tid = last->tid;
    span.stream = last->stream;
    span.end_blobs = last->begin;
    span.text = last->text ? last->text : span.text;
    if (last->has_color) {
        span.has_color = true;
        span.color = last->color;
    }
    if (last->has_category) {
        span.has_category = true;
        span.category = last->category;
    }
    return span;
}

/* Handles a half whose other half is missing: counts an end, if it is an error (see
 * span_output_is_error), or hands out a beginning as an open range. */
static void alone(const struct deferred_half *h, const struct span_output *p, int64_t end,
                  struct span_totals *totals) {
    struct span span = h->span;

    if (h->is_end) {
        *(h->is_push ? &totals->pops : &totals->ends) += span_output_is_error(p);
        return;
    }
    span.end = end > span.start ? end : span.start;
    span.open = true;
    span_totals_open(totals, &span);
    span_output_kept(p, &span);
}

/* Hands out the beginnings [from, to) of `all`, which got no end, as open ranges. If `end` is
 * negative, keeps them instead. Returns how many elements of `all` are kept: `from` or `to`. */
static size_t leave_open(const struct deferred_half *all, size_t from, size_t to,
                         const struct span_output *p, int64_t end, struct span_totals *totals) {
    if (end < 0) {
        return to;
    }
    for (size_t i = from; i < to; i++) {
        alone(&all[i], p, end, totals);
    }
    return from;
}

void deferred_halves_pair(struct deferred_halves *d, const struct span_output *p, int64_t end,
                          struct span_totals *totals) {
    size_t kept = 0, open = 0; /* beginnings: [0, kept) got no end, [kept, open) may get one */

    ARRAY_SORT(d->all, d->count, compare);
    for (size_t i = 0; i < d->count; i++) {
        struct deferred_half h = d->all[i];
        if (open > kept && compare_kind(&d->all[open - 1], &h)) {
            kept = open = leave_open(d->all, kept, open, p, end, totals);
        }
        if (!h.is_end) {
            d->all[open++] = h;
        } else if (open > kept) {
            struct span span = joined(&d->all[--open], &h);
            span_output_one_lane(p, &span);
            span_output_kept(p, &span);
        } else {
            alone(&h, p, end, totals);
        }
    }
    d->kept = d->count = leave_open(d->all, kept, open, p, end, totals);
}

void deferred_halves_free(struct deferred_halves *d) {
    free(d->all);
    *d = (struct deferred_halves){0};
}

/* --- events ----------------------------------------------------------------------------------- */

/* A timestamp, and what its schema entry says about its clock. */
struct stamp {
    bool given;
    int64_t at;
    uint64_t time, scope; /* its time domain and scope; 0: not given */
};

/* An event while its payload is read. */
struct submitted {
    struct span_output *p;
    struct span span;
    struct stamp begin, end, mark;
    uint64_t scope, range;
    uint64_t role; /* the role of its schema; 0: the event is not one half of a range */
    struct payload_reader reader;
};

static void parse_stamp(struct submitted *s, const struct schema_entry *e, int64_t at) {
    uint64_t role = e->flags & REC_ENTRY_ROLE;
    struct stamp *to = role == REC_ENTRY_MARK                       ? &s->mark
                       : role == REC_ENTRY_END                      ? &s->end
                       : role == REC_ENTRY_BEGIN || !s->begin.given ? &s->begin
                                                                    : &s->end;
    *to = (struct stamp){true, at, e->time, e->scope};
}

static void on_value(void *arg, const char *name, const struct value *v) {
    struct submitted *s = arg;
    const struct schema_entry *e = s->reader.entry;

    (void)name;
    if (v->is_message && v->kind == VALUE_TEXT && v->size) {
        s->span.text = string_table_add(&s->p->recording->source.strings, v->text, v->size);
    }
    if (!e || (v->kind != VALUE_SIGNED && v->kind != VALUE_UNSIGNED)) {
        return;
    }
    uint64_t role = e->flags & REC_ENTRY_ROLE;
    if (role ? role <= REC_ENTRY_MARK : (e->flags & REC_ENTRY_EVENT) == REC_ENTRY_EVENT_TIMESTAMP) {
        parse_stamp(s, e, v->i);
    } else if (e->type == REC_TYPE_CATEGORY) {
        s->span.category = (uint32_t)v->u;
        s->span.has_category = v->u != 0;
    } else if (e->type == REC_TYPE_COLOR) {
        s->span.color = (uint32_t)v->u;
        s->span.has_color = v->u != 0;
    } else if (e->type == REC_TYPE_SCOPE) {
        s->scope = v->u;
    } else if (e->type == REC_TYPE_RANGE_ID) {
        s->range = v->u;
    }
}

/* Converts a timestamp to ns since the recording began. False: nothing relates its clock to the
 * recording's. */
static bool place(const struct submitted *s, const struct stamp *t, int64_t *ret_ns) {
    uint64_t scope = t->scope ? t->scope : s->scope;
    uint64_t time = t->time ? t->time : time_domains_of_scope(s->p->process, s->span.domain, scope);

    return time_domains_ns(s->p->recording, s->p->process, s->span.domain, time, t->at, ret_ns);
}

/* Keeps an event that is one half of a range: a push, pop, start or end. `id` is the event's place
 * in the file, which serves as the range's id. */
static void keep_half(const struct submitted *s, const struct stamp *at, uint64_t id) {
    struct deferred_half half = {.span = s->span,
                                 .scope = at->scope ? at->scope : s->scope,
                                 .range = s->range,
                                 .place = id,
                                 .is_push = s->role <= REC_SCHEMA_POP,
                                 .is_end = s->role == REC_SCHEMA_POP || s->role == REC_SCHEMA_END};

    half.span.style = SPAN_START_END;
    half.span.range = id;
    if (half.range || half.scope == THREAD || half.scope == INNERMOST) {
        half.scope = 0; /* such halves pair by their id, or within the submitting thread */
    }
    struct deferred_halves *d = s->p->halves;
    *ARRAY_NEW(d->all, d->count, d->capacity) = half;
}

/* Called when the whole payload was read. Hands out the event with the times in its payload, or
 * keeps it if it is one half of a range. `id`: see keep_half. */
static void hand_out(struct submitted *s, uint64_t id) {
    struct span *span = &s->span;
    bool range = s->begin.given && s->end.given;
    const struct stamp *first = s->begin.given ? &s->begin : s->mark.given ? &s->mark : &s->end;
    bool placed = false;
    int64_t start, end;

    if (first->given) {
        if (place(s, first, &start) && (!range || place(s, &s->end, &end))) {
            placed = true;
            span->start = span->end = start;
            span_output_scope(s->p, span, s->scope);
            if (range) {
                span->style = SPAN_START_END;
                span->range = id;
                span->end = end > start ? end : start;
            }
        } else if (s->p->unplaced) {
            ++*s->p->unplaced;
        }
    }
    if (placed && !range && s->role && s->p->halves) {
        keep_half(s, first, id);
    } else {
        s->p->f(s->p->arg, span);
    }
}

/* The role of a schema, if its events are halves of ranges; else 0. */
static uint64_t role_of(const struct span_output *p, uint32_t domain, uint64_t schema) {
    const struct schema *s = schemas_find(&p->process->schemas, domain, schema);
    uint64_t role = s ? s->flags & REC_SCHEMA_ROLE : 0;

    return role >= REC_SCHEMA_PUSH && role <= REC_SCHEMA_END ? role : 0;
}

static void begin_submitted(struct submitted *s, struct span_output *p, const struct record *r,
                            uint32_t tid, int64_t now, uint64_t scope) {
    *s = (struct submitted){
        .p = p, .span = span_output_instant(p, r->domain, 0, tid, now, SPAN_MARK), .scope = scope};
    s->reader = (struct payload_reader){.to = {.arg = s, .value = on_value}, .hidden = true};
}

void deferred_event(struct span_output *p, const struct record *r, uint32_t tid, int64_t now) {
    struct submitted s;
    char *blobs = payload_read(p->recording, r->place, r->size);

    begin_submitted(&s, p, r, tid, now, 0);
    s.span.begin = (struct span_blobs){r->place, r->size};
    if (blobs) {
        struct rec_blob blob;
        for (size_t at = 0; !s.role && payload_blob_next(blobs, r->size, &at, &blob);) {
            s.role = role_of(p, r->domain, blob.schema);
        }
        payload_visit(p->recording, p->process, r->domain, blobs, r->size, "", &s.reader);
    }
    hand_out(&s, r->place);
    free(blobs);
}

/* The size of each event of a batch; 0: the batch cannot be split. */
static uint64_t event_size(const struct span_output *p, uint32_t domain,
                           const struct rec_events *e) {
    const struct schema *s = schemas_find(&p->process->schemas, domain, e->schema);

    return s && !s->enum_size && s->type == REC_SCHEMA_STATIC
               ? payload_type_size(p->process, domain, e->schema)
               : 0;
}

void deferred_events(struct span_output *p, const struct record *r, uint32_t tid, int64_t now) {
    struct rec_events head = {0};
    struct submitted s;

    uint64_t unit = record_body(r, &head, sizeof(head)) ? event_size(p, r->domain, &head) : 0;
    if (!unit || head.events_size < unit || head.events_size > r->size - sizeof(head)) {
        static const char unknown[] = "deferred events";
        begin_submitted(&s, p, r, tid, now, 0);
        s.span.text = string_table_add(&p->recording->source.strings, unknown, sizeof(unknown) - 1);
        p->f(p->arg, &s.span);
        return;
    }
    for (uint64_t at = 0; head.events_size - at >= unit; at += unit) {
        begin_submitted(&s, p, r, tid, now, head.scope);
        s.role = role_of(p, r->domain, head.schema);
        payload_visit_one(p->recording, p->process, r->domain, head.schema,
                          r->body + sizeof(head) + at, (size_t)unit, &s.reader);
        hand_out(&s, r->place + sizeof(head) + at);
    }
}
