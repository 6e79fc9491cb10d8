/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "engine.h"
#include "../util/memory.h"
#include "../analysis/filter.h"
#include "recording_source.h"

#include <stdlib.h>

/* --- spans ------------------------------------------------------------------------------------ */

static uint32_t text_of_number(struct engine *e, uint32_t text) {
    uint64_t *found = text & REC_TEXT_REGISTERED
                          ? map_find(&e->out.process->registered, text & ~REC_TEXT_REGISTERED)
                          : map_find(&e->stream->strings, text);
    if (!found && text) {
        e->out.recording->damage.no_text++;
    }
    return found ? (uint32_t)*found : 0;
}

/* Sets each member by itself, because clearing the whole struct first would take as long as all
 * other work on a range. */
static void set_span(struct engine *e, const struct record *r, int64_t now, enum span_style style,
                     struct span *ret) {
    ret->style = style;
    ret->process = e->out.process->source;
    ret->tid = ret->end_tid = e->cursor.last.tid;
    ret->stream = e->out.stream;
    ret->start = ret->end = now;
    ret->self = ret->busy = ret->inclusive = ret->late = 0;
    ret->is_hidden = false;
    ret->depth = ret->place = 0;
    ret->domain = r->domain;
    ret->domain_name = source_domain(e->out.process->source, r->domain);
    ret->text = text_of_number(e, r->text);
    ret->is_registered = r->text & REC_TEXT_REGISTERED;
    ret->on_gpu = false;
    ret->range = r->range;
    ret->color = r->color;
    ret->category = r->category;
    ret->has_color = r->has_color;
    ret->has_category = r->has_category;
    ret->open = false;
    ret->payload_type = r->payload_type;
    ret->payload = r->payload;
    ret->begin = ret->end_blobs = (struct span_blobs){0};
    span_extended_attach(&e->out, ret);
}

/* --- pushes and pops -------------------------------------------------------------------------- */

static void push_range(struct engine *e, struct nesting *n, const struct record *r, int64_t now) {
    uint32_t i = nesting_new(n);

    set_span(e, r, now, SPAN_PUSH_POP, &n->all[i].span);
    nesting_push(n, i, e->enter, e->out.arg);
}

static void pop(struct engine *e, const struct record *r, int64_t now) {
    struct nesting *n = &e->stream->nest;
    uint32_t i = nesting_pop(n, r->domain, now);
    struct span_blobs payload = e->out.payload;

    e->out.payload = (struct span_blobs){0};
    if (i == NESTING_NONE) {
        e->totals.pops += span_output_is_error(&e->out) && !e->stream->after_gap;
        return;
    }
    struct span *span = &n->all[i].span;
    span->end_blobs = payload;
    span->end = now;
    span_output_kept(&e->out, span);
    nesting_free_push(n, i);
}

/* A pop without an open push in its domain. */
static void no_push(struct engine *e, const struct record *r, int64_t now) {
    struct nesting *n = &e->stream->nest;
    uint32_t i = nesting_no_push(n, now);

    if (i != NESTING_NONE && e->totals.misdirected++ == 0) {
        e->totals.popped_domain = source_domain(e->out.process->source, r->domain);
        e->totals.open_domain = n->all[i].span.domain_name;
    }
}

/* Ends all open pushes of the stream at `at`, or earlier if FORMAT.md has a reason. */
static void close_pushes(struct engine *e, int64_t at) {
    struct nesting *n = &e->stream->nest;
    const uint32_t rows[] = {n->top, n->aside};

    nesting_settle(n, at, true);
    for (size_t k = 0; k < 2; k++) {
        for (uint32_t i = rows[k]; i != NESTING_NONE; i = n->all[i].below) {
            span_totals_open(&e->totals, &n->all[i].span);
            e->totals.cut++;
            span_output_kept(&e->out, &n->all[i].span);
        }
    }
    nesting_clear(n);
}

static void leave_push(void *arg, struct open_push *push) {
    struct engine *e = arg;
    struct engine_process *p = e->process;

    *ARRAY_NEW(p->left, p->left_count, p->left_capacity) =
        (struct left_push){push->span, push->grows, e->stream->nest.top_since};
}

/* The stream's thread has ended. Its open pushes last until the process ends, unless FORMAT.md has
 * a reason why they end earlier. If the stream lost events (`has_lost`), the ends of these pushes
 * may be among them, so the pushes end at the stream's last event. */
static void end_thread(struct engine *e, bool has_lost) {
    struct engine_stream *s = e->stream;

    if (!nesting_is_empty(&s->nest)) {
        nesting_settle(&s->nest, s->last, has_lost);
        nesting_each(&s->nest, leave_push, e);
        nesting_clear(&s->nest);
    }
    e->totals.threads += s->has_events && !s->in_handlers;
    s->has_events = false;
    e->process->last = s->last > e->process->last ? s->last : e->process->last;
    e->out.payload = (struct span_blobs){0};
    s->after_gap = false;
}

/* --- process ranges --------------------------------------------------------------------------- */

static void keep_half(struct engine *e, const struct record *r, int64_t now, bool is_end) {
    struct engine_process *p = e->process;
    uint32_t i = p->free;

    if (i != NESTING_NONE) {
        p->free = p->halves[i].next;
    } else {
        ARRAY_ADD(p->halves, p->half_count, p->half_capacity);
        i = (uint32_t)p->half_count++;
    }
    set_span(e, r, now, SPAN_START_END, &p->halves[i].span);
    p->halves[i].is_end = is_end;
    p->halves[i].used = true;
    map_add(&p->ranges, r->range, i);
}

static void drop_half(struct engine_process *p, uint32_t i) {
    map_remove(&p->ranges, p->halves[i].span.range);
    p->halves[i].used = false;
    p->halves[i].next = p->free;
    p->free = i;
}

/* Either half of a process range may be read first, because threads are read one by one. */
static void on_half(struct engine *e, const struct record *r, int64_t now) {
    struct engine_process *p = e->process;
    bool is_end = r->kind == REC_END;
    uint64_t *found = map_find(&p->ranges, r->range);

    if (!found) {
        keep_half(e, r, now, is_end);
    } else if (p->halves[*found].is_end == is_end) {
        e->totals.ends += is_end; /* ended twice */
        e->out.payload = (struct span_blobs){0};
    } else {
        uint32_t i = (uint32_t)*found;
        struct span this, other = p->halves[i].span;
        set_span(e, r, now, SPAN_START_END, &this);
        const struct span *end = is_end ? &this : &other;
        struct span span = is_end ? other : this;
        span.end = end->start > span.start ? end->start : span.start;
        span.end = gates_cut(e->out.recording, e->out.process, span.start, span.end);
        span.end_tid = end->tid;
        /* If one of both is on a scope's lane, the range goes to the lane of this scope's name at
         * the range's start. If both are on lanes, the scope of the beginning counts. */
        uint32_t lane = span.tid >= SOURCE_LANES ? span.tid : span.end_tid;
        span_output_lane(&e->out, &span, lane >= SOURCE_LANES ? lane - SOURCE_LANES : 0);
        span.end_blobs = end->begin;
        drop_half(p, i);
        span_output_kept(&e->out, &span);
    }
}

/* --- feeding ---------------------------------------------------------------------------------- */

static void on_event(struct engine *e, const struct record *r, int64_t now) {
    if (r->kind == REC_PUSH) {
        push_range(e, &e->stream->nest, r, now);
    } else if (r->kind == REC_POP) {
        pop(e, r, now);
    } else if (r->kind == REC_MARK) {
        struct span span;
        set_span(e, r, now, SPAN_MARK, &span);
        e->out.f(e->out.arg, &span);
    } else if (r->kind == REC_COUNT) {
        span_extended_count(&e->out, r, e->cursor.last.tid, now);
    } else if (record_is_extended(r, REC_EXTENDED_NO_PUSH)) {
        no_push(e, r, now);
    } else if (record_is_extended(r, REC_EXTENDED_ENDED)) {
        close_pushes(e, now);
    } else if (r->kind == REC_EXTENDED) {
        span_extended_record(&e->out, r, e->cursor.last.tid, now);
    } else {
        on_half(e, r, now);
    }
}

static void on_stream_text(struct engine *e, const struct record *r) {
    struct engine_stream *s = e->stream;
    uint32_t text = string_table_add(&e->out.recording->source.strings, r->body, r->size);

    if (e->is_live && e->out.process->info.ring && e->cursor.last.seq != s->strings_seq) {
        map_free(
            &s->strings); /* bounds memory; a chunk of a ring has all strings of its own events */
        s->strings_seq = e->cursor.last.seq;
    }
    *map_add(&s->strings, r->id, text) = text;
}

/* Handles what lies between the previous record and the current one: missing chunks, the end of a
 * thread. */
static inline void pass_borders(struct engine *e) {
    /* If chunks of the stream are missing, the ends of its open pushes may be in them. A later pop
     * without a push is no error then, because its push may be missing, too. */
    if (e->cursor.after_gap) {
        close_pushes(e, e->stream->last);
        e->out.payload = (struct span_blobs){0}; /* the event of this payload is missing */
        e->stream->after_gap = true;
    }
    if (e->cursor.next_thread) {
        end_thread(e, false); /* assumes that the stream's lost events are a later thread's */
        e->stream->after_gap = e->cursor.after_gap; /* the new thread may have begun in the gap */
    }
}

/* Ends open pushes at closing gates up to `ticks`. Returns whether recording was on at `ticks`. */
static inline bool pass_gates(struct engine *e, uint64_t ticks) {
    const struct process *p = e->out.process;
    struct engine_stream *s = e->stream;

    for (; s->gate < p->gate_count && p->gates[s->gate].ticks <= ticks; s->gate++) {
        if (!p->gates[s->gate].open) {
            close_pushes(e, recording_ns(e->out.recording, p, p->gates[s->gate].ticks));
        }
    }
    return gates_open_first(p) != (s->gate & 1); /* opening and closing gates alternate */
}

/* The time of an event. Two events of a stream never get the same time: each is at least 1 ns after
 * `last`, the time of the event before it. */
static inline int64_t time_of(const struct engine *e, uint64_t ticks, int64_t last) {
    int64_t now = recording_ns(e->out.recording, e->out.process, ticks);

    return now > last ? now : last + 1;
}

static void read_records(struct engine *e) {
    struct engine_stream *s = e->stream;
    struct cursor *c = &e->cursor;
    struct record r;

    while (!e->out.recording->source.enough && cursor_next(c, &r)) {
        pass_borders(e);
        if (r.kind == REC_TEXT) {
            on_stream_text(e, &r);
        }
        if (!record_is_of_events(&r) || !pass_gates(e, r.ticks)) {
            continue;
        }
        bool is_event = record_is_event(&r);
        int64_t now = time_of(e, r.ticks, is_event ? s->last : s->last - 1);
        if (is_event) {
            s->last = now;
            s->has_events = true;
            e->totals.events++;
        }
        on_event(e, &r, now);
    }
}

/* Forgets halves of process ranges older than `before`: ends if `ends`, else beginnings. */
static void forget_halves(struct engine_process *p, bool ends, int64_t before) {
    for (uint32_t i = 0; i < p->half_count; i++) {
        if (p->halves[i].used && p->halves[i].is_end == ends && p->halves[i].span.start < before) {
            drop_half(p, i);
        }
    }
}

static void feed_stream(struct engine *e, size_t first, size_t count) {
    struct engine_stream *s = e->stream;
    const struct chunk_ref *chunks = &e->out.recording->chunks[first];

    for (size_t i = 0; i < count; i++) {
        s->has_lost |= chunks[i].dropped > 0;
    }
    e->out.stream = chunks->stream;
    e->out.payload = s->payload;
    cursor_resume(&e->cursor, e->out.recording, first, count, &s->place);
    e->cursor.is_live = e->is_live;
    read_records(e);
    e->bytes += e->cursor.bytes;
    e->missed_bytes += e->cursor.missed;
    e->missed_until =
        e->cursor.missed_until > e->missed_until ? e->cursor.missed_until : e->missed_until;
    cursor_stop(&e->cursor, &s->place);
    s->payload = e->out.payload;
    e->process->last = s->last > e->process->last ? s->last : e->process->last;
}

static const struct engine_process new_process = {
    .streams = NESTING_NONE, .last_stream = NESTING_NONE, .free = NESTING_NONE};

/* A stream of which nothing was read. It uses the memory that `nest` has. */
static struct engine_stream new_stream(const struct engine *e, const struct chunk_ref *ref,
                                       struct nesting nest) {
    nest.filter = e->filter;
    nest.late = e->late;
    nesting_clear(&nest);
    return (struct engine_stream){.process = ref->process,
                                  .stream = ref->stream,
                                  .in_handlers = ref->in_handlers,
                                  .nest = nest,
                                  .last = -1,
                                  .next = NESTING_NONE};
}

/* From now on, records of another process are fed; `p` and `process` both describe it. */
static void use_process(struct engine *e, struct engine_process *p, struct process *process) {
    e->process = p;
    e->out.process = process;
}

/* --- the end ---------------------------------------------------------------------------------- */

/* When the process ended; `now` if its end is not known. Never earlier than its latest event. */
static int64_t end_of_process(const struct engine *e, int64_t now) {
    const struct process *process = e->out.process;
    const struct rec_sample *known = process_end(e->out.recording, process);

    if (known) {
        now = recording_ns(e->out.recording, process, known->ticks);
    }
    return now > e->process->last ? now : e->process->last;
}

/* The span of a push without a pop. If nesting_settle gave it no end, it ends at `end` or, if that
 * is earlier, at the next closing gate. */
static struct span left_span(const struct engine *e, const struct left_push *left, int64_t end) {
    struct span span = left->span;

    span.process = e->out.process->source;
    if (span.end < 0) {
        span.end = gates_cut(e->out.recording, e->out.process, span.start, end);
        const struct nesting n = {.filter = e->filter, .late = e->late};
        nesting_grow(&n, &span, left->grows, left->seen);
    }
    return span;
}

/* The span of a process range without an end, which ends at `end` or at an earlier closing gate. */
static struct span range_span(const struct engine *e, const struct range_half *h, int64_t end) {
    struct span span = h->span;

    span.process = e->out.process->source;
    span.end = gates_cut(e->out.recording, e->out.process, span.start, end);
    span.open = true;
    return span;
}

static void finish_process(struct engine *e) {
    struct engine_process *p = e->process;
    int64_t end = end_of_process(e, p->last);

    for (size_t i = 0; i < p->left_count; i++) {
        struct span span = left_span(e, &p->left[i], end);
        span_totals_open(&e->totals, &span);
        e->totals.cut += span.end < end;
        e->out.f(e->out.arg, &span);
    }
    for (size_t i = 0; i < p->half_count; i++) {
        const struct range_half *h = &p->halves[i];
        if (h->used && h->is_end) {
            e->totals.ends += span_output_is_error(&e->out);
        } else if (h->used) {
            struct span span = range_span(e, h, end);
            span_totals_open(&e->totals, &span);
            e->totals.cut += span.end < end;
            e->out.f(e->out.arg, &span);
        }
    }
    totals_add_losses(&e->totals, e->out.process->info.lost);
}

static void free_process(struct engine_process *p) {
    map_free(&p->ranges);
    free(p->halves);
    free(p->left);
}

static void free_stream(struct engine_stream *s) {
    free(s->place.presets.all);
    map_free(&s->strings);
    nesting_free(&s->nest);
}

void engine_read(struct engine *e, struct recording *r) {
    struct engine_process *p = ARRAY_NEW(e->processes, e->process_count, e->process_capacity);
    struct engine_stream *s = ARRAY_NEW(e->streams, e->stream_count, e->stream_capacity);

    *p = (struct engine_process){0};
    *s = (struct engine_stream){0};
    e->out.recording = r;
    e->stream = s;
    recording_begin_reading(r);
    for (size_t n = 0; n < r->source.process_count && !r->source.enough; n++) {
        free_process(p);
        *p = new_process;
        use_process(e, p, &r->processes[n]);
        for (size_t first = 0, next = 0;
             !r->source.enough && recording_next_stream(r, e->out.process, &first, &next);) {
            free(s->place.presets.all);
            map_free(&s->strings);
            *s = new_stream(e, &r->chunks[first], s->nest);
            totals_add_stream(&e->totals, r, first, next - first);
            feed_stream(e, first, next - first);
            end_thread(e, s->has_lost);
        }
        finish_process(e);
    }
    totals_add_losses(&e->totals, r->header.lost);
}

/* --- live ------------------------------------------------------------------------------------- */

static struct engine_process *find_process(struct engine *e, uint32_t number) {
    uint32_t i = MAP_INTERN(&e->process_index, number, e->processes, e->process_count,
                            e->process_capacity, new_process);
    return &e->processes[i];
}

static struct engine_stream *find_stream(struct engine *e, const struct chunk_ref *ref) {
    struct engine_process *p = e->process;
    uint64_t key = (uint64_t)ref->process << 32 | ref->stream;
    uint32_t i = (uint32_t)*map_add(&e->stream_index, key, e->stream_count);

    if (i == e->stream_count) {
        *ARRAY_NEW(e->streams, e->stream_count, e->stream_capacity) =
            new_stream(e, ref, (struct nesting){0});
        *(p->last_stream == NESTING_NONE ? &p->streams : &e->streams[p->last_stream].next) = i;
        p->last_stream = i;
    }
    return &e->streams[i];
}

/* Calls f for each process, after use_process. */
static void each_process(struct engine *e, void (*f)(struct engine *e, void *arg), void *arg) {
    struct recording *r = e->out.recording;

    for (size_t n = 0; n < r->source.process_count; n++) {
        struct process *process = &r->processes[n];
        use_process(e, find_process(e, r->chunks[process->first_chunk].process), process);
        f(e, arg);
    }
}

static void feed_process(struct engine *e, void *arg) {
    struct recording *r = e->out.recording;

    (void)arg;
    e->process->is_ring = e->out.process->info.ring != 0;
    e->missed_until = 0;
    for (size_t first = 0, next = 0; recording_next_stream(r, e->out.process, &first, &next);) {
        e->stream = find_stream(e, &r->chunks[first]);
        feed_stream(e, first, next - first);
        if (nesting_is_empty(&e->stream->nest)) {
            nesting_free(&e->stream->nest); /* most streams are idle, and need no memory */
        }
    }
    if (e->missed_until) {
        /* the ends of ranges that began earlier may be among the events that were missed */
        forget_halves(e->process, false, recording_ns(r, e->out.process, e->missed_until));
    }
}

void engine_feed(struct engine *e, struct recording *r) {
    e->out.recording = r;
    each_process(e, feed_process, NULL);
}

/* The arguments of engine_open, and the end of one process. */
struct opening {
    struct engine *engine;
    int64_t now, end; /* end: of the process */
    engine_open_function *f;
    void *arg;
};

static void give_open(void *arg, struct open_push *push) {
    struct opening *o = arg;
    struct engine *e = o->engine;
    const struct left_push left = {push->span, push->grows, e->scratch.top_since};
    struct span span = left_span(e, &left, o->end);

    o->f(o->arg, &span, e->stream, push->span.end < 0 && span.end == o->end);
}

static void open_of_stream(struct opening *o) {
    struct engine *e = o->engine;
    struct engine_stream *s = e->stream;

    if (nesting_is_empty(&s->nest)) {
        return;
    }
    nesting_copy(&e->scratch, &s->nest);
    nesting_settle(&e->scratch, s->last, s->has_lost);
    nesting_each(&e->scratch, give_open, o);
}

static void open_of_process(struct engine *e, void *arg) {
    struct opening *o = arg;
    struct engine_process *p = e->process;
    const struct process *process = e->out.process;
    bool is_gone =
        process->known && !process->info.end.ticks && !process_is_alive(e->out.recording, process);
    int64_t last = p->last, end = end_of_process(e, is_gone ? last : o->now);

    p->gone = is_gone ? process->info.pid : 0;
    end = end < o->now ? end : o->now;
    o->end = end > last ? end : last;
    for (uint32_t i = p->streams; i != NESTING_NONE; i = e->streams[i].next) {
        e->stream = &e->streams[i];
        open_of_stream(o);
    }
    for (size_t i = 0; i < p->left_count; i++) {
        struct span span = left_span(e, &p->left[i], o->end);
        o->f(o->arg, &span, NULL, p->left[i].span.end < 0 && span.end == o->end);
    }
    for (size_t i = 0; i < p->half_count; i++) {
        if (p->halves[i].used && !p->halves[i].is_end) {
            struct span span = range_span(e, &p->halves[i], o->end);
            o->f(o->arg, &span, NULL, span.end == o->end);
        }
    }
}

void engine_open(struct engine *e, int64_t now, engine_open_function *f, void *arg) {
    struct opening o = {.engine = e, .now = now, .f = f, .arg = arg};

    each_process(e, open_of_process, &o);
}

void engine_forget_ends(struct engine *e, int64_t before) {
    for (size_t n = 0; n < e->process_count; n++) {
        forget_halves(&e->processes[n], true, before);
    }
}

struct span_totals engine_totals(const struct engine *e) {
    struct span_totals totals = e->totals;

    for (size_t i = 0; i < e->stream_count; i++) {
        const struct engine_stream *s = &e->streams[i];
        totals.threads += s->has_events && !s->in_handlers;
    }
    return totals;
}

void engine_free(struct engine *e) {
    for (size_t i = 0; i < e->process_count; i++) {
        free_process(&e->processes[i]);
    }
    for (size_t i = 0; i < e->stream_count; i++) {
        free_stream(&e->streams[i]);
    }
    free(e->processes);
    free(e->streams);
    map_free(&e->process_index);
    map_free(&e->stream_index);
    cursor_end(&e->cursor);
    nesting_free(&e->scratch);
}
