/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_READ_FOLLOW_H
#define NVTXH_READ_FOLLOW_H
/*
 * Follows a recording under way: each look reads only what was written since the last one. The window is the time since
 * the look before, in the first look the last `window` ns. Ranges are paired in a simple way: a pop ends the innermost
 * range of its domain in its thread, and a pop without a range is left out.
 */
#include "cursor.h"
#include "distribution.h"
#include "span.h"

enum { FOLLOW_PAST = 16 }; /* windows that are kept */

/* The figures of all ranges, marks or samples of one name. */
struct follow_row {
    enum span_style style;
    uint32_t domain_name, text; /* in follow.texts */
    bool has_category;          /* where rows are told apart by it, too */
    uint32_t category, category_name;
    uint32_t color; /* ARGB, the last one given; 0: none */
    uint64_t count,
        count_now; /* how many ranges have ended, or marks or samples; those in the window */
    double time, time_now;      /* ns in such ranges and in open ones: in total, in the window */
    struct distribution ended;  /* durations of those that ended in the window */
    uint64_t open;              /* ranges that are open now */
    int64_t oldest;             /* when the first of the open ones began */
    double closed_time;         /* the part of `time` in ranges that have ended */
    double value;               /* the last value of a counter */
    uint64_t past[FOLLOW_PAST]; /* how many ended in each window; the last is count_now */
};

struct follow_open {
    uint32_t row, domain;
    int64_t start, self; /* self: ns as the innermost range */
};

/* A thread, or the signal handlers of one. */
struct follow_stream {
    uint32_t process, stream, tid, pid;
    uint32_t name;            /* of the thread, in follow.texts */
    bool is_lane, counted;    /* of signal handlers; in follow.threads */
    int64_t over;             /* when its process said that it ends; INT64_MAX: not yet */
    int64_t since;            /* the innermost range is that */
    uint64_t events;          /* in the window */
    struct follow_open *open; /* outermost first */
    size_t open_count, open_room;
    size_t firm_count;  /* of these; the others may be taken back: see rec_chunk.tentative */
    size_t gate;        /* of the process's, the next one */
    bool begun;         /* and where it was read up to: */
    uint32_t seq, size; /* of the chunk; size: in bytes */
    size_t at;
    uint64_t base;
    int64_t last;
    struct presets presets;
    struct span_blobs payload; /* of the next event */
    struct map texts;
};

/* A range that has ended, a mark or a sample. At the end of a look, also each open range, with `now` as its end. */
struct follow_event {
    uint32_t row, pid;
    enum span_style style;
    int64_t start, end, self;
    double value; /* of a sample */
    bool is_open;
};
typedef void follow_listener(void *arg, const struct follow_event *e);

struct follow {
    const char *path;
    int64_t window;
    uint32_t
        most; /* not 0: rows are told apart by category, too, and what comes after so many rows is in one of its
                    * style, called FOLLOW_OTHER */
    uint32_t other;    /* in texts */
    int64_t from, now; /* of the window, in ns since the recording began */
    bool ended;        /* it is not written any more: `now` is its end */
    bool first; /* number of the look; what is older than the window is added to the totals */
    uint64_t dropped;
    struct follow_row *rows;
    size_t count, room;
    struct follow_stream *streams;
    size_t stream_count, stream_room;
    struct texts texts;
    struct map row_index, stream_index;
    struct map ranges;   /* a hash of process and id -> half */
    struct follow_half { /* of a process range whose other half was not seen yet */
        uint64_t key;
        uint32_t row;
        int64_t at;
        uint32_t pid;
        bool is_end;
    } * halves;
    size_t half_count, half_room;
    struct distribution_budget budget;
    bool is_statistics;          /* there are no events: */
    struct distribution *before; /* of all time, by row, up to the look before; not finished */
    size_t before_count;
    struct recording *reading; /* while it is read */
    struct rec_header header;
    uint32_t gone, gone_next; /* processes that have ended without saying so */
    uint32_t gone_pid;        /* the last of them */
    uint64_t missed;          /* about so many events were overwritten before they were read */
    uint64_t events, bytes;   /* that were read, to tell that by */
    uint64_t threads, processes, bound, lost[REC_LOSS_SIZE];
    uint32_t pid;           /* of the process that is being read */
    follow_listener *event; /* may be NULL */
    void *arg;
};

#define FOLLOW_OTHER "(other)"
enum { FOLLOW_TEXT_MOST = 4096 }; /* where rows are bounded, a longer message is of FOLLOW_OTHER */

void follow_begin(struct follow *f, const char *path, int64_t window);

/* The same with a bound on memory, and on rows. */
void follow_begin_bounded(struct follow *f, const char *path, int64_t window, uint32_t most);

/* Looks again. False with a message. */
bool follow_read(struct follow *f, char *ret_error, size_t error_size);
void follow_end(struct follow *f);

/* The number of threads with events in the window or an open range. */
size_t follow_busy(const struct follow *f);

#endif /* NVTXH_READ_FOLLOW_H */
