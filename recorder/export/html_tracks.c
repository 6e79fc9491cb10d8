/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "html_tracks.h"
#include "../base/io.h"
#include "../read/registry.h"

#include <string.h>

struct writer {
    struct html_json json;
    const struct html_collected *c;
    struct html_texts *texts;
};

static int64_t process_number(const struct writer *w, const struct process *p)
{
    return p - w->c->recording->processes;
}

static void gates(struct writer *w, const struct process *p)
{
    struct recording *r = w->c->recording;
    bool open = !p->gate_count || !p->gates[0].open;
    int64_t closed = 0;

    json_open_list(&w->json, "gates");
    for (size_t i = 0; i < p->gate_count; i++) {
        int64_t at = recording_ns(r, p, p->gates[i].ticks);
        if (p->gates[i].open && !open) {
            fprintf(w->json.out, "%s[%" PRId64 ",%" PRId64 "]", w->json.comma, closed, at);
            w->json.comma = ",";
        }
        closed = at;
        open = p->gates[i].open;
    }
    if (!open && p->gate_count) {
        fprintf(w->json.out, "%s[%" PRId64 ",%" PRId64 "]", w->json.comma, closed,
                w->c->end > closed ? w->c->end : closed);
    }
    json_close_list(&w->json);
}

static void processes(struct writer *w)
{
    const struct recording *r = w->c->recording;

    json_open_list(&w->json, "processes");
    for (size_t i = 0; i < r->process_count; i++) {
        const struct process *p = &r->processes[i];
        const struct text *exe = texts_at(&r->texts, p->exe);
        json_open_object(&w->json);
        json_number(&w->json, "pid", p->info.pid);
        json_text(&w->json, "name", exe->bytes, exe->size);
        json_text(&w->json, "host", p->info.host, strnlen(p->info.host, sizeof(p->info.host)));
        if (p->identity.rank != REC_RANK_NONE) {
            json_number(&w->json, "rank", p->identity.rank);
        }
        gates(w, p);
        json_close_object(&w->json);
    }
    json_close_list(&w->json);
}

static bool is_of(const struct chunk_ref *ref, const struct writer *w, const struct html_track *t)
{
    return ref->process == process_number(w, t->process) && ref->stream == t->stream;
}

/* Finds the chunks of a track's stream: returns the first of *ret_count chunks. Another thread may have begun some of
 * them. */
static const struct chunk_ref *chunks_of(const struct writer *w, const struct html_track *t,
                                         size_t *ret_count)
{
    const struct chunk_ref *all = w->c->recording->chunks;
    size_t low = t->process->first_chunk, end = low + t->process->chunk_count, high = end;

    while (low < high) { /* chunks are sorted by stream */
        size_t middle = low + (high - low) / 2;
        if (all[middle].stream < t->stream) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    for (*ret_count = 0; low + *ret_count < end && is_of(&all[low + *ret_count], w, t);) {
        ++*ret_count;
    }
    return all + low;
}

/* When a chunk was begun: the time of the clock sample in its header, which is more exact than its base. */
static int64_t begun(struct recording *r, const struct process *p, const struct chunk_ref *ref)
{
    struct rec_chunk head;

    return recording_read(r, &head, sizeof(head), ref->offset) == sizeof(head)
               ? recording_ns(r, p, head.sample.ticks)
               : recording_ns(r, p, ref->base);
}

static void losses(struct writer *w, const struct html_track *t)
{
    struct recording *r = w->c->recording;
    size_t count;
    const struct chunk_ref *refs = chunks_of(w, t, &count);

    json_open_list(&w->json, "losses");
    for (size_t i = 0; i < count; i++) {
        if (refs[i].dropped && refs[i].tid == t->tid) {
            int64_t at = i + 1 < count ? begun(r, t->process, &refs[i + 1]) : w->c->end;
            fprintf(w->json.out, "%s[%" PRId64 ",%" PRIu64 "]", w->json.comma, at, refs[i].dropped);
            w->json.comma = ",";
        }
    }
    json_close_list(&w->json);
    json_open_list(&w->json, "gaps");
    for (size_t i = 0; i < count; i++) {
        if (refs[i].ring && refs[i].tid == t->tid && refs[i].seq != (i ? refs[i - 1].seq + 1 : 0)) {
            fprintf(w->json.out, "%s%" PRId64, w->json.comma, begun(r, t->process, &refs[i]));
            w->json.comma = ",";
        }
    }
    json_close_list(&w->json);
}

static int64_t thread_number(const struct writer *w, const struct html_track *t)
{
    uint64_t *found =
        map_find(&w->c->thread_index, (uint64_t)process_number(w, t->process) << 32 | t->tid);
    return found ? (int64_t)*found : -1;
}

static void tracks(struct writer *w)
{
    json_open_list(&w->json, "tracks");
    for (size_t i = 0; i < w->c->track_count; i++) {
        const struct html_track *t = &w->c->tracks[i];
        json_open_object(&w->json);
        json_number(&w->json, "style", t->style);
        json_number(&w->json, "process", process_number(w, t->process));
        json_number(&w->json, "count", t->count);
        if (t->style == SPAN_PUSH_POP) {
            size_t count;
            const struct chunk_ref *refs = chunks_of(w, t, &count);
            json_number(&w->json, "thread", thread_number(w, t));
            json_number(&w->json, "lane", count ? refs[0].lane : 0);
            losses(w, t);
        } else {
            json_number(&w->json, "domain", html_text(w->texts, t->domain_name));
            json_number(&w->json, "name", html_text(w->texts, t->text));
        }
        json_close_object(&w->json);
    }
    json_close_list(&w->json);
}

static void threads(struct writer *w)
{
    const struct recording *r = w->c->recording;

    json_open_list(&w->json, "threads");
    for (size_t i = 0; i < w->c->thread_count; i++) {
        const struct html_thread *t = &w->c->threads[i];
        const struct text *name = texts_at(&r->texts, registry_thread(t->process, t->tid));
        json_open_object(&w->json);
        json_number(&w->json, "process", process_number(w, t->process));
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
