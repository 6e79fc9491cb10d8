/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once
/* Makes spans of the records of a recording: pairs beginnings with ends, and gives ends to ranges
 * that have none. All reports, exports and live readers of recordings get their spans from here.
 *
 * engine_feed hands out the marks and samples in the new records, and the ranges that end in them.
 * It can be called again as the recording grows. engine_open hands out the ranges without an end so
 * far, by the rules of FORMAT.md. Streams may be fed in any order and in pieces of any size: the
 * spans are the same, only their order differs. There are two exceptions:
 *
 * - If the program ends a process range twice, the end that is read first counts.
 * - A live reader of a ring forgets process ranges that began before chunks that it missed. */
#include "span_output.h"
#include "cursor.h"
#include "../analysis/nesting.h"

/* How far a stream was read, and which pushes of its thread are open. */
struct engine_stream {
    uint32_t process, stream; /* the number of the process; the stream's number in the process */
    bool in_handlers;         /* it has the events of a thread's signal handlers */
    bool has_lost;            /* some of its events were dropped */
    bool after_gap;           /* chunks with events of the current thread may be missing */
    size_t gate;              /* index in process.gates: the next gate to pass */
    struct cursor_place place;
    struct map strings;        /* number of a text in the stream -> its number in source.strings */
    uint32_t strings_seq;      /* in a ring: `seq` of the chunk that `strings` are from */
    struct span_blobs payload; /* the payload of the next event */
    struct nesting nest;
    int64_t last;    /* ns; time of the last event; -1: none so far */
    bool has_events; /* the current thread has events */
    uint32_t next;   /* index in engine.streams of the process's next stream */
};

/* One half of a process range (its beginning or its end), kept until the other half is read. */
struct range_half {
    struct span span;
    bool is_end, used; /* used: false for a free element of `halves` */
    uint32_t next;     /* of a free element: the next free one */
};

/* A push without an end, of a thread that has ended. */
struct left_push {
    struct span span;
    unsigned grows; /* as in struct open_push */
    int64_t seen;   /* ns; the span's times are counted up to this time */
};

struct engine_process {
    uint32_t streams, last_stream; /* indexes in engine.streams of its first and last stream */
    struct map ranges;             /* range id -> index in `halves` */
    struct range_half *halves;
    size_t half_count, half_capacity;
    uint32_t free; /* the first free element of `halves` */
    struct left_push *left;
    size_t left_count, left_capacity;
    int64_t last;     /* ns; time of the latest event */
    bool is_ring;     /* its streams are in a ring */
    uint32_t highest; /* for follow.c: the highest stream number that its previous look saw */
    uint32_t gone;    /* its pid, if engine_open found that it died and wrote no end; else 0 */
};

struct engine {
    struct span_output out;      /* the caller sets `f` and `arg` */
    span_enter *enter;           /* may be NULL */
    int64_t late;                /* see span.late; any value if nobody needs it */
    const struct filter *filter; /* self times count only in its window; NULL: everywhere */
    bool is_live; /* the recording is under way, and chunks of rings may be overwritten */
    struct span_totals totals;
    uint64_t bytes;        /* bytes of records that were fed */
    uint64_t missed_bytes; /* bytes of records that a ring has overwritten before they were fed */
    uint64_t missed_until; /* ticks: all missed records of the process are older; 0: none */
    struct engine_process *processes;
    size_t process_count, process_capacity;
    struct engine_stream *streams;
    size_t stream_count, stream_capacity;
    struct map process_index, stream_index; /* process -> index; process << 32 | stream -> index */
    struct cursor cursor;
    struct nesting scratch;
    struct engine_process *process; /* the process and the stream whose records are being fed */
    struct engine_stream *stream;
};

/* Hands out all spans of the recording, also ranges without an end. Keeps state of one process and
 * one stream at a time. */
void engine_read(struct engine *e, struct recording *r);

/* Feeds the records that are new in `r` since the last call. Between the calls, the caller may open
 * `r` again with recording_reopen, which keeps the numbers of strings. */
void engine_feed(struct engine *e, struct recording *r);

/* Calls f for every range without an end so far; outermost first within a stream. If `lasts` is
 * true, span->end is `now` or, if the process has ended, the process's end. If not, span->end is
 * earlier, for a reason in FORMAT.md: for example, recording paused then.
 * `stream` is NULL for process ranges and for pushes of threads that have ended. */
typedef void engine_open_function(void *arg, const struct span *span,
                                  const struct engine_stream *stream, bool lasts);
void engine_open(struct engine *e, int64_t now, engine_open_function *f, void *arg);

/* Forgets the ends of process ranges that are older than `before` and whose beginnings were not
 * read so far. Such a beginning is older than its end, and will not come any more. */
void engine_forget_ends(struct engine *e, int64_t before);

struct span_totals engine_totals(const struct engine *e);

void engine_free(struct engine *e);
