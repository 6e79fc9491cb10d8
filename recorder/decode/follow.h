/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once
/* Follows a recording under way, and computes the figures that `nvtxh top` shows. */
#include "engine.h"
#include "../analysis/summary.h"

/* A look is a call of follow_read. It reads only the records that were written since the previous
 * look. The window is the time since the previous look; in the first look, the last `window` ns. */
struct follow {
    const char *path;
    int64_t window;             /* ns; how far back the window of the first look reaches */
    engine_open_function *open; /* called with engine.out.arg: see follow_begin */
    bool is_anew; /* set by the caller: earlier events were read by another struct follow */
    struct recording recording; /* as it was in the last look; its file is closed */
    struct engine engine;
    int64_t from, now; /* the window, in ns since the recording began */
    bool ended;        /* no process writes any more; `now` is the end of the recording */
    bool first;        /* the first look: it also hands out spans older than the window */
    /* How many processes, without the program, are gone and have not written their end. gone_next:
     * found by the last look; gone: found by each of the last two looks; gone_pid: pid of one of
     * them. */
    uint32_t gone, gone_next, gone_pid;
    uint64_t missed;        /* events that were overwritten before they were read; an estimate */
    uint64_t unseen, looks; /* streams overwritten before they were read; looks taken */
    uint64_t dropped;       /* events that were lost because there was no room */
};

/* Begins to follow a recording. Each look calls `span` for each range that has ended, each mark and
 * each sample, then `open` (may be NULL) for each range without an end so far: see engine_open. */
void follow_begin(struct follow *f, const char *path, int64_t window, span_function *span,
                  engine_open_function *open, void *arg);

/* Takes a look. False with a message if that fails. */
bool follow_read(struct follow *f, struct error *ret_error);

/* What counts as the end of a recording to which no end was written: the end of a snapshot's window
 * or, without a window, 1 ns after the last event. */
int64_t follow_end_of_recording(struct recording *r);

/* The time now, in ns since the recording began; 0 if its header says that it will begin later. */
int64_t follow_time(const struct follow *f);

void follow_end(struct follow *f);

enum { FOLLOW_PAST = 16 }; /* number of windows whose counts are kept */

/* The figures of all ranges, marks or samples of one name. */
struct follow_row {
    enum span_style style;
    uint32_t domain_name, text; /* in follow.recording.source.strings */
    uint32_t color;             /* ARGB, the last one given; 0: none */
    uint64_t count, count_now;  /* ended ranges, marks or samples: in total, in the window */
    /* ns that the ranges have lasted, in total and in the window; open ranges count, too. A pushed
     * range within a range of the same name adds nothing; process ranges always add their time. */
    double time, time_now;
    struct distribution ended; /* durations of ranges that ended in the window */
    uint64_t open;             /* ranges that are open now */
    int64_t open_for;          /* ns since the first of the open ranges began */
    double closed_time;        /* the part of `time` in ranges that have ended */
    double time_then;          /* `time` at the end of the previous look */
    double value;              /* the last value of a counter */
    int64_t value_at; /* ns; when `value` was sampled; older samples of other threads are ignored */
    uint64_t past[FOLLOW_PAST]; /* how many ended in each window; the last is count_now */
};

/* A range that is open at the end of a look. The open ranges of a thread follow each other,
 * outermost first. */
struct follow_open {
    uint32_t row, process, tid; /* process: its index in follow.recording */
    enum span_style style;
    int64_t lasted; /* ns */
};

struct follow_rows {
    struct follow follow;
    struct follow_row *rows;
    size_t count, capacity;
    struct summary names; /* finds the row of a span: names.rows[i] belongs to rows[i] */
    struct follow_open *open;
    size_t open_count, open_capacity;
    size_t threads;  /* how many have written events so far */
    struct map busy; /* process << 32 | thread: threads with events or open ranges in the window */
    size_t budget;   /* see distribution_add */
};

void follow_rows_begin(struct follow_rows *t, const char *path, int64_t window);

/* Takes a look. False with a message if that fails. */
bool follow_rows_read(struct follow_rows *t, struct error *ret_error);

void follow_rows_end(struct follow_rows *t);
