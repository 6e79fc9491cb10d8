/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "follow.h"
#include "cursor.h"
#include "recording_source.h"
#include "../format/clock.h"

#include <string.h>

/* Counts processes that are gone but have not written their end. A process may write its end and
 * exit just after the file was read, so it counts only if it was gone in the previous look, too.
 * The program itself does not count: nvtxh record, which waits for it, learns how it ended. */
static void count_gone(struct follow *f) {
    uint32_t gone = 0;

    for (size_t i = 0; i < f->engine.process_count; i++) {
        uint32_t pid = f->engine.processes[i].gone;
        if (pid && pid != f->recording.header.program.pid) {
            f->gone_pid = pid;
            gone++;
        }
    }
    f->gone = gone < f->gone_next ? gone : f->gone_next;
    f->gone_next = gone;
}

static void count_dropped(struct follow *f) {
    const struct recording *r = &f->recording;

    f->dropped = 0;
    for (size_t i = 0; i < r->chunk_count; i++) {
        f->dropped += r->chunks[i].stream ? r->chunks[i].dropped : 0;
    }
}

/* The time just after the last event that was read. */
static int64_t last_event(const struct engine *e) {
    int64_t last = 0;

    for (size_t i = 0; i < e->stream_count; i++) {
        last = e->streams[i].last > last ? e->streams[i].last : last;
    }
    return last + 1;
}

int64_t follow_time(const struct follow *f) {
    uint64_t start = f->recording.header.start.monotonic, now = clock_ns(CLOCK_MONOTONIC);

    return start < now ? (int64_t)(now - start) : 0;
}

/* How many streams were overwritten in rings before any of their chunks was read. A process numbers
 * its streams from 1 on, so each number not seen stands for such a stream. While the process runs,
 * only numbers up to the highest one of the previous look count: newer streams may be empty. */
static uint64_t count_unseen(struct engine *e, bool ended) {
    uint64_t unseen = 0;

    for (size_t n = 0; n < e->process_count; n++) {
        struct engine_process *p = &e->processes[n];
        uint32_t last = ended ? UINT32_MAX : p->highest; /* streams up to this number count */
        uint64_t seen = 0;
        for (uint32_t i = p->streams; i != NESTING_NONE; i = e->streams[i].next) {
            const struct engine_stream *s = &e->streams[i];
            seen += s->stream <= last;
            p->highest = s->stream > p->highest ? s->stream : p->highest;
        }
        last = ended ? p->highest : last;
        unseen += p->is_ring ? last - seen : 0;
    }
    return unseen;
}

/* Feeds the engine. Estimates how many events were missed: from the missed bytes and the mean size
 * of an event, and from the streams never seen and the mean number of events in a stream. With
 * is_anew, streams overwritten before the first look do not count, because another struct follow
 * has counted them. */
static void feed(struct follow *f) {
    uint64_t before = f->engine.missed_bytes;

    engine_feed(&f->engine, &f->recording);
    uint64_t missed = f->engine.missed_bytes - before, events = engine_totals(&f->engine).events;
    f->missed += events && missed
                     ? (uint64_t)((double)missed * (double)events / (double)f->engine.bytes)
                     : missed / 16;
    uint64_t unseen = count_unseen(&f->engine, f->ended);
    if ((f->looks > 1 || !f->is_anew) && unseen > f->unseen) {
        f->missed += (unseen - f->unseen) * events / f->engine.stream_count;
    }
    f->unseen = unseen > f->unseen ? unseen : f->unseen;
    f->looks++;
}

int64_t follow_end_of_recording(struct recording *r) {
    struct cursor c = {0};
    struct record rec;
    int64_t last = 0;

    if (r->header.snapshot.to) {
        return (int64_t)r->header.snapshot.to;
    }
    for (size_t n = 0; n < r->source.process_count; n++) {
        for (size_t first = 0, next = 0;
             recording_next_stream(r, &r->processes[n], &first, &next);) {
            cursor_begin(&c, r, next - 1, 1);
            while (cursor_next(&c, &rec)) {
                int64_t at = recording_ns(r, &r->processes[n], rec.ticks);
                last = at > last ? at : last;
            }
        }
    }
    cursor_end(&c);
    return last + 1;
}

static void look(struct follow *f) {
    struct recording *r = &f->recording;
    bool was_ended = f->ended;
    int64_t now = follow_time(f);

    f->first = !f->engine.stream_count;
    f->ended = !recording_is_alive(r);
    if (f->ended) {
        now = f->first ? follow_end_of_recording(r) : was_ended ? f->now : now;
    }
    f->from = !f->first ? f->now : now > f->window ? now - f->window : 0;
    f->now = now > f->from ? now : f->from + 1;
    if (f->first) {
        f->engine.late = f->from;
    }
    feed(f);
    engine_forget_ends(&f->engine, f->from);
    now = last_event(&f->engine); /* records that were written during the look were read, too */
    f->now = now > f->now ? now : f->now;
    if (f->open) {
        engine_open(&f->engine, f->now, f->open, f->engine.out.arg);
    }
    count_gone(f);
    count_dropped(f);
}

void follow_begin(struct follow *f, const char *path, int64_t window, span_function *span,
                  engine_open_function *open, void *arg) {
    *f = (struct follow){.path = path, .window = window, .open = open, .recording = {.fd = -1}};
    f->engine = (struct engine){.out = {.f = span, .arg = arg}, .is_live = true};
}

bool follow_read(struct follow *f, struct error *ret_error) {
    struct recording *r = &f->recording;
    const struct rec_header before = r->header;

    if (!recording_reopen(r, f->path, ret_error)) {
        return false;
    }
    if (f->now && memcmp(before.session, r->header.session, sizeof(before.session)) != 0) {
        recording_release(r);
        return error_set(ret_error, "it was replaced by another recording");
    }
    look(f);
    recording_release(r);
    return !r->source.error || error_set(ret_error, "%s", strerror(r->source.error));
}

void follow_end(struct follow *f) {
    engine_free(&f->engine);
    recording_close(&f->recording);
}
