/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_LIVE_FOLLOW_H
#define NVTXH_LIVE_FOLLOW_H
/*
 * Follows a recording under way. Each look, a call of follow_read, reads only the records that were written since
 * the previous look. The window is the time since the previous look; in the first look, the last `window` ns.
 * Pairing is simple: a pop ends the innermost range of its domain in its thread, and a pop without a range is left
 * out.
 */
#include "../read/cursor.h"
#include "../spans/span.h"
#include "../sums/distribution.h"

enum { FOLLOW_PAST = 16 }; /* windows whose counts are kept */

/* The figures of all ranges, marks or samples of one name. */
struct follow_row {
    enum span_style style;
    uint32_t domain_name, text; /* in follow.texts */
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

struct follow_open {
    uint32_t row, domain;
    int64_t start, self; /* self: ns as the innermost range */
};

/* A thread, or the signal handlers of one. */
struct follow_stream {
    uint32_t process, stream, tid, pid;
    uint32_t name;            /* of the thread, in follow.texts */
    bool is_lane, counted;    /* is_lane: of signal handlers; counted: included in follow.threads */
    int64_t over;             /* the end of its process; INT64_MAX: not known yet */
    int64_t since;            /* the self times of its open ranges are counted up to here */
    uint64_t events;          /* in the window */
    struct follow_open *open; /* outermost first */
    size_t open_count, open_room;
    size_t firm_count;  /* how many of these are final; the writer may still take back the others */
    size_t gate;        /* index of the next gate in process.gates */
    bool begun;         /* something was read; the members below say how far */
    uint32_t seq, size; /* of the chunk read last: number in the stream, size in bytes */
    size_t at;          /* bytes of its records that were read */
    uint64_t base;      /* see struct cursor */
    int64_t last;       /* time of the last event; -1: none so far */
    struct presets presets;
    struct span_blobs payload; /* of the next event */
    struct map texts;          /* number in the stream -> number in follow.texts */
};

/* A range that has ended, a mark or a sample. At the end of a look also each open range; its end is then `now` or, if
 * its process has ended, the end of that process. */
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
    int64_t window; /* ns; how far back the window of the first look reaches */
    /* If not 0: the maximum number of rows, and each category has its own row. What has no row of its own is
     * added to FOLLOW_OTHER, one row for each style. */
    uint32_t most;
    uint32_t other;    /* FOLLOW_OTHER in `texts` */
    int64_t from, now; /* the window, in ns since the recording began */
    bool ended;        /* no process writes any more; `now` is the end of the recording */
    bool first;        /* the first look: `event` also gets events older than the window */
    uint64_t dropped;  /* events lost because there was no room */
    struct follow_row *rows;
    size_t count, room;
    struct follow_stream *streams;
    size_t stream_count, stream_room;
    struct texts texts;
    /* A hash of a row's properties -> index in `rows`; process << 32 | stream -> index in `streams`. */
    struct map row_index, stream_index;
    struct map ranges;   /* a hash of process and range id -> index in `halves` */
    struct follow_half { /* of a process range whose other half was not seen yet */
        uint64_t key;
        uint32_t row;
        int64_t at;
        uint32_t pid, stream; /* stream: index in `streams` */
        bool is_end;
    } * halves;
    size_t half_count, half_room;
    struct distribution_budget budget;
    bool is_statistics;          /* the recording holds statistics, no events */
    struct distribution *before; /* by row: all durations up to the last look, still in bins */
    size_t before_count;
    struct recording *reading; /* while follow_statistics_read runs */
    struct rec_header header;
    /* How many processes are gone without having written their end. gone_next: in the last look; gone: in each of the
     * last two looks; gone_pid: one of these processes. */
    uint32_t gone, gone_next;
    uint32_t gone_pid;
    uint64_t missed;        /* events that were overwritten before they were read; an estimate */
    uint64_t events, bytes; /* read so far, for this estimate */
    /* Numbers of threads that had events and of all processes. bound: ns; shorter pushed ranges were left out in some
     * process; 0: in none. lost: events by cause, see enum rec_loss. */
    uint64_t threads, processes, bound, lost[REC_LOSS_SIZE];
    uint32_t pid, stream;   /* of the process and the stream that are being read */
    follow_listener *event; /* may be NULL */
    void *arg;
};

#define FOLLOW_OTHER "(other)"
enum { FOLLOW_TEXT_MOST = 4096 }; /* bytes; with `most`, a longer message counts as FOLLOW_OTHER */

void follow_begin(struct follow *f, const char *path, int64_t window);

/* The same with at most `most` rows, in bounded memory. */
void follow_begin_bounded(struct follow *f, const char *path, int64_t window, uint32_t most);

/* Takes a look. False with a message if that fails. */
bool follow_read(struct follow *f, char *ret_error, size_t error_size);
void follow_end(struct follow *f);

/* The number of threads with events in the window or an open range. */
size_t follow_busy(const struct follow *f);

#endif /* NVTXH_LIVE_FOLLOW_H */
