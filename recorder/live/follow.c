/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "follow.h"
#include "follow_rows.h"
#include "follow_statistics.h"
#include "follow_streams.h"
#include "../format/clock.h"

#include <time.h>

static void clear(struct follow *f)
{
    follow_end(f);
    follow_begin_bounded(f, f->path, f->window, f->most);
}

/* Counts processes that are gone but have not written their end. A process may write its end and exit just after the
 * file was read, so it counts only if it was gone in the look before, too. */
static void count_gone(struct follow *f, const struct recording *r)
{
    uint32_t gone = 0;

    for (size_t i = 0; i < r->process_count; i++) {
        const struct process *p = &r->processes[i];
        if (p->known && !p->info.end.ticks && !process_is_alive(p)) {
            f->gone_pid = p->info.pid;
            gone++;
        }
    }
    f->gone = gone < f->gone_next ? gone : f->gone_next;
    f->gone_next = gone;
}

/* The time just after the last event that was read. */
static int64_t last_event(const struct follow *f)
{
    int64_t last = 0;

    for (size_t i = 0; i < f->stream_count; i++) {
        last = f->streams[i].last > last ? f->streams[i].last : last;
    }
    return last + 1;
}

/* The ns since the recording began, by CLOCK_MONOTONIC; 0 if the header says that it begins in the future. */
static int64_t since(const struct rec_sample *start)
{
    struct timespec clock;

    clock_gettime(CLOCK_MONOTONIC, &clock);
    uint64_t now = (uint64_t)clock.tv_sec * 1000000000 + (uint64_t)clock.tv_nsec;
    return start->monotonic < now ? (int64_t)(now - start->monotonic) : 0;
}

bool follow_read(struct follow *f, char *ret_error, size_t error_size)
{
    struct recording r;
    bool first = !f->stream_count;

    if (!recording_open(&r, f->path, ret_error, error_size)) {
        return false;
    }
    if (r.is_statistics) {
        follow_statistics_read(f, &r);
        recording_close(&r);
        return true;
    }
    if (f->most) {
        struct rec_sample sample = clock_sample(r.header.clock);
        recording_add_sample(&r, &sample);
    }
    int64_t now = since(&r.header.start);
    bool was_ended = f->ended;
    f->ended = r.header.end.ticks || !recording_is_alive(&r);
    if (f->ended && first) {
        /* The end is known only after everything was read, so the recording is read twice. */
        follow_listener *event = f->event;
        void *arg = f->arg;
        f->from = INT64_MAX;
        f->event = NULL;
        follow_streams_read(f, &r);
        now = r.header.snapshot.to ? (int64_t)r.header.snapshot.to : last_event(f);
        clear(f);
        f->ended = true;
        f->event = event;
        f->arg = arg;
    } else if (f->ended) {
        now = was_ended ? f->now : now;
    }
    f->header = r.header;
    f->from = !first ? f->now : now > f->window ? now - f->window : 0;
    f->now = now > f->from ? now : f->from + 1;
    f->first = first;
    follow_rows_begin(f);
    follow_streams_read(f, &r);
    now = last_event(f); /* records that were written during the look were read, too */
    f->now = now > f->now ? now : f->now;
    follow_rows_end(f);
    count_gone(f, &r);
    recording_close(&r);
    return true;
}

size_t follow_busy(const struct follow *f)
{
    size_t busy = 0;

    for (size_t i = 0; i < f->stream_count; i++) {
        busy += f->streams[i].events || f->streams[i].open_count;
    }
    return busy;
}
