/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "follow.h"
#include "follow_rows.h"
#include "follow_statistics.h"
#include "../spans/totals.h"
#include "../format/clock.h"

#include <string.h>

/* Counts processes that are gone but have not written their end. A process may write its end and exit just after the
 * file was read, so it counts only if it was gone in the look before, too. */
static void count_gone(struct follow *f)
{
    uint32_t gone = 0;

    for (size_t i = 0; i < f->engine.process_count; i++) {
        uint32_t pid = f->engine.processes[i].gone;
        f->gone_pid = pid ? pid : f->gone_pid;
        gone += pid != 0;
    }
    f->gone = gone < f->gone_next ? gone : f->gone_next;
    f->gone_next = gone;
}

/* Adds up what the streams and processes have lost. */
static void count_losses(struct follow *f)
{
    struct recording *r = &f->recording;
    struct span_totals all = engine_totals(&f->engine), totals = {0};

    f->events = all.events;
    f->threads = all.threads;
    memcpy(f->lost, r->header.lost, sizeof(f->lost));
    for (size_t n = 0; n < r->source.process_count; n++) {
        const struct process *p = &r->processes[n];
        f->bound = p->bound > f->bound ? p->bound : f->bound;
        for (int i = 0; i < REC_LOSS_SIZE; i++) {
            f->lost[i] += p->info.lost[i];
        }
        for (size_t first = 0, next = 0; recording_next_stream(r, p, &first, &next);) {
            totals_add_stream(&totals, r, first, next - first);
        }
    }
    f->dropped = totals.dropped;
    f->lost[REC_LOSS_SHORT] += totals.lost[REC_LOSS_SHORT];
}

/* The time just after the last event that was read. */
static int64_t last_event(const struct engine *e)
{
    int64_t last = 0;

    for (size_t i = 0; i < e->stream_count; i++) {
        last = e->streams[i].last > last ? e->streams[i].last : last;
    }
    return last + 1;
}

/* The ns since the recording began, by CLOCK_MONOTONIC; 0 if the header says that it begins in the future. */
static int64_t since(const struct rec_sample *start)
{
    uint64_t now = clock_ns(CLOCK_MONOTONIC);

    return start->monotonic < now ? (int64_t)(now - start->monotonic) : 0;
}

/* Feeds the engine. Estimates how many events were missed from their bytes and the mean size of an event. */
static void feed(struct follow *f)
{
    uint64_t before = f->engine.missed_bytes;

    engine_feed(&f->engine, &f->recording);
    uint64_t missed = f->engine.missed_bytes - before, events = engine_totals(&f->engine).events;
    f->missed += events && missed
                     ? (uint64_t)((double)missed * (double)events / (double)f->engine.bytes)
                     : missed / 16;
}

static void ignore(void *arg, const struct span *span)
{
    (void)arg;
    (void)span;
}

/* When a recording ended that was not read before. Everything is read for that. */
static int64_t end_of(struct recording *r)
{
    struct engine e = {.out = {.f = ignore}};

    engine_feed(&e, r);
    int64_t last = last_event(&e);
    engine_free(&e);
    return r->header.snapshot.to ? (int64_t)r->header.snapshot.to : last;
}

static void look(struct follow *f)
{
    struct recording *r = &f->recording;
    bool was_ended = f->ended;
    int64_t now = since(&r->header.start);

    f->first = !f->engine.stream_count;
    f->ended = r->header.end.ticks || !recording_is_alive(r);
    if (f->ended) {
        now = f->first ? end_of(r) : was_ended ? f->now : now;
    }
    f->from = !f->first ? f->now : now > f->window ? now - f->window : 0;
    f->now = now > f->from ? now : f->from + 1;
    follow_rows_begin(f);
    feed(f);
    engine_forget_ends(&f->engine, f->from);
    now = last_event(&f->engine); /* records that were written during the look were read, too */
    f->now = now > f->now ? now : f->now;
    follow_rows_end(f);
    count_gone(f);
    count_losses(f);
}

bool follow_read(struct follow *f, struct error *ret_error)
{
    struct recording *r = &f->recording;
    const struct rec_header before = r->header;

    if (!recording_again(r, f->path, ret_error)) {
        return false;
    }
    if (f->now && memcmp(before.session, r->header.session, sizeof(before.session)) != 0) {
        recording_let_go(r);
        return error_set(ret_error, "it was replaced by another recording");
    }
    if (r->source.is_statistics) {
        follow_statistics_read(f);
    } else {
        if (f->most) {
            struct rec_sample sample = clock_sample(r->header.clock);
            recording_add_sample(r, &sample);
        }
        look(f);
    }
    recording_let_go(r);
    return !r->source.error || error_set(ret_error, "%s", strerror(r->source.error));
}

bool follow_finish(struct follow *f, uint64_t *ret_open, struct error *ret_error)
{
    struct recording *r = &f->recording;
    bool is_there = recording_take_up(r, f->path);

    f->engine.is_live = false;
    if (is_there) { /* no more pushes are taken back */
        engine_feed(&f->engine, r);
    }
    count_losses(f);
    engine_finish(&f->engine);
    if (is_there) {
        recording_let_go(r);
    }
    *ret_open = f->engine.totals.open;
    return !r->source.error || error_set(ret_error, "%s", strerror(r->source.error));
}

void follow_abandon(struct follow *f)
{
    if (f->recording.fd >= 0) {
        recording_let_go(&f->recording);
    }
}
