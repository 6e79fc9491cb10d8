/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "recording_source.h"
#include "engine.h"
#include "span_output.h"
#include "../util/memory.h"
#include "cursor.h"

#include <stdlib.h>
#include <string.h>

/* --- spans, payloads -------------------------------------------------------------------------- */

static void spans(struct source *s, span_function *f, span_enter *enter, void *arg,
                  struct span_totals *ret_totals) {
    struct engine e = {.out = {.f = f, .arg = arg}, .enter = enter, .filter = s->filter};
    struct recording *r = recording_of(s);
    struct damage before = r->damage;

    engine_read(&e, r);
    r->damage = s->is_again ? before : r->damage;
    *ret_totals = e.totals;
    engine_free(&e);
}

static void payload(struct source *s, const struct span *span, struct payload_visitor *v) {
    struct recording *r = recording_of(s);
    const struct process *p = &r->processes[span->process->number];
    const struct span_blobs *both[] = {&span->begin, &span->end_blobs};
    struct payload_reader reader = {.to = *v};

    for (size_t i = 0; i < 2; i++) {
        char *blobs = payload_read(r, both[i]->place, both[i]->size);
        if (blobs) {
            bool is_cut = payload_visit(r, p, span->domain, blobs, both[i]->size,
                                        i ? "end payload" : "payload", &reader);
            r->cut_payloads += is_cut;
            free(blobs);
        }
    }
}

/* Calls f for all entries, except hidden ones, of the schemas that no other schema contains. */
static void fields(struct source *s,
                   void (*f)(void *arg, const char *schema, const char *field, unsigned number),
                   void *arg) {
    const struct recording *r = recording_of(s);

    for (size_t i = 0; i < s->process_count; i++) {
        const struct schemas *schemas = &r->processes[i].schemas;
        for (size_t k = 0; k < schemas->count; k++) {
            const struct schema *schema = &schemas->all[k];
            for (uint32_t e = 0; !schema->inner && !schema->enum_size && e < schema->count; e++) {
                if (!(schema->entries[e].flags & REC_ENTRY_HIDE)) {
                    f(arg, string_table_get(&s->strings, schema->name),
                      string_table_get(&s->strings, schema->entries[e].name), e);
                }
            }
        }
    }
}

/* --- definitions ------------------------------------------------------------------------------ */

struct defining {
    source_definition_function *f;
    void *arg;
};

static void on_record(void *arg, struct recording *r, struct process *p, const struct record *rec) {
    const struct defining *d = arg;
    struct source_definition to = {.process = p->source,
                                   .at = recording_ns(r, p, rec->ticks),
                                   .domain = rec->domain,
                                   .id = rec->id};
    const uint64_t *known = NULL; /* the text of the name, if that was registered */
    struct rec_resource body;
    size_t begin = 0; /* where the name begins in the record's body */

    switch (rec->kind) {
    case REC_DOMAIN:
        to.kind = SOURCE_DOMAIN;
        to.domain = rec->id;
        break;
    case REC_GONE:
        to.kind = SOURCE_DOMAIN_GONE;
        d->f(d->arg, &to);
        return;
    case REC_CATEGORY:
        to.kind = SOURCE_CATEGORY;
        break;
    case REC_THREAD:
        if (rec->domain == REC_THREAD_BY_SYSTEM) {
            return;
        }
        to.kind = SOURCE_THREAD;
        break;
    case REC_RESOURCE:
        if (!record_body(rec, &body, begin = sizeof(body))) {
            return;
        }
        to.kind = SOURCE_RESOURCE;
        known = body.name ? map_find(&p->registered, body.name & ~REC_TEXT_REGISTERED) : NULL;
        to.resource.type = schemas_resource_type(body.type);
        to.resource.identifier = body.identifier;
        break;
    default:
        return;
    }
    to.name = known ? (uint32_t)*known
                    : string_table_add(&r->source.strings, rec->body + begin, rec->size - begin);
    d->f(d->arg, &to);
}

static void definitions(struct source *s, source_definition_function *f, void *arg) {
    struct recording *r = recording_of(s);
    struct damage before = r->damage;

    for (size_t i = 0; i < s->process_count; i++) {
        cursor_definitions(r, &r->processes[i], on_record, &(struct defining){f, arg});
    }
    r->damage = before; /* the same damage was counted when the recording was opened */
}

/* --- holes ------------------------------------------------------------------------------------ */

static void pauses(struct recording *r, const struct process *p, source_hole_function *f,
                   void *arg) {
    struct source_hole pause = {.events = 0};
    bool open = gates_open_first(p);

    for (size_t i = 0; i < p->gate_count; i++) {
        int64_t at = recording_ns(r, p, p->gates[i].ticks);
        if (p->gates[i].open && !open) {
            pause.to = at;
            f(arg, &pause);
        }
        pause.from = at;
        open = p->gates[i].open;
    }
    if (!open && p->gate_count) {
        pause.to = INT64_MAX;
        f(arg, &pause);
    }
}

/* Finds the chunks of a stream: returns the first of *ret_count chunks. */
static const struct chunk_ref *chunks_of(const struct recording *r, const struct process *p,
                                         uint32_t stream, size_t *ret_count) {
    const struct chunk_ref *all = r->chunks; /* sorted by stream */
    size_t end = p->first_chunk + p->chunk_count;
    size_t first = ARRAY_SEARCH(i, p->first_chunk, end, all[i].stream < stream);

    *ret_count = ARRAY_SEARCH(i, first, end, all[i].stream == stream) - first;
    return all + first;
}

/* Several threads may have used the stream, one after the other. A hole at a chunk counts as the
 * hole of the thread that began the chunk. */
static void holes(struct source *s, enum source_hole_kind kind,
                  const struct source_process *process, uint32_t stream, uint32_t tid,
                  source_hole_function *f, void *arg) {
    struct recording *r = recording_of(s);
    const struct process *p = &r->processes[process->number];
    size_t count;
    const struct chunk_ref *refs = chunks_of(r, p, stream, &count);

    if (kind == SOURCE_PAUSE) {
        pauses(r, p, f, arg);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        bool is_gap = refs[i].ring && refs[i].seq != (i ? refs[i - 1].seq + 1 : 0);
        if (refs[i].tid != tid) {
            continue;
        }
        if (kind == SOURCE_GAP && is_gap) {
            f(arg, &(struct source_hole){.from = recording_ns(r, p, refs[i].begun)});
        } else if (kind == SOURCE_LOSS && refs[i].dropped) {
            f(arg, &(struct source_hole){
                       .from = i + 1 < count ? recording_ns(r, p, refs[i + 1].begun) : INT64_MAX,
                       .events = refs[i].dropped});
        }
    }
}

static bool in_handlers(const struct source *s, const struct source_process *process,
                        uint32_t stream) {
    const struct recording *r = recording_of(s);
    size_t count;
    const struct chunk_ref *refs = chunks_of(r, &r->processes[process->number], stream, &count);

    return count && refs[0].in_handlers;
}

/* --- the file --------------------------------------------------------------------------------- */

struct source *recording_source(struct recording *r) {
    r->source.kind = &recording_kind;
    return &r->source;
}

static struct source *open_source(const char *path, struct error *ret_error) {
    struct recording *r = must_alloc(NULL, 1, sizeof(*r));

    if (!recording_open(r, path, ret_error)) {
        free(r);
        return NULL;
    }
    recording_load_switches(r);
    return recording_source(r);
}

static void close_source(struct source *s) {
    struct recording *r = recording_of(s);

    recording_close(r);
    free(r);
}

const struct source_kind recording_kind = {
    .open = open_source,
    .close = close_source,
    .spans = spans,
    .definitions = definitions,
    .payload = payload,
    .fields = fields,
    .holes = holes,
    .in_handlers = in_handlers,
    .notes = recording_notes,
    .damage = recording_damage,
};
