/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "span_output.h"
#include "../util/memory.h"

#include <stdlib.h>
#include <string.h>

/* A sample of a counter, without its value. */
static struct span counter_span(struct span_output *p, uint32_t domain, uint64_t number,
                                uint32_t tid, int64_t now) {
    const struct counter *c = schemas_counter(&p->process->schemas, domain, number);
    uint32_t text = c ? c->name : 0;
    char unnamed[40];

    if (!text) {
        int n = snprintf(unnamed, sizeof(unnamed), "counter %llu", (unsigned long long)number);
        text = string_table_add(&p->recording->source.strings, unnamed, (size_t)n);
    }
    struct span span = span_output_instant(p, domain, text, tid, now, SPAN_COUNTER);
    span.unit = c ? c->unit : 0;
    return span;
}

void span_extended_count(struct span_output *p, const struct record *r, uint32_t tid, int64_t now) {
    struct span span = counter_span(p, r->domain, r->range, tid, now);

    if (r->payload_type == REC_PAYLOAD_NONE && r->payload != 0) {
        /* no sample was taken: the value is unchanged, or not available */
        return;
    }
    span.payload_type = r->payload_type == REC_PAYLOAD_NONE ? REC_PAYLOAD_I64 : r->payload_type;
    span.payload = r->payload;
    p->f(p->arg, &span);
}

enum { NAME_MOST = 511 }; /* bytes of a name that are copied for each sample or event */

/* A sample while it is read. Each number in a struct or array becomes a counter of its own. */
struct sampling {
    struct span_output *p;
    struct span span;
    char *name;       /* of the counter */
    unsigned element; /* how many numbers were handed out so far */
    struct payload_reader reader;
};

static void sample_value(void *arg, const char *name, const struct value *v) {
    struct sampling *s = arg;
    char full[2 * NAME_MOST + 2];
    struct span span = s->span;

    if (v->kind == VALUE_NOTHING || v->kind == VALUE_TEXT) {
        return;
    }
    static_assert((int)VALUE_REAL == (int)REC_PAYLOAD_F64,
                  "VALUE_* and REC_PAYLOAD_* have the same numbers");
    span.payload_type = (enum rec_payload)v->kind;
    span.payload = v->u; /* the bits, for all kinds of numbers */
    if (s->reader.depth) {
        span.unit = s->reader.entry && s->reader.entry->unit ? s->reader.entry->unit : span.unit;
        s->element++;
        if (*name) {
            snprintf(full, sizeof(full), "%s.%.*s", s->name, NAME_MOST, name);
        } else {
            snprintf(full, sizeof(full), "%s[%u]", s->name, s->element - 1);
        }
        span.text = string_table_add(&s->p->recording->source.strings, full, strlen(full));
    }
    s->p->f(s->p->arg, &span);
}

static void output_sample(struct span_output *p, uint32_t domain, uint64_t number,
                          const char *bytes, size_t size, uint32_t tid, int64_t now) {
    const struct counter *c = schemas_counter(&p->process->schemas, domain, number);
    struct sampling s = {.p = p, .span = counter_span(p, domain, number, tid, now)};
    /* Adding strings may move them, so the name is copied. */
    s.name = must_copy(string_table_get(&p->recording->source.strings, s.span.text), NAME_MOST);
    s.reader = (struct payload_reader){.to = {.arg = &s, .value = sample_value}};

    if (c) {
        payload_visit_one(p->recording, p->process, domain, c->schema, bytes, size, &s.reader);
    }
    free(s.name);
}

/* All samples of a record get the time when they were submitted. */
static void samples(struct span_output *p, const struct record *r, uint32_t tid, int64_t now) {
    uint64_t counter;

    if (!record_body(r, &counter, sizeof(counter))) {
        return;
    }
    const struct counter *c = schemas_counter(&p->process->schemas, r->domain, counter);
    uint64_t left = r->size - sizeof(counter),
             unit = r->id == REC_EXTENDED_SAMPLE ? left
                    : c ? payload_type_size(p->process, r->domain, c->schema)
                        : 0;
    for (const char *at = r->body + sizeof(counter); unit && left >= unit; at += unit) {
        output_sample(p, r->domain, counter, at, (size_t)unit, tid, now);
        left -= unit;
    }
}

static void synchronization(struct span_output *p, const struct record *r, uint32_t tid,
                            int64_t now) {
    static const char *const what[] = {"", "acquire", "failed to acquire", "acquired", "release"};
    uint32_t words[2];
    char text[NAME_MOST + 20];

    if (!record_body(r, words, sizeof(words))) {
        return;
    }
    uint64_t *name = map_find(&p->process->schemas.resources, words[0]);
    snprintf(text, sizeof(text), "%s %.*s", what[words[1] < 5 ? words[1] : 0], NAME_MOST,
             name ? string_table_get(&p->recording->source.strings, (uint32_t)*name) : "?");
    uint32_t number = string_table_add(&p->recording->source.strings, text, strlen(text));
    struct span span = span_output_instant(p, r->domain, number, tid, now, SPAN_MARK);
    p->f(p->arg, &span);
}

/* An event whose payload is searched for a scope, and for a message if the event has none. */
struct messaging {
    struct span_output *p;
    struct span *span;
    struct payload_reader reader;
};

static void message_value(void *arg, const char *name, const struct value *v) {
    struct messaging *m = arg;

    (void)name;
    if (v->is_message && v->kind == VALUE_TEXT && !m->span->text) {
        m->span->text = string_table_add(&m->p->recording->source.strings, v->text, v->size);
    } else if (m->reader.type == REC_TYPE_SCOPE && v->kind == VALUE_UNSIGNED &&
               m->span->style != SPAN_PUSH_POP) {
        const struct schemas *s = &m->p->process->schemas;
        span_output_lane(m->p, m->span, schemas_scope(s, m->span->domain, v->u));
    }
}

void span_extended_attach(struct span_output *p, struct span *span) {
    if (!p->payload.size) {
        return;
    }
    span->begin = p->payload;
    p->payload = (struct span_blobs){0};
    bool scoped = p->process->schemas.scopes.count && span->style != SPAN_PUSH_POP;
    char *blobs = span->text && !scoped
                      ? NULL
                      : payload_read(p->recording, span->begin.place, span->begin.size);
    if (blobs) {
        struct messaging m = {p, span, {.to = {.arg = &m, .value = message_value}, .hidden = true}};
        payload_visit(p->recording, p->process, span->domain, blobs, span->begin.size, "",
                      &m.reader);
        free(blobs);
    }
}

void span_extended_record(struct span_output *p, const struct record *r, uint32_t tid,
                          int64_t now) {
    struct span_blobs blobs = {r->place, r->size};

    switch (r->id) {
    case REC_EXTENDED_PAYLOAD:
        p->payload = blobs;
        break;
    case REC_EXTENDED_SYNC:
        synchronization(p, r, tid, now);
        break;
    case REC_EXTENDED_SAMPLE:
    case REC_EXTENDED_SAMPLES:
        samples(p, r, tid, now);
        break;
    default:
        break;
    }
}
