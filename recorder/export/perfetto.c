/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Perfetto's trace format: packets of TrackEvents, in order of time. */
#include "export.h"
#include "lanes.h"
#include "../read/names.h"
#include "../text/utf8.h"

#include "perfetto.pb-c.h"

#include <stdlib.h>
#include <string.h>

/* Interned names of what is attached to events; those of messages and domains are their texts. */
enum { NAME_PAYLOAD = 1, NAME_CATEGORY, NAME_COLOR, NAMES };
static char *const names[NAMES] = {"", "payload", "category", "color"};

#define SEQUENCE 1u              /* all packets are one sequence */
#define STATE_CLEARED 1u         /* sequence_flags: interning begins here */
#define NEEDS_STATE 2u           /* and this packet uses it */
#define ANNOTATIONS (NAMES + 16) /* of one event */

/* What tracks belong to. */
enum track_kind { TRACK_PROCESS, TRACK_THREAD, TRACK_OVERLAP, TRACK_RANGES, TRACK_COUNTER };

struct end {
    int64_t time;
    uint64_t track;
};

struct writer {
    struct recording *recording;
    FILE *out;
    struct map tracks;   /* key -> uuid */
    struct map messages; /* texts that have been interned as names of events */
    struct map domains;  /* and as their categories */
    struct map groups;   /* what has process ranges -> its key in lanes */
    struct lanes threads, ranges;
    struct end *ends; /* of open ranges, a heap by time */
    size_t end_count, end_room;
    uint8_t *buffer;
    size_t buffer_size;
    bool begun;
};

static void packet(struct writer *w, Perfetto__TracePacket *p)
{
    uint8_t head[12] = {0x0a}; /* Trace.packet, then its length */
    size_t n = 1;

    p->has_trusted_packet_sequence_id = true;
    p->trusted_packet_sequence_id = SEQUENCE;
    p->has_sequence_flags = true;
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

static char *text_copy(const struct writer *w, uint32_t text)
{
    const struct text *t = text ? &w->recording->texts.all[text] : NULL;
    return utf8_copy(t ? t->bytes : "", t ? t->size : 0, NULL);
}

static void describe(struct writer *w, Perfetto__TrackDescriptor *track)
{
    Perfetto__TracePacket p = PERFETTO__TRACE_PACKET__INIT;

    track->has_uuid = true;
    p.track_descriptor = track;
    packet(w, &p);
}

/* The uuid of a track, and whether it is new and has to be described. */
static uint64_t track_of(struct writer *w, enum track_kind kind, const struct process *p,
                         uint32_t a, uint32_t b, bool *ret_new)
{
    /* One number for all of it: kind and process, then what is special. */
    size_t process = (size_t)(p - w->recording->processes);
    uint64_t *owner = map_add(&w->groups, (uint64_t)process << 3 | kind, w->groups.count + 1);
    uint64_t *half = map_add(&w->groups, *owner << 32 | a | UINT64_C(1) << 63, w->groups.count + 1);
    uint64_t key = *half << 32 | b;
    size_t before = w->tracks.count;
    uint64_t uuid = *map_add(&w->tracks, key, before + 1);

    *ret_new = w->tracks.count != before;
    return uuid;
}

static uint64_t process_track(struct writer *w, const struct process *p)
{
    Perfetto__TrackDescriptor track = PERFETTO__TRACK_DESCRIPTOR__INIT;
    Perfetto__ProcessDescriptor process = PERFETTO__PROCESS_DESCRIPTOR__INIT;
    bool is_new;

    track.uuid = track_of(w, TRACK_PROCESS, p, 0, 0, &is_new);
    if (is_new) {
        char *name = text_copy(w, p->exe);
        char *slash = strrchr(name, '/');
        process.has_pid = true;
        process.pid = (int32_t)process_shown(p);
        process.process_name = slash ? slash + 1 : name;
        track.process = &process;
        describe(w, &track);
        free(name);
    }
    return track.uuid;
}

static uint64_t thread_track(struct writer *w, const struct process *p, uint32_t tid)
{
    Perfetto__TrackDescriptor track = PERFETTO__TRACK_DESCRIPTOR__INIT;
    Perfetto__ThreadDescriptor thread = PERFETTO__THREAD_DESCRIPTOR__INIT;
    uint64_t parent = process_track(w, p);
    bool is_new;

    track.uuid = track_of(w, TRACK_THREAD, p, tid, 0, &is_new);
    if (is_new) {
        uint32_t given = names_thread(p, tid);
        thread.has_pid = thread.has_tid = true;
        thread.pid = (int32_t)process_shown(p);
        thread.tid = (int32_t)tid;
        thread.thread_name = given ? text_copy(w, given) : NULL;
        track.thread = &thread;
        track.has_parent_uuid = true;
        track.parent_uuid = parent;
        describe(w, &track);
        free(thread.thread_name);
    }
    return track.uuid;
}

/* A track with a name of its own below that of a thread or process. */
static uint64_t named_track(struct writer *w, enum track_kind kind, const struct span *s,
                            uint32_t number)
{
    Perfetto__TrackDescriptor track = PERFETTO__TRACK_DESCRIPTOR__INIT;
    Perfetto__CounterDescriptor counter = PERFETTO__COUNTER_DESCRIPTOR__INIT;
    static const char *const kinds[] = {"", "", "overlapping ranges", "process ranges", ""};
    uint64_t parent =
        kind == TRACK_OVERLAP ? thread_track(w, s->process, s->tid) : process_track(w, s->process);
    uint32_t second = kind == TRACK_OVERLAP ? s->tid : kind == TRACK_RANGES ? number : s->text;
    uint64_t uuid;
    bool is_new;
    uint32_t first = s->domain_name;

    uuid = track_of(w, kind, s->process, first, second, &is_new);
    if (is_new) {
        char *domain = text_copy(w, s->domain_name);
        char *name = kind == TRACK_COUNTER ? text_copy(w, s->text) : NULL;
        const char *what = name ? name : kinds[kind];
        size_t size = strlen(domain) + strlen(what) + 3;
        track.uuid = uuid;
        track.name = must_alloc(NULL, size, 1);
        snprintf(track.name, size, "%s%s%s", domain, *domain ? (name ? ":" : ": ") : "", what);
        track.has_parent_uuid = true;
        track.parent_uuid = parent;
        track.counter = name ? &counter : NULL;
        describe(w, &track);
        free(track.name);
        free(name);
        free(domain);
    }
    return uuid;
}

static void intern(struct writer *w, const struct span *s)
{
    Perfetto__TracePacket p = PERFETTO__TRACE_PACKET__INIT;
    Perfetto__InternedData data = PERFETTO__INTERNED_DATA__INIT;
    Perfetto__EventName message = PERFETTO__EVENT_NAME__INIT, *one_message = &message;
    Perfetto__EventCategory domain = PERFETTO__EVENT_CATEGORY__INIT, *one_domain = &domain;

    if (!map_find(&w->messages, s->text)) {
        map_add(&w->messages, s->text, 1);
        message.has_iid = true;
        message.iid = s->text + 1;
        message.name = text_copy(w, s->text);
        data.n_event_names = 1;
        data.event_names = &one_message;
    }
    if (s->domain_name && !map_find(&w->domains, s->domain_name)) {
        map_add(&w->domains, s->domain_name, 1);
        domain.has_iid = true;
        domain.iid = s->domain_name + 1;
        domain.name = text_copy(w, s->domain_name);
        data.n_event_categories = 1;
        data.event_categories = &one_domain;
    }
    if (data.n_event_names || data.n_event_categories) {
        p.interned_data = &data;
        packet(w, &p);
        free(message.name);
        free(domain.name);
    }
}

static void intern_names(struct writer *w)
{
    Perfetto__TracePacket p = PERFETTO__TRACE_PACKET__INIT;
    Perfetto__InternedData data = PERFETTO__INTERNED_DATA__INIT;
    Perfetto__DebugAnnotationName all[NAMES], *pointers[NAMES];

    for (size_t i = 1; i < NAMES; i++) {
        perfetto__debug_annotation_name__init(&all[i]);
        all[i].has_iid = true;
        all[i].iid = i;
        all[i].name = names[i];
        pointers[i] = &all[i];
    }
    data.n_debug_annotation_names = NAMES - 1;
    data.debug_annotation_names = pointers + 1;
    p.interned_data = &data;
    packet(w, &p);
}

static void payload(Perfetto__DebugAnnotation *a, const struct span *s)
{
    struct payload_value value = payload_value(s);

    a->has_name_iid = true;
    a->name_iid = NAME_PAYLOAD;
    a->has_uint_value = value.kind == PAYLOAD_UNSIGNED;
    a->uint_value = value.u;
    a->has_int_value = value.kind == PAYLOAD_SIGNED;
    a->int_value = value.i;
    a->has_double_value = value.kind == PAYLOAD_REAL;
    a->double_value = value.d;
}

static void event(struct writer *w, int64_t time, Perfetto__TrackEvent *e, int type, uint64_t track)
{
    Perfetto__TracePacket p = PERFETTO__TRACE_PACKET__INIT;

    e->has_type = true;
    e->type = (Perfetto__TrackEvent__Type)type;
    e->has_track_uuid = true;
    e->track_uuid = track;
    p.has_timestamp = true;
    p.timestamp = (uint64_t)time;
    p.track_event = e;
    packet(w, &p);
}

/* A range's beginning, or a mark, with all that is known of it. */
static void begin(struct writer *w, const struct span *s, int type, uint64_t track)
{
    Perfetto__TrackEvent e = PERFETTO__TRACK_EVENT__INIT;
    Perfetto__DebugAnnotation all[ANNOTATIONS], *pointers[ANNOTATIONS];
    uint64_t domain = s->domain_name + 1;
    char color[16];
    char *category = NULL;

    for (size_t i = 0; i < ANNOTATIONS; i++) {
        perfetto__debug_annotation__init(&all[i]);
        pointers[i] = &all[i];
    }
    e.debug_annotations = pointers;
    if (s->payload_type) {
        payload(&all[e.n_debug_annotations++], s);
    }
    if (s->has_category) {
        Perfetto__DebugAnnotation *a = &all[e.n_debug_annotations++];
        const char *name = category_name(w->recording, s);
        a->has_name_iid = true;
        a->name_iid = NAME_CATEGORY;
        a->string_value = category = *name ? utf8_copy(name, strlen(name), NULL) : NULL;
        a->has_uint_value = !category;
        a->uint_value = s->category;
    }
    if (s->has_color) {
        Perfetto__DebugAnnotation *a = &all[e.n_debug_annotations++];
        snprintf(color, sizeof(color), "#%08x", s->color);
        a->has_name_iid = true;
        a->name_iid = NAME_COLOR;
        a->string_value = color;
    }
    intern(w, s);
    e.has_name_iid = true;
    e.name_iid = s->text + 1;
    e.n_category_iids = s->domain_name ? 1 : 0;
    e.category_iids = &domain;
    event(w, s->start, &e, type, track);
    free(category);
}

static void count(struct writer *w, const struct span *s)
{
    Perfetto__TrackEvent e = PERFETTO__TRACK_EVENT__INIT;
    struct payload_value value = payload_value(s);

    e.has_counter_value =
        value.kind == PAYLOAD_SIGNED || (value.kind == PAYLOAD_UNSIGNED && value.u <= INT64_MAX);
    e.counter_value = value.kind == PAYLOAD_SIGNED ? value.i : (int64_t)value.u;
    e.has_double_counter_value = !e.has_counter_value;
    e.double_counter_value = value.kind == PAYLOAD_REAL ? value.d : (double)value.u;
    event(w, s->start, &e, PERFETTO__TRACK_EVENT__TYPE__TYPE_COUNTER,
          named_track(w, TRACK_COUNTER, s, 0));
}

/* Writes the ends up to a time. */
static void write_ends(struct writer *w, int64_t until)
{
    while (w->end_count && w->ends[0].time <= until) {
        Perfetto__TrackEvent e = PERFETTO__TRACK_EVENT__INIT;
        struct end first = w->ends[0], last = w->ends[--w->end_count];
        size_t i = 0;
        for (size_t next; (next = 2 * i + 1) < w->end_count; i = next) {
            next += next + 1 < w->end_count && w->ends[next + 1].time < w->ends[next].time;
            if (w->ends[next].time >= last.time) {
                break;
            }
            w->ends[i] = w->ends[next];
        }
        w->ends[i] = last;
        event(w, first.time, &e, PERFETTO__TRACK_EVENT__TYPE__TYPE_SLICE_END, first.track);
    }
}

static void add_end(struct writer *w, int64_t time, uint64_t track)
{
    ARRAY_ADD(w->ends, w->end_count, w->end_room);
    size_t i = w->end_count++;
    for (size_t up; i > 0 && w->ends[up = (i - 1) / 2].time > time; i = up) {
        w->ends[i] = w->ends[up];
    }
    w->ends[i] = (struct end){time, track};
}

static void one(void *arg, const struct span *s)
{
    struct writer *w = arg;
    bool ignored;

    write_ends(w, s->start);
    if (s->style == SPAN_COUNTER) {
        count(w, s);
        return;
    }
    if (s->style == SPAN_MARK) {
        begin(w, s, PERFETTO__TRACK_EVENT__TYPE__TYPE_INSTANT, thread_track(w, s->process, s->tid));
        return;
    }
    uint64_t track;
    if (s->style == SPAN_START_END) {
        uint64_t key = track_of(w, TRACK_RANGES, s->process, s->domain_name, UINT32_MAX, &ignored);
        track = named_track(w, TRACK_RANGES, s, lanes_empty(&w->ranges, key, s));
    } else {
        track = thread_track(w, s->process, s->tid);
        if (!lanes_nests(&w->threads, track, s)) {
            track = named_track(w, TRACK_OVERLAP, s, 0);
        }
    }
    begin(w, s, PERFETTO__TRACK_EVENT__TYPE__TYPE_SLICE_BEGIN, track);
    add_end(w, s->end, track);
}

bool export_perfetto(struct recording *r, FILE *out, char *ret_error, size_t error_size)
{
    struct writer w = {.recording = r, .out = out};
    struct span_totals totals;

    intern_names(&w);
    for (size_t i = 0; i < r->process_count; i++) {
        for (size_t k = 0; k < r->processes[i].thread_count; k++) {
            thread_track(&w, &r->processes[i], r->processes[i].threads[k].tid);
        }
    }
    bool done = spans_in_order(r, one, &w, &totals) || export_failed(ret_error, error_size);
    write_ends(&w, INT64_MAX);
    lanes_free(&w.threads);
    lanes_free(&w.ranges);
    map_free(&w.tracks);
    map_free(&w.messages);
    map_free(&w.domains);
    map_free(&w.groups);
    free(w.ends);
    free(w.buffer);
    return done;
}
