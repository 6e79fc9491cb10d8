/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "html_tracks.h"
#include "../base/memory.h"

#include <stdlib.h>
#include <string.h>

struct writer {
    struct html_json json;
    const struct html_collected *c;
    struct html_texts *texts;
};

/* Holes of a process or a track. */
struct holes {
    struct source_hole *all;
    size_t count, room;
};

static void add_hole(void *arg, const struct source_hole *hole)
{
    struct holes *h = arg;

    ARRAY_ADD(h->all, h->count, h->room);
    h->all[h->count++] = *hole;
}

/* Writes the holes of one kind as a list. */
static void list_holes(struct writer *w, const char *name, const struct holes *h,
                       enum source_hole_kind kind)
{
    json_open_list(&w->json, name);
    for (size_t i = 0; i < h->count; i++) {
        const struct source_hole *hole = &h->all[i];
        int64_t from = hole->from < INT64_MAX ? hole->from : w->c->end;
        if (hole->kind != kind) {
            continue;
        }
        fputs(w->json.comma, w->json.out);
        w->json.comma = ",";
        if (kind == SOURCE_GAP) {
            fprintf(w->json.out, "%" PRId64, from);
        } else if (kind == SOURCE_LOSS) {
            fprintf(w->json.out, "[%" PRId64 ",%" PRIu64 "]", from, hole->events);
        } else {
            int64_t to = hole->to < INT64_MAX ? hole->to : w->c->end > from ? w->c->end : from;
            fprintf(w->json.out, "[%" PRId64 ",%" PRId64 "]", from, to);
        }
    }
    json_close_list(&w->json);
}

static void gates(struct writer *w, const struct source_process *p)
{
    struct source *source = w->c->source;
    struct holes h = {0};

    if (source->kind->pauses) {
        source->kind->pauses(source, p, add_hole, &h);
    }
    list_holes(w, "gates", &h, SOURCE_PAUSE);
    free(h.all);
}

static void processes(struct writer *w)
{
    const struct source *source = w->c->source;

    json_open_list(&w->json, "processes");
    for (size_t i = 0; i < source->process_count; i++) {
        const struct source_process *p = &source->processes[i];
        const struct text *exe = texts_at(&source->texts, p->exe);
        json_open_object(&w->json);
        json_number(&w->json, "pid", p->pid);
        json_text(&w->json, "name", exe->bytes, exe->size);
        json_text(&w->json, "host", p->host, strlen(p->host));
        if (p->identity.rank != REC_RANK_NONE) {
            json_number(&w->json, "rank", p->identity.rank);
        }
        gates(w, p);
        json_close_object(&w->json);
    }
    json_close_list(&w->json);
}

/* Writes what a track of a thread lacks. */
static void losses(struct writer *w, const struct html_track *t)
{
    struct source *source = w->c->source;
    struct holes h = {0};

    if (source->kind->holes) {
        source->kind->holes(source, t->process, t->stream, t->tid, add_hole, &h);
    }
    list_holes(w, "losses", &h, SOURCE_LOSS);
    list_holes(w, "gaps", &h, SOURCE_GAP);
    free(h.all);
}

static int64_t thread_number(const struct writer *w, const struct html_track *t)
{
    uint64_t *found = map_find(&w->c->thread_index, (uint64_t)t->process->number << 32 | t->tid);
    return found ? (int64_t)*found : -1;
}

static uint32_t lane(const struct writer *w, const struct html_track *t)
{
    const struct source *source = w->c->source;

    return source->kind->lane ? source->kind->lane(source, t->process, t->stream) : 0;
}

static void tracks(struct writer *w)
{
    json_open_list(&w->json, "tracks");
    for (size_t i = 0; i < w->c->track_count; i++) {
        const struct html_track *t = &w->c->tracks[i];
        json_open_object(&w->json);
        json_number(&w->json, "style", t->style);
        json_number(&w->json, "process", t->process->number);
        json_number(&w->json, "count", t->count);
        if (t->style == SPAN_PUSH_POP) {
            json_number(&w->json, "thread", thread_number(w, t));
            json_number(&w->json, "lane", lane(w, t));
            losses(w, t);
        } else {
            json_number(&w->json, "domain", html_text(w->texts, t->domain_name));
            json_number(&w->json, "name", html_text(w->texts, t->text));
            json_number(&w->json, "unit", html_text(w->texts, t->unit));
        }
        json_close_object(&w->json);
    }
    json_close_list(&w->json);
}

static void threads(struct writer *w)
{
    const struct source *source = w->c->source;

    json_open_list(&w->json, "threads");
    for (size_t i = 0; i < w->c->thread_count; i++) {
        const struct html_thread *t = &w->c->threads[i];
        const struct text *name = texts_at(&source->texts, source_thread(t->process, t->tid));
        json_open_object(&w->json);
        json_number(&w->json, "process", t->process->number);
        json_number(&w->json, "tid", t->tid);
        json_text(&w->json, "name", name->bytes, name->size);
        json_close_object(&w->json);
    }
    json_close_list(&w->json);
}

void html_tracks_write(struct html_json *json, const struct html_collected *c,
                       struct html_texts *texts)
{
    struct writer w = {*json, c, texts};

    processes(&w);
    tracks(&w);
    threads(&w);
    *json = w.json;
}
