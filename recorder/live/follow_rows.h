/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_LIVE_FOLLOW_ROWS_H
#define NVTXH_LIVE_FOLLOW_ROWS_H
/* The figures of a recording under way, for `nvtxh top`. */
#include "follow.h"
#include "../sums/summary.h"

enum { FOLLOW_PAST = 16 }; /* windows whose counts are kept */

/* The figures of all ranges, marks or samples of one name. */
struct follow_row {
    enum span_style style;
    uint32_t domain_name, text; /* in follow.recording.source.texts */
    uint32_t color;             /* ARGB, the last one given; 0: none */
    uint64_t count, count_now;  /* ended ranges, marks or samples: in total, in the window */
    /* ns in which ended and open ranges were open, in total and in the window. Nested ranges of one name count once; process
     * ranges each. */
    double time, time_now;
    struct distribution ended;  /* durations of ranges that ended in the window */
    uint64_t open;              /* ranges that are open now */
    int64_t open_for;           /* ns that the first of them has been open */
    double closed_time;         /* the part of `time` in ranges that have ended */
    double time_then;           /* `time` at the end of the last look, without what was added since */
    double value;               /* the last value of a counter */
    uint64_t past[FOLLOW_PAST]; /* how many ended in each window; the last is count_now */
    struct distribution before; /* of statistics: all durations up to the last look, still in bins */
};

/* A range that is open at the end of a look. Those of a thread come one after the other, outermost first. */
struct follow_open {
    uint32_t row, process, tid; /* process: its index in follow.recording */
    enum span_style style;
    int64_t lasted; /* ns */
};

struct follow_rows {
    struct follow follow;
    struct follow_row *rows;
    size_t count, room;
    struct summary names; /* finds the row of a span: a row here has the same number in `rows` */
    struct follow_open *open;
    size_t open_count, open_room;
    size_t threads;  /* that have written events so far */
    struct map busy; /* process << 32 | thread: those with events in the window or an open range */
    struct distribution_budget budget;
};

void follow_rows_begin(struct follow_rows *t, const char *path, int64_t window);

/* Takes a look. False with a message if that fails. */
bool follow_rows_read(struct follow_rows *t, struct error *ret_error);

void follow_rows_end(struct follow_rows *t);

#endif /* NVTXH_LIVE_FOLLOW_ROWS_H */
