/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Perfetto's trace format: packets of TrackEvents, those of spans in order of time. */
#include "export.h"
#include "../analysis/name.h"
#include "quote.h"
#include "../format/create.h"
#include "../util/memory.h"

#include "perfetto.pb-c.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Perfetto refers to an interned text by a number, its iid. These are the iids of the names of
 * annotations. The iid of a message or domain is 1 + its number in source.strings. */
enum { NAME_PAYLOAD = 1, NAME_CATEGORY, NAME_COLOR, NAMES };

/* TRACK_OVERLAP: push/pop ranges that do not nest in other ranges of their thread. TRACK_RANGES:
 * process ranges. TRACK_STATE: when a thread had a processor. */
enum track_kind {
    TRACK_PROCESS,
    TRACK_THREAD,
    TRACK_OVERLAP,
    TRACK_STATE,
    TRACK_RANGES,
    TRACK_COUNTER
};

struct writer {
    struct source *source;
    FILE *out;
    struct map tracks;                  /* key (see track_of) -> uuid */
    struct map messages;                /* the strings that were interned as names of events */
    struct map domains;                 /* the strings that were interned as categories of events */
    struct map groups;                  /* pair of numbers -> number, for keys of `tracks` */
    struct viewer_rows threads, ranges; /* rows of push/pop ranges; of process ranges */
    struct heap ends;                   /* when open ranges end, and on which track */
    /* For an open process range that another thread will end: uuid of the range's track -> uuid of
     * that thread's track << 32 | message. */
    struct map arrows;
    uint8_t *buffer; /* for one packet */
    size_t buffer_size;
    bool begun; /* at least one packet was written */
};

/* --- packets, tracks and interned names ------------------------------------------------------- */

static char *const names[NAMES] = {"", "payload", "category", "color"};

#define SEQUENCE 1u      /* all packets are one sequence */
#define STATE_CLEARED 1u /* in sequence_flags: earlier interned names are invalid */
#define NEEDS_STATE 2u   /* in sequence_flags: the packet uses interned names */

static void write_packet(struct writer *w, Perfetto__TracePacket *p) {
    uint8_t head[12] = {0x0a}; /* the field Trace.packet; its length follows */
    size_t n = 1;

    p->trusted_packet_sequence_id = SEQUENCE;
    p->sequence_flags = w->begun ? NEEDS_STATE : NEEDS_STATE | STATE_CLEARED;
    w->begun = true;
    size_t size = perfetto__trace_packet__get_packed_size(p);
    for (size_t left = size; n == 1 || left; left >>= 7) {
        head[n++] = (uint8_t)((left & 0x7f) | (left > 0x7f ? 0x80 : 0));
    }
    if (size > w->buffer_size) {
        w->buffer_size = 2 * size;
        w->buffer = must_alloc(w->buffer, w->buffer_size, 1);
    }
    perfetto__trace_packet__pack(p, w->buffer);
    fwrite(head, 1, n, w->out);
    fwrite(w->buffer, 1, size, w->out);
}

static char *text_copy(const struct writer *w, uint32_t text) {
    const struct str *t = string_table_at(&w->source->strings, text);
    return utf8_copy(t->bytes, t->size, NULL);
}

static void describe_track(struct writer *w, Perfetto__TrackDescriptor *track) {
    Perfetto__TracePacket p = PERFETTO__TRACE_PACKET__INIT;

    p.track_descriptor = track;
    write_packet(w, &p);
}

/* The uuid of a track of process `p`. `a` and `b` tell apart its tracks of the same kind. If
 * *ret_new, the track is new, and the caller must describe it. */
static uint64_t track_of(struct writer *w, enum track_kind kind, const struct source_process *p,
                         uint32_t a, uint32_t b, bool *ret_new) {
    /* Two steps turn pairs into numbers: (process, kind) -> owner, (owner, a) -> half. The key is
     * the pair (half, b). */
    uint64_t *owner = map_add(&w->groups, (uint64_t)p->number << 3 | kind, w->groups.count + 1);
    uint64_t *half = map_add(&w->groups, *owner << 32 | a | UINT64_C(1) << 63, w->groups.count + 1);
    uint64_t key = *half << 32 | b;
    size_t before = w->tracks.count;
    uint64_t uuid = *map_add(&w->tracks, key, before + 1);

    *ret_new = w->tracks.count != before;
    return uuid;
}

static uint64_t process_track(struct writer *w, const struct source_process *p) {
    Perfetto__TrackDescriptor track = PERFETTO__TRACK_DESCRIPTOR__INIT;
    Perfetto__ProcessDescriptor process = PERFETTO__PROCESS_DESCRIPTOR__INIT;
    bool is_new;

    track.uuid = track_of(w, TRACK_PROCESS, p, 0, 0, &is_new);
    if (is_new) {
        char *full = name_of_process(w->source, p);
        const char *base = path_base(full);
        char *name = utf8_copy(base, strlen(base), NULL);
        process.pid = (int32_t)name_pid(p);
        process.process_name = name;
        track.process = &process;
        describe_track(w, &track);
        free(name);
        free(full);
    }
    return track.uuid;
}

static void write_state(void *arg, const struct span *s);

/* The uuid of a thread's track. The first time, writes a description of the track, and the thread's
 * states. */
static uint64_t thread_track(struct writer *w, const struct source_process *p, uint32_t tid) {
    Perfetto__TrackDescriptor track = PERFETTO__TRACK_DESCRIPTOR__INIT;
    Perfetto__ThreadDescriptor thread = PERFETTO__THREAD_DESCRIPTOR__INIT;
    uint64_t parent = process_track(w, p);
    bool is_new;

    track.uuid = track_of(w, TRACK_THREAD, p, tid, 0, &is_new);
    if (is_new) {
        uint32_t given = source_thread(p, tid);
        thread.pid = (int32_t)name_pid(p);
        thread.tid = (int32_t)tid;
        thread.thread_name = given ? text_copy(w, given) : NULL;
        track.thread = &thread;
        track.has_parent_uuid = true;
        track.parent_uuid = parent;
        describe_track(w, &track);
        free(thread.thread_name);
        spans_of_switches(w->source, p, tid, write_state, w);
    }
    return track.uuid;
}

/* Like thread_track, for a track of another kind. It has a name, and a thread's or process's track
 * as its parent. A track of ranges is one row of a viewer: `number` is the number of this row. */
static uint64_t named_track(struct writer *w, enum track_kind kind, const struct span *s,
                            uint32_t number) {
    Perfetto__TrackDescriptor track = PERFETTO__TRACK_DESCRIPTOR__INIT;
    Perfetto__CounterDescriptor counter = PERFETTO__COUNTER_DESCRIPTOR__INIT;
    static const char *const kinds[] = {"", "", "overlapping ranges", "state", "process ranges",
                                        ""};
    const struct source_process *p = s->process;
    bool of_thread = kind < TRACK_RANGES, is_new; /* an overlap track shows all domains */
    uint64_t parent = of_thread ? thread_track(w, p, s->tid) : process_track(w, p);
    uint32_t shown = of_thread ? 0 : s->domain_name;

    track.uuid = track_of(w, kind, p, of_thread ? s->tid : shown,
                          kind == TRACK_COUNTER ? s->text : number, &is_new);
    if (is_new) {
        char *domain = text_copy(w, shown);
        char *name = kind == TRACK_COUNTER ? text_copy(w, s->text) : NULL;
        const char *what = name ? name : kinds[kind];
        track.name = must_print("%s%s%s", domain, *domain ? (name ? ":" : ": ") : "", what);
        track.has_parent_uuid = true;
        track.parent_uuid = parent;
        track.counter = name ? &counter : NULL;
        counter.unit_name = name && s->unit ? text_copy(w, s->unit) : NULL;
        describe_track(w, &track);
        free(counter.unit_name);
        free(track.name);
        free(name);
        free(domain);
    }
    return track.uuid;
}

/* Interns the message and the domain of an event, if they are new. */
static void intern_names(struct writer *w, const struct span *s) {
    Perfetto__TracePacket p = PERFETTO__TRACE_PACKET__INIT;
    Perfetto__InternedData data = PERFETTO__INTERNED_DATA__INIT;
    Perfetto__EventName message = PERFETTO__EVENT_NAME__INIT, *one_message = &message;
    Perfetto__EventCategory domain = PERFETTO__EVENT_CATEGORY__INIT, *one_domain = &domain;

    if (!map_find(&w->messages, s->text)) {
        map_add(&w->messages, s->text, 1);
        message.iid = s->text + 1;
        const struct str *name = name_of_event(w->source, s);
        message.name = utf8_copy(name->bytes, name->size, NULL);
        data.n_event_names = 1;
        data.event_names = &one_message;
    }
    if (s->domain_name && !map_find(&w->domains, s->domain_name)) {
        map_add(&w->domains, s->domain_name, 1);
        domain.iid = s->domain_name + 1;
        domain.name = text_copy(w, s->domain_name);
        data.n_event_categories = 1;
        data.event_categories = &one_domain;
    }
    if (data.n_event_names || data.n_event_categories) {
        p.interned_data = &data;
        write_packet(w, &p);
        free(message.name);
        free(domain.name);
    }
}

static void intern_annotations(struct writer *w) {
    Perfetto__TracePacket p = PERFETTO__TRACE_PACKET__INIT;
    Perfetto__InternedData data = PERFETTO__INTERNED_DATA__INIT;
    Perfetto__DebugAnnotationName all[NAMES], *pointers[NAMES];

    for (size_t i = 1; i < NAMES; i++) {
        perfetto__debug_annotation_name__init(&all[i]);
        all[i].iid = i;
        all[i].name = names[i];
        pointers[i] = &all[i];
    }
    data.n_debug_annotation_names = NAMES - 1;
    data.debug_annotation_names = pointers + 1;
    p.interned_data = &data;
    write_packet(w, &p);
}

/* --- events ----------------------------------------------------------------------------------- */

#define ANNOTATIONS 100 /* of one event, at most */

static void set_number(Perfetto__DebugAnnotation *a, const struct value *v) {
    a->has_uint_value = v->kind == VALUE_UNSIGNED;
    a->uint_value = v->u;
    a->has_int_value = v->kind == VALUE_SIGNED;
    a->int_value = v->i;
    a->has_double_value = v->kind == VALUE_REAL;
    a->double_value = v->d;
}

struct annotations {
    Perfetto__DebugAnnotation all[ANNOTATIONS], *pointers[ANNOTATIONS];
    size_t count;
    struct unique_names names; /* of the annotations that are fields of payloads */
};

/* Adds an annotation. `name`: NAME_PAYLOAD or the like; 0: the caller sets new->name. */
static Perfetto__DebugAnnotation *annotation(struct annotations *a, uint64_t name) {
    Perfetto__DebugAnnotation *new = a->pointers[a->count] = &a->all[a->count];

    a->count++;
    perfetto__debug_annotation__init(new);
    new->has_name_iid = name > 0;
    new->name_iid = name;
    return new;
}

static void field(void *arg, const char *path, const struct value *v) {
    struct annotations *a = arg;
    char name[1100];

    if (a->count == ANNOTATIONS || v->kind == VALUE_NOTHING) {
        return;
    }
    Perfetto__DebugAnnotation *new = annotation(a, 0);
    snprintf(name, sizeof(name), "%s%s", strcmp(path, "payload") ? "payload." : "", path);
    const char *unique = unique_name(&a->names, 0, name);
    new->name = utf8_copy(unique, strlen(unique), NULL);
    new->string_value = v->kind == VALUE_TEXT ? utf8_copy(v->text, v->size, NULL) : NULL;
    set_number(new, v);
}

static void event(struct writer *w, int64_t time, Perfetto__TrackEvent *e, int type,
                  uint64_t track) {
    Perfetto__TracePacket p = PERFETTO__TRACE_PACKET__INIT;

    e->type = (Perfetto__TrackEvent__Type)type;
    e->track_uuid = track;
    p.has_timestamp = true;
    p.timestamp = (uint64_t)time;
    p.track_event = e;
    write_packet(w, &p);
}

/* Writes a mark, or the beginning of a range, with its annotations. */
static void begin_event(struct writer *w, const struct span *s, int type, uint64_t track) {
    Perfetto__TrackEvent e = PERFETTO__TRACK_EVENT__INIT;
    struct annotations a; /* not set to zero, since it is large */
    uint64_t domain = s->domain_name + 1;
    char color[16];
    char *category = NULL;

    a.count = 0;
    a.names = (struct unique_names){0};
    if (s->payload_type) {
        struct value value = value_of_span(s);
        Perfetto__DebugAnnotation *new = annotation(&a, NAME_PAYLOAD);
        set_number(new, &value);
    }
    if (s->has_category) {
        Perfetto__DebugAnnotation *new = annotation(&a, NAME_CATEGORY);
        const char *name = name_of_category(w->source, s);
        new->string_value = category = *name ? utf8_copy(name, strlen(name), NULL) : NULL;
        new->has_uint_value = !category;
        new->uint_value = s->category;
    }
    if (s->has_color) {
        Perfetto__DebugAnnotation *new = annotation(&a, NAME_COLOR);
        snprintf(color, sizeof(color), "#%08x", s->color);
        new->string_value = color;
    }
    size_t fields = a.count;
    if (s->payload_type && (s->begin.size || s->end_blobs.size)) {
        unique_name(&a.names, 0, "payload");
    }
    payload_each(w->source, s, field, &a);
    unique_names_free(&a.names);
    e.debug_annotations = a.pointers;
    e.n_debug_annotations = a.count;
    intern_names(w, s);
    e.has_name_iid = true;
    e.name_iid = s->text + 1;
    e.n_category_iids = s->domain_name ? 1 : 0;
    e.category_iids = &domain;
    e.n_flow_ids = s->style == SPAN_START_END && map_find(&w->arrows, track) ? 1 : 0;
    e.flow_ids = &track;
    event(w, s->start, &e, type, track);
    free(category);
    for (size_t i = fields; i < a.count; i++) {
        free(a.all[i].name);
        free(a.all[i].string_value);
    }
}

static void write_sample(struct writer *w, const struct span *s) {
    Perfetto__TrackEvent e = PERFETTO__TRACK_EVENT__INIT;
    struct value value = value_of_span(s);

    e.has_counter_value =
        value.kind == VALUE_SIGNED || (value.kind == VALUE_UNSIGNED && value.u <= INT64_MAX);
    e.counter_value = value.kind == VALUE_SIGNED ? value.i : (int64_t)value.u;
    e.has_double_counter_value = !e.has_counter_value;
    e.double_counter_value = value.kind == VALUE_REAL ? value.d : (double)value.u;
    event(w, s->start, &e, PERFETTO__TRACK_EVENT__TYPE__TYPE_COUNTER,
          named_track(w, TRACK_COUNTER, s, 0));
}

/* For a range that one thread starts and another ends: writes its start or, if `is_end`, its end as
 * an instant on `track`, the track of the thread that does it. A flow (an arrow in Perfetto)
 * leads from the start through the range to the end. Its id, `flow`: uuid of the range's track. */
static void write_arrow(struct writer *w, int64_t time, uint32_t message, bool is_end,
                        uint64_t track, uint64_t flow) {
    Perfetto__TrackEvent e = PERFETTO__TRACK_EVENT__INIT;
    const struct str *name = name_of_event(w->source, &(struct span){.text = message});
    char *text = must_print("%s %s", name->bytes, is_end ? "ends" : "starts");

    e.name = utf8_copy(text, strlen(text), NULL);
    e.flow_ids = e.terminating_flow_ids = &flow;
    e.n_flow_ids = !is_end;
    e.n_terminating_flow_ids = is_end;
    event(w, time, &e, PERFETTO__TRACK_EVENT__TYPE__TYPE_INSTANT, track);
    free(e.name);
    free(text);
}

/* Writes the end of each range that ends at `until` or before. */
static void write_ends(struct writer *w, int64_t until) {
    for (struct heap_entry first; heap_pop(&w->ends, until, &first);) {
        Perfetto__TrackEvent e = PERFETTO__TRACK_EVENT__INIT;
        event(w, first.key, &e, PERFETTO__TRACK_EVENT__TYPE__TYPE_SLICE_END, first.number);
        const uint64_t *arrow = map_find(&w->arrows, first.number);
        if (arrow) {
            write_arrow(w, first.key, (uint32_t)*arrow, true, *arrow >> 32, first.number);
            map_remove(&w->arrows, first.number);
        }
    }
}

static void write_span(void *arg, const struct span *s) {
    struct writer *w = arg;

    write_ends(w, s->start);
    if (s->style == SPAN_COUNTER) {
        write_sample(w, s);
        return;
    }
    if (s->style == SPAN_MARK) {
        begin_event(w, s, PERFETTO__TRACK_EVENT__TYPE__TYPE_INSTANT,
                    thread_track(w, s->process, s->tid));
        return;
    }
    uint64_t track;
    if (s->style == SPAN_START_END && s->tid < SOURCE_LANES) {
        bool ignored; /* `group` is the key of a process and domain in w->ranges */
        uint64_t group =
            track_of(w, TRACK_RANGES, s->process, s->domain_name, UINT32_MAX, &ignored);
        track = named_track(w, TRACK_RANGES, s, viewer_rows_empty(&w->ranges, group, s));
        if (s->end_tid != s->tid) {
            map_add(&w->arrows, track, thread_track(w, s->process, s->end_tid) << 32 | s->text);
            write_arrow(w, s->start, s->text, false, thread_track(w, s->process, s->tid), track);
        }
    } else {
        track = thread_track(w, s->process, s->tid);
        for (uint32_t i = 0; !viewer_rows_nests(&w->threads, track, s); i++) {
            track = named_track(w, TRACK_OVERLAP, s, i);
        }
    }
    begin_event(w, s, PERFETTO__TRACK_EVENT__TYPE__TYPE_SLICE_BEGIN, track);
    heap_add(&w->ends, (struct heap_entry){.key = s->end, .number = track});
}

/* Writes whether a thread had a processor. */
static void write_state(void *arg, const struct span *s) {
    static const char *const states[] = {"Blocked", "Preempted", "", "Running"};
    struct writer *w = arg;
    Perfetto__TrackEvent end = PERFETTO__TRACK_EVENT__INIT;
    uint64_t track = named_track(w, TRACK_STATE, s, 0);
    struct span named = *s;

    named.text = string_table_add(&w->source->strings, states[s->place], strlen(states[s->place]));
    begin_event(w, &named, PERFETTO__TRACK_EVENT__TYPE__TYPE_SLICE_BEGIN, track);
    event(w, s->end, &end, PERFETTO__TRACK_EVENT__TYPE__TYPE_SLICE_END, track);
}

/* Writes an instant with the name of a stream, a device or the like on the track of its process. */
static void resource(void *arg, const struct source_definition *d) {
    struct writer *w = arg;
    Perfetto__TrackEvent e = PERFETTO__TRACK_EVENT__INIT;

    if (d->kind != SOURCE_RESOURCE) {
        return;
    }
    char *line = must_print("%s 0x%" PRIx64 ": %s", d->resource.type, d->resource.identifier,
                            string_table_get(&w->source->strings, d->name));
    e.name = utf8_copy(line, strlen(line), NULL);
    event(w, d->at, &e, PERFETTO__TRACK_EVENT__TYPE__TYPE_INSTANT, process_track(w, d->process));
    free(e.name);
    free(line);
}

bool export_perfetto(const struct export_job *job, struct error *ret_error) {
    struct source *source = job->source;
    struct writer w = {.source = source, .out = job->out};

    intern_annotations(&w);
    for (size_t i = 0; i < source->process_count; i++) {
        const struct source_process *p = &source->processes[i];
        for (size_t k = 0; k < p->threads.count; k++) {
            if (p->threads.all[k].id < SOURCE_LANES) {
                /* a lane's track is described later, with its first span */
                thread_track(&w, p, p->threads.all[k].id);
            }
        }
    }
    if (source->kind->definitions) {
        source->kind->definitions(source, resource, &w);
    }
    bool done = spans_in_order(source, write_span, &w, ret_error);
    write_ends(&w, INT64_MAX);
    viewer_rows_free(&w.threads);
    viewer_rows_free(&w.ranges);
    map_free(&w.tracks);
    map_free(&w.messages);
    map_free(&w.domains);
    map_free(&w.groups);
    map_free(&w.arrows);
    free(w.ends.all);
    free(w.buffer);
    return done;
}
