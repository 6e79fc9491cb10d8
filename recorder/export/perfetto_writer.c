/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "perfetto_writer.h"
#include "labels.h"
#include "../base/memory.h"
#include "../report/utf8.h"

#include <stdlib.h>
#include <string.h>

static char *const names[NAMES] = {"", "payload", "category", "color"};

#define SEQUENCE 1u      /* all packets are one sequence */
#define STATE_CLEARED 1u /* in sequence_flags: earlier interned names are invalid */
#define NEEDS_STATE 2u   /* in sequence_flags: the packet uses interned names */

void perfetto_packet(struct perfetto_writer *w, Perfetto__TracePacket *p)
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

static char *text_copy(const struct perfetto_writer *w, uint32_t text)
{
    const struct text *t = texts_at(&w->source->texts, text);
    return utf8_copy(t->bytes, t->size, NULL);
}

static void describe(struct perfetto_writer *w, Perfetto__TrackDescriptor *track)
{
    Perfetto__TracePacket p = PERFETTO__TRACE_PACKET__INIT;

    track->has_uuid = true;
    p.track_descriptor = track;
    perfetto_packet(w, &p);
}

/* The uuid of a track. If *ret_new, the track is new and the caller must describe it. */
static uint64_t track_of(struct perfetto_writer *w, enum track_kind kind,
                         const struct source_process *p, uint32_t a, uint32_t b, bool *ret_new)
{
    /* The key of a track is interned in steps: (process, kind) -> owner, (owner, a) -> half, (half, b). */
    size_t process = (size_t)(p - w->source->processes);
    uint64_t *owner = map_add(&w->groups, (uint64_t)process << 3 | kind, w->groups.count + 1);
    uint64_t *half = map_add(&w->groups, *owner << 32 | a | UINT64_C(1) << 63, w->groups.count + 1);
    uint64_t key = *half << 32 | b;
    size_t before = w->tracks.count;
    uint64_t uuid = *map_add(&w->tracks, key, before + 1);

    *ret_new = w->tracks.count != before;
    return uuid;
}

static uint64_t process_track(struct perfetto_writer *w, const struct source_process *p)
{
    Perfetto__TrackDescriptor track = PERFETTO__TRACK_DESCRIPTOR__INIT;
    Perfetto__ProcessDescriptor process = PERFETTO__PROCESS_DESCRIPTOR__INIT;
    bool is_new;

    track.uuid = track_of(w, TRACK_PROCESS, p, 0, 0, &is_new);
    if (is_new) {
        size_t size;
        char *full = label_process(w->source, p, &size);
        char *slash = strrchr(full, '/');
        char *base = slash ? slash + 1 : full;
        char *name = utf8_copy(base, strlen(base), NULL);
        process.has_pid = true;
        process.pid = (int32_t)label_pid(p);
        process.process_name = name;
        track.process = &process;
        describe(w, &track);
        free(name);
        free(full);
    }
    return track.uuid;
}

uint64_t perfetto_thread(struct perfetto_writer *w, const struct source_process *p, uint32_t tid)
{
    Perfetto__TrackDescriptor track = PERFETTO__TRACK_DESCRIPTOR__INIT;
    Perfetto__ThreadDescriptor thread = PERFETTO__THREAD_DESCRIPTOR__INIT;
    uint64_t parent = process_track(w, p);
    bool is_new;

    track.uuid = track_of(w, TRACK_THREAD, p, tid, 0, &is_new);
    if (is_new) {
        uint32_t given = source_thread(p, tid);
        thread.has_pid = thread.has_tid = true;
        thread.pid = (int32_t)label_pid(p);
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

uint64_t perfetto_track(struct perfetto_writer *w, enum track_kind kind, const struct span *s,
                        uint32_t number)
{
    Perfetto__TrackDescriptor track = PERFETTO__TRACK_DESCRIPTOR__INIT;
    Perfetto__CounterDescriptor counter = PERFETTO__COUNTER_DESCRIPTOR__INIT;
    static const char *const kinds[] = {"", "", "overlapping ranges", "process ranges", ""};
    const struct source_process *p = s->process;
    bool of_thread = kind == TRACK_OVERLAP, is_new; /* overlapping ranges may be of any domain */
    uint64_t parent = of_thread ? perfetto_thread(w, p, s->tid) : process_track(w, p);
    uint32_t shown = of_thread ? 0 : s->domain_name;

    track.uuid = track_of(w, kind, p, of_thread ? s->tid : shown,
                          kind == TRACK_COUNTER ? s->text : number, &is_new);
    if (is_new) {
        char *domain = text_copy(w, shown);
        char *name = kind == TRACK_COUNTER ? text_copy(w, s->text) : NULL;
        const char *what = name ? name : kinds[kind];
        size_t size = strlen(domain) + strlen(what) + 3;
        track.name = must_alloc(NULL, size, 1);
        snprintf(track.name, size, "%s%s%s", domain, *domain ? (name ? ":" : ": ") : "", what);
        track.has_parent_uuid = true;
        track.parent_uuid = parent;
        track.counter = name ? &counter : NULL;
        counter.unit_name = name && s->unit ? text_copy(w, s->unit) : NULL;
        describe(w, &track);
        free(counter.unit_name);
        free(track.name);
        free(name);
        free(domain);
    }
    return track.uuid;
}

uint64_t perfetto_group(struct perfetto_writer *w, const struct span *s)
{
    bool ignored;
    return track_of(w, TRACK_RANGES, s->process, s->domain_name, UINT32_MAX, &ignored);
}

void perfetto_intern(struct perfetto_writer *w, const struct span *s)
{
    Perfetto__TracePacket p = PERFETTO__TRACE_PACKET__INIT;
    Perfetto__InternedData data = PERFETTO__INTERNED_DATA__INIT;
    Perfetto__EventName message = PERFETTO__EVENT_NAME__INIT, *one_message = &message;
    Perfetto__EventCategory domain = PERFETTO__EVENT_CATEGORY__INIT, *one_domain = &domain;

    if (!map_find(&w->messages, s->text)) {
        map_add(&w->messages, s->text, 1);
        message.has_iid = true;
        message.iid = s->text + 1;
        const struct text *name = label_event(w->source, s);
        message.name = utf8_copy(name->bytes, name->size, NULL);
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
        perfetto_packet(w, &p);
        free(message.name);
        free(domain.name);
    }
}

void perfetto_intern_all(struct perfetto_writer *w)
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
    perfetto_packet(w, &p);
}

void perfetto_free(struct perfetto_writer *w)
{
    viewer_rows_free(&w->threads);
    viewer_rows_free(&w->ranges);
    map_free(&w->tracks);
    map_free(&w->messages);
    map_free(&w->domains);
    map_free(&w->groups);
    free(w->ends.all);
    free(w->buffer);
}
