/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_LIVE_FOLLOW_H
#define NVTXH_LIVE_FOLLOW_H
/*
 * Follows a recording under way. Each look, a call of follow_read, reads only the records that were written since
 * the previous look. The window is the time since the previous look; in the first look, the last `window` ns.
 */
#include "../sums/distribution.h"
#include "../spans/engine.h"

enum { FOLLOW_PAST = 16 }; /* windows whose counts are kept */

/* The figures of all ranges, marks or samples of one name. */
struct follow_row {
    enum span_style style;
    uint32_t domain_name, text; /* in follow.recording.source.texts */
    bool has_category;          /* only if each category has its own row: see follow.most */
    uint32_t category, category_name;
    uint32_t color;             /* ARGB, the last one given; 0: none */
    uint64_t count, count_now;  /* ended ranges, marks or samples: in total, in the window */
    double time, time_now;      /* ns in ended and open ranges: in total, in the window */
    struct distribution ended;  /* durations of ranges that ended in the window */
    uint64_t open;              /* ranges that are open now */
    int64_t open_for;           /* ns that the first of them has been open */
    double closed_time;         /* the part of `time` in ranges that have ended */
    double value;               /* the last value of a counter */
    uint64_t past[FOLLOW_PAST]; /* how many ended in each window; the last is count_now */
};

/* A range that is open at the end of a look. Those of a thread come one after the other, outermost first. */
struct follow_open {
    uint32_t row, process, tid; /* process: its index in follow.recording */
    enum span_style style;
    int64_t lasted; /* ns */
};

/* A range that has ended, a mark or a sample. At the end of a look also each open range, with the end that engine_open
 * gives it. */
struct follow_event {
    uint32_t row, pid;
    const struct span *span;
    double value; /* of a sample */
    bool is_open;
};
typedef void follow_listener(void *arg, const struct follow_event *e);

struct follow {
    const char *path;
    int64_t window; /* ns; how far back the window of the first look reaches */
    /* If not 0: the maximum number of rows, and each category has its own row. What has no row of its own is
     * added to FOLLOW_OTHER, one row for each style. */
    uint32_t most;
    follow_listener *event; /* may be NULL */
    void *arg;
    struct recording recording; /* as it was in the last look; its file is closed */
    struct engine engine;
    int64_t from, now; /* the window, in ns since the recording began */
    bool ended;        /* no process writes any more; `now` is the end of the recording */
    bool first;        /* the first look: `event` also gets events older than the window */
    struct follow_row *rows;
    size_t count, room;
    struct map row_index; /* a hash of a row's properties -> index in `rows` */
    struct follow_open *open;
    size_t open_count, open_room;
    size_t busy; /* threads with events in the window or an open range */
    const struct engine_stream
        *counted; /* the last thread that counts as busy for its open range */
    struct distribution_budget budget;
    bool is_statistics;          /* the recording holds statistics, no events */
    struct distribution *before; /* by row: all durations up to the last look, still in bins */
    size_t before_count;
    /* How many processes are gone without having written their end. gone_next: in the last look; gone: in each of the
     * last two looks; gone_pid: one of these processes. */
    uint32_t gone, gone_next;
    uint32_t gone_pid;
    uint64_t missed; /* events that were overwritten before they were read; an estimate */
    /* Events and threads so far, and events that were lost because there was no room. bound: ns; shorter pushed ranges
     * were left out in some process; 0: in none. lost: events by cause, see enum rec_loss. */
    uint64_t events, threads, dropped, bound, lost[REC_LOSS_SIZE];
};

#define FOLLOW_OTHER "(other)"

void follow_begin(struct follow *f, const char *path, int64_t window);

/* The same with at most `most` rows, in bounded memory. */
void follow_begin_bounded(struct follow *f, const char *path, int64_t window, uint32_t most);

/* Takes a look. False with a message if that fails. */
bool follow_read(struct follow *f, struct error *ret_error);

/* After the last look: counts also the ranges that have no end, as all reports do; *ret_open is their number. False
 * with a message if reading fails. */
bool follow_finish(struct follow *f, uint64_t *ret_open, struct error *ret_error);

/* Closes the file where reading was broken off. Allocates nothing. No other function is called afterwards. */
void follow_abandon(struct follow *f);

void follow_end(struct follow *f);

#endif /* NVTXH_LIVE_FOLLOW_H */
