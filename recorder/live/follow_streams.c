/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "follow_streams.h"
#include "follow_ring.h"
#include "follow_rows.h"
#include "../base/memory.h"
#include "../read/gates.h"
#include "../read/registry.h"
#include "../spans/span_extended.h"
#include "../spans/totals.h"
#include "../spans/value.h"

#include <string.h>

/* The state of a look. */
struct reading {
    struct follow *follow;
    struct recording *recording;
    struct process *process;
    struct follow_stream *stream;
    int64_t missed_until; /* end of the process's last missed events; 0: none missed */
};

static uint32_t own_text(struct follow *f, const struct recording *r, uint32_t number)
{
    const struct text *text = texts_at(&r->texts, number);
    return follow_text(f, text->bytes, text->size);
}

static void categorize(const struct reading *g, struct follow_key *key, uint32_t domain,
                       uint32_t category)
{
    key->has_category = true;
    key->category = category;
    key->category_name =
        own_text(g->follow, g->recording, registry_category(g->process, domain, category));
}

static uint32_t row_of(struct reading *g, const struct record *rec, enum span_style style)
{
    struct follow *f = g->follow;
    uint32_t domain = own_text(f, g->recording, registry_domain(g->process, rec->domain)), text = 0;

    if (rec->text & REC_TEXT_REGISTERED) {
        uint64_t *found = map_find(&g->process->registered, rec->text & ~REC_TEXT_REGISTERED);
        text = found ? own_text(f, g->recording, (uint32_t)*found) : 0;
    } else {
        uint64_t *found = map_find(&g->stream->texts, rec->text);
        text = found ? (uint32_t)*found : 0;
    }
    if (!text && g->stream->payload.size) {
        struct span_output out = {
            .recording = g->recording, .process = g->process, .payload = g->stream->payload};
        struct span span = span_output_instant(&out, rec->domain, 0, 0, 0, style);
        span_extended_attach(&out, &span);
        text = own_text(f, g->recording, span.text);
    }
    struct follow_key key = {.style = style, .domain_name = domain, .text = text};
    if (f->most && rec->has_category) {
        categorize(g, &key, rec->domain, rec->category);
    }
    uint32_t row = follow_row(f, &key);
    f->rows[row].color = rec->has_color ? rec->color : f->rows[row].color;
    return row;
}

static void open_push(struct reading *g, const struct record *rec, int64_t at)
{
    struct follow_stream *s = g->stream;

    ARRAY_ADD(s->open, s->open_count, s->open_room);
    s->open[s->open_count++] =
        (struct follow_open){row_of(g, rec, SPAN_PUSH_POP), rec->domain, at, 0};
}

/* Self time goes to the innermost range of the thread, whatever its domain. */
static void count_self(struct follow_stream *s, int64_t now)
{
    if (s->open_count) {
        s->open[s->open_count - 1].self += now - s->since;
    }
    s->since = now;
}

static void pop(struct reading *g, const struct record *rec, int64_t at)
{
    struct follow_stream *s = g->stream;

    count_self(s, at);
    for (size_t i = s->open_count; i-- > 0;) {
        if (s->open[i].domain == rec->domain) {
            follow_ended(g->follow, s->open[i].row, s->open[i].start, at, s->open[i].self);
            memmove(&s->open[i], &s->open[i + 1], (s->open_count - i - 1) * sizeof(*s->open));
            s->open_count--;
            return;
        }
    }
}

/* Counts a span from spans/span_extended.c or spans/deferred.c, such as a counter's sample. */
static void other(void *arg, const struct span *span)
{
    struct reading *g = arg;
    struct follow *f = g->follow;
    struct value value = value_of_span(span);
    struct follow_key key = {.style = span->style,
                             .domain_name = own_text(f, g->recording, span->domain_name),
                             .text = own_text(f, g->recording, span->text)};
    if (f->most && span->has_category) {
        categorize(g, &key, span->domain, span->category);
    }
    uint32_t row = follow_row(f, &key);

    f->rows[row].value = value_number(&value);
    follow_ended(f, row, span->start, span->end, 0);
}

static void event(struct reading *g, const struct record *rec)
{
    struct follow_stream *s = g->stream;
    struct follow *f = g->follow;
    struct span_output out = {
        .recording = g->recording, .process = g->process, .f = other, .arg = g};
    int64_t at = recording_ns(g->recording, g->process, rec->ticks);

    at = at > s->last ? at : s->last + 1;
    s->last = at;
    s->events += at >= f->from;
    f->events++;
    f->threads += !s->counted && !s->is_lane;
    s->counted = true;
    switch (rec->kind) {
    case REC_PUSH:
        count_self(s, at);
        open_push(g, rec, at);
        break;
    case REC_POP:
        pop(g, rec, at);
        break;
    case REC_MARK:
        follow_ended(f, row_of(g, rec, SPAN_MARK), at, at, 0);
        break;
    case REC_START:
    case REC_END: {
        bool is_end = rec->kind == REC_END;
        uint32_t row = is_end ? 0 : row_of(g, rec, SPAN_START_END);
        /* Range ids use all 64 bits and leave none for the process's number, so the key is a hash of both. */
        uint64_t key = rec->range ^ s->process * UINT64_C(0x9e3779b97f4a7c15);
        follow_half(f, key, row, at, is_end);
        break;
    }
    case REC_COUNT:
        span_extended_count(&out, rec, s->tid, at);
        break;
    default:
        span_extended_record(&out, rec, s->tid, at);
    }
    s->payload = (struct span_blobs){0};
}

/* Passes the gates up to `ticks`. A gate that closes drops all open ranges. Returns whether the process is recorded
 * after these gates, so that its events count. */
static bool pass_gates(struct reading *g, uint64_t ticks)
{
    struct follow_stream *s = g->stream;
    const struct process *p = g->process;

    for (; s->gate < p->gate_count && p->gates[s->gate].ticks <= ticks; s->gate++) {
        if (!p->gates[s->gate].open) {
            s->open_count = 0;
            follow_drop_halves(g->follow, g->follow->pid,
                               recording_ns(g->recording, p, p->gates[s->gate].ticks));
        }
    }
    return s->gate ? p->gates[s->gate - 1].open : gates_open_first(p);
}

/* Reads a chunk, or what was added to it since the previous look. `is_after`: see follow_missed. */
static void read_chunk(struct reading *g, struct cursor *c, size_t chunk, bool is_after)
{
    struct follow_stream *s = g->stream;
    const struct chunk_ref *ref = &g->recording->chunks[chunk];
    bool resumed = s->begun && ref->seq == s->seq;
    struct record rec;

    if (resumed && s->at >= ref->tentative - REC_CHUNK_HEADER) {
        return;
    }
    cursor_begin(c, g->recording, chunk, 1);
    c->presets = s->presets;
    if (cursor_chunk(c) && follow_is_whole(g->recording, ref)) {
        if (follow_missed(g->follow, s, ref, is_after)) {
            int64_t until = recording_ns(g->recording, g->process, ref->begun);
            g->missed_until = until > g->missed_until ? until : g->missed_until;
        }
        if (!resumed && ref->ring) { /* a chunk of a ring has all texts of its events */
            map_free(&s->texts);
        }
        size_t from = resumed ? s->at : 0, readable = c->used;
        c->used = readable < c->firm ? readable : c->firm;
        if (resumed) {
            c->at = s->at;
            c->base = s->base;
            c->tid = s->tid;
        }
        while (c->at < c->used && cursor_next(c, &rec)) {
            if (c->tid != s->tid) { /* the stream now belongs to another thread */
                s->open_count = 0;
                s->counted = false;
            }
            s->tid = c->tid;
            if (rec.kind == REC_TEXT) {
                *map_add(&s->texts, rec.id, 0) = follow_text(g->follow, rec.body, rec.size);
            } else if (record_is_payload(&rec)) {
                s->payload = (struct span_blobs){rec.place, rec.size};
            } else if (record_is_event(&rec) && pass_gates(g, rec.ticks)) {
                event(g, &rec);
            }
        }
        g->follow->bytes += c->at - from;
        s->begun = true;
        s->tid = c->tid;
        s->seq = ref->seq;
        s->size = ref->size;
        s->at = c->at;
        s->base = c->base;
        s->firm_count = s->open_count;
        c->used = readable;
        while (c->at < c->used && cursor_next(c, &rec) && pass_gates(g, rec.ticks)) {
            open_push(g, &rec, recording_ns(g->recording, g->process, rec.ticks));
        }
    }
    s->presets = c->presets;
    c->presets = (struct presets){0};
}

static struct follow_stream *stream_of(struct follow *f, const struct chunk_ref *ref)
{
    uint64_t key = (uint64_t)ref->process << 32 | ref->stream;
    uint64_t number = *map_add(&f->stream_index, key, f->stream_count);

    if (number == f->stream_count) {
        ARRAY_ADD(f->streams, f->stream_count, f->stream_room);
        f->streams[f->stream_count++] = (struct follow_stream){.process = ref->process,
                                                               .stream = ref->stream,
                                                               .tid = ref->tid,
                                                               .last = -1,
                                                               .is_lane = ref->lane};
    }
    return &f->streams[number];
}

void follow_streams_read(struct follow *f, struct recording *r)
{
    struct reading g = {.follow = f, .recording = r};
    struct cursor c = {0};
    struct span_totals totals = {0};

    f->processes = r->process_count;
    memcpy(f->lost, r->header.lost, sizeof(f->lost));
    for (size_t n = 0; n < r->process_count; n++) {
        g.process = &r->processes[n];
        g.missed_until = 0;
        f->pid = g.process->info.pid;
        f->bound = g.process->bound > f->bound ? g.process->bound : f->bound;
        for (int i = 0; i < REC_LOSS_SIZE; i++) {
            f->lost[i] += g.process->info.lost[i];
        }
        for (size_t first = 0, next = 0; recording_next_stream(r, g.process, &first, &next);) {
            g.stream = stream_of(f, &r->chunks[first]);
            f->stream = (uint32_t)(g.stream - f->streams);
            totals_add_stream(&totals, r, first, next - first);
            if (g.stream->open_count > g.stream->firm_count) { /* tentative pushes are read again */
                g.stream->open_count = g.stream->firm_count;
            }
            for (size_t i = first; i < next; i++) {
                if (!g.stream->begun || r->chunks[i].seq >= g.stream->seq) {
                    const struct chunk_ref *before = &r->chunks[i > first ? i - 1 : i];
                    bool is_after = before->seq == g.stream->seq &&
                                    g.stream->at + REC_CHUNK_HEADER >= before->used;
                    read_chunk(&g, &c, i, is_after);
                }
            }
            pass_gates(&g, UINT64_MAX);
            g.stream->pid = g.process->info.pid;
            g.stream->over = g.process->info.end.ticks
                                 ? recording_ns(r, g.process, g.process->info.end.ticks)
                                 : INT64_MAX;
            g.stream->name = own_text(f, r, registry_thread(g.process, g.stream->tid));
        }
        /* The ends of open ranges may be among the missing records. */
        if (g.missed_until) {
            follow_drop_halves(f, f->pid, g.missed_until);
        }
    }
    cursor_end(&c);
    f->dropped = totals.dropped;
    f->lost[REC_LOSS_SHORT] += totals.lost[REC_LOSS_SHORT];
}
