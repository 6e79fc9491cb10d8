/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Perfetto's trace format: packets of TrackEvents, in order of time. */
#include "export.h"
#include "labels.h"
#include "perfetto_writer.h"
#include "../report/payload_text.h"
#include "../report/utf8.h"
#include "../source/spans.h"

#include <stdlib.h>
#include <string.h>

#define ANNOTATIONS 100 /* of an event, at most */

static void set_number(Perfetto__DebugAnnotation *a, const struct value *v)
{
    a->has_uint_value = v->kind == VALUE_UNSIGNED;
    a->uint_value = v->u;
    a->has_int_value = v->kind == VALUE_SIGNED;
    a->int_value = v->i;
    a->has_double_value = v->kind == VALUE_REAL;
    a->double_value = v->d;
}

/* The annotations of one event. */
struct annotations {
    Perfetto__DebugAnnotation all[ANNOTATIONS], *pointers[ANNOTATIONS];
    size_t count;
};

static Perfetto__DebugAnnotation *add(struct annotations *a)
{
    Perfetto__DebugAnnotation *new = a->pointers[a->count] = &a->all[a->count];

    a->count++;
    perfetto__debug_annotation__init(new);
    return new;
}

/* Adds an annotation with one of the names that perfetto_intern_all has interned. */
static Perfetto__DebugAnnotation *annotation(struct annotations *a, uint64_t name)
{
    Perfetto__DebugAnnotation *new = add(a);

    new->has_name_iid = true;
    new->name_iid = name;
    return new;
}

static void field(void *arg, const char *path, const struct value *v)
{
    struct annotations *a = arg;
    char name[1100];

    if (a->count == ANNOTATIONS || v->kind == VALUE_NOTHING) {
        return;
    }
    Perfetto__DebugAnnotation *new = add(a);
    snprintf(name, sizeof(name), "%s%s", strcmp(path, "payload") ? "payload." : "", path);
    new->name = utf8_copy(name, strlen(name), NULL);
    new->string_value = v->kind == VALUE_TEXT ? utf8_copy(v->text, v->size, NULL) : NULL;
    set_number(new, v);
}

static void event(struct perfetto_writer *w, int64_t time, Perfetto__TrackEvent *e, int type,
                  uint64_t track)
{
    Perfetto__TracePacket p = PERFETTO__TRACE_PACKET__INIT;

    e->has_type = true;
    e->type = (Perfetto__TrackEvent__Type)type;
    e->has_track_uuid = true;
    e->track_uuid = track;
    p.has_timestamp = true;
    p.timestamp = (uint64_t)time;
    p.track_event = e;
    perfetto_packet(w, &p);
}

/* Writes the beginning of a range, or a mark, with its annotations. */
static void begin(struct perfetto_writer *w, const struct span *s, int type, uint64_t track)
{
    Perfetto__TrackEvent e = PERFETTO__TRACK_EVENT__INIT;
    struct annotations a; /* not set to zero, since it is large */
    uint64_t domain = s->domain_name + 1;
    char color[16];
    char *category = NULL;

    a.count = 0;
    if (s->payload_type) {
        struct value value = value_of_span(s);
        Perfetto__DebugAnnotation *new = annotation(&a, NAME_PAYLOAD);
        set_number(new, &value);
    }
    if (s->has_category) {
        Perfetto__DebugAnnotation *new = annotation(&a, NAME_CATEGORY);
        const char *name = label_category(w->source, s);
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
    payload_each(w->source, s, field, &a);
    e.debug_annotations = a.pointers;
    e.n_debug_annotations = a.count;
    perfetto_intern(w, s);
    e.has_name_iid = true;
    e.name_iid = s->text + 1;
    e.n_category_iids = s->domain_name ? 1 : 0;
    e.category_iids = &domain;
    event(w, s->start, &e, type, track);
    free(category);
    for (size_t i = fields; i < a.count; i++) {
        free(a.all[i].name);
        free(a.all[i].string_value);
    }
}

static void count(struct perfetto_writer *w, const struct span *s)
{
    Perfetto__TrackEvent e = PERFETTO__TRACK_EVENT__INIT;
    struct value value = value_of_span(s);

    e.has_counter_value =
        value.kind == VALUE_SIGNED || (value.kind == VALUE_UNSIGNED && value.u <= INT64_MAX);
    e.counter_value = value.kind == VALUE_SIGNED ? value.i : (int64_t)value.u;
    e.has_double_counter_value = !e.has_counter_value;
    e.double_counter_value = value.kind == VALUE_REAL ? value.d : (double)value.u;
    event(w, s->start, &e, PERFETTO__TRACK_EVENT__TYPE__TYPE_COUNTER,
          perfetto_track(w, TRACK_COUNTER, s, 0));
}

/* Writes the end of each range that ends at `until` or before. */
static void write_ends(struct perfetto_writer *w, int64_t until)
{
    while (w->ends.count && w->ends.all[0].end <= until) {
        Perfetto__TrackEvent e = PERFETTO__TRACK_EVENT__INIT;
        struct viewer_busy first = viewer_heap_take(&w->ends);
        event(w, first.end, &e, PERFETTO__TRACK_EVENT__TYPE__TYPE_SLICE_END, first.number);
    }
}

static void one(void *arg, const struct span *s)
{
    struct perfetto_writer *w = arg;

    write_ends(w, s->start);
    if (s->style == SPAN_COUNTER) {
        count(w, s);
        return;
    }
    if (s->style == SPAN_MARK) {
        begin(w, s, PERFETTO__TRACK_EVENT__TYPE__TYPE_INSTANT,
              perfetto_thread(w, s->process, s->tid));
        return;
    }
    uint64_t track;
    if (s->style == SPAN_START_END) {
        track = perfetto_track(w, TRACK_RANGES, s,
                               viewer_rows_empty(&w->ranges, perfetto_group(w, s), s));
    } else {
        track = perfetto_thread(w, s->process, s->tid);
        for (uint32_t i = 0; !viewer_rows_nests(&w->threads, track, s); i++) {
            track = perfetto_track(w, TRACK_OVERLAP, s, i);
        }
    }
    begin(w, s, PERFETTO__TRACK_EVENT__TYPE__TYPE_SLICE_BEGIN, track);
    viewer_heap_add(&w->ends, (struct viewer_busy){s->end, track});
}

bool export_perfetto(const struct export_job *job, struct error *ret_error)
{
    struct source *source = job->source;
    struct perfetto_writer w = {.source = source, .out = job->out};

    perfetto_intern_all(&w);
    for (size_t i = 0; i < source->process_count; i++) {
        for (size_t k = 0; k < source->processes[i].threads.count; k++) {
            perfetto_thread(&w, &source->processes[i], source->processes[i].threads.all[k].id);
        }
    }
    bool done = spans_in_order(source, one, &w, ret_error);
    write_ends(&w, INT64_MAX);
    perfetto_free(&w);
    return done;
}
