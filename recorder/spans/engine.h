/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_SPANS_ENGINE_H
#define NVTXH_SPANS_ENGINE_H
/*
 * Makes spans of the records of a recording: pairs beginnings with ends, and gives ends to ranges that have none. All
 * reports, exports and live readers get their spans from here.
 *
 * Feeding hands out the ranges whose ends are among the records that are new, and all marks and samples. It can be
 * repeated as the recording grows. Finishing hands out the ranges without an end, by the rules of FORMAT.md. Streams may
 * be fed in any order and in pieces of any size: the spans are the same, only their order differs. Exceptions: where the
 * program ends a process range more than once, the end that is read first counts; a live reader of a ring forgets process
 * ranges that began before chunks that it missed; and it pairs deferred halves early if a process has too many of them.
 */
#include "deferred.h"
#include "span_extended.h"
#include "../read/cursor.h"
#include "../source/nesting.h"

/* What a thread writes, or several threads one after the other: how far it was read, and what is open. */
struct engine_stream {
    uint32_t process, stream; /* number of the process; of the stream in it */
    bool is_lane;             /* of a thread's signal handlers */
    bool has_lost;            /* events of it were dropped */
    bool after_gap;           /* of this thread, some chunks were missing */
    size_t gate;              /* the next gate in process.gates */
    struct cursor_place place;
    struct map texts;          /* number in the stream -> number in source.texts */
    uint32_t texts_seq;        /* in a ring: the chunk that these texts are from */
    struct span_blobs payload; /* of the next event */
    struct nesting nest;
    struct span
        *tentative; /* if is_live: pushes after those in `nest` that may still be taken back */
    size_t tentative_count, tentative_room;
    int64_t last;    /* time of the last event; -1: none so far */
    bool has_events; /* of this thread */
    uint32_t next;   /* index of the process's next stream */
};

/* A process range of which only the beginning or only the end was read so far. */
struct range_half {
    struct span span;
    bool is_end, used; /* used: this place in the array is not free */
    uint32_t next;     /* of a free place: the next free one */
};

/* A push without an end, of a thread that has ended. */
struct left_push {
    struct span span;
    bool is_top;  /* it was the innermost */
    int64_t seen; /* its self time is counted up to here */
};

struct engine_process {
    uint32_t streams, last_stream; /* indexes of its first and last stream */
    struct map ranges;             /* range id -> index in `halves` */
    struct range_half *halves;
    size_t half_count, half_room;
    uint32_t free; /* the first free place in `halves` */
    struct left_push *left;
    size_t left_count, left_room;
    struct deferred_halves deferred;
    int64_t last;  /* time of the latest event */
    uint32_t gone; /* its pid, if it had ended without writing its end when engine_open looked */
};

struct engine {
    struct span_output out;      /* the caller sets `f` and `arg` */
    span_enter *enter;           /* may be NULL */
    const struct filter *filter; /* self times count only in its window; NULL: everywhere */
    bool is_live; /* the recording is still written: pushes that may be taken back are not fed */
    struct span_totals totals;
    uint64_t bytes;        /* of records that were fed */
    uint64_t missed_bytes; /* of records that a ring has overwritten before they were fed */
    uint64_t
        missed_until; /* ticks: the last such record of the process is older. 0: there is none */
    struct engine_process *processes;
    size_t process_count, process_room;
    struct engine_stream *streams;
    size_t stream_count, stream_room;
    struct map process_index, stream_index; /* number; process << 32 | stream -> index above */
    struct cursor cursor;
    struct nesting scratch;
    struct engine_process *process; /* the process and stream that are being fed */
    struct engine_stream *stream;
};

/* Feeds and finishes the whole recording, in as little memory as its largest stream needs. */
void engine_read(struct engine *e, struct recording *r);

/* Feeds what `r` has more than the last time. Between two calls, `r` may be another struct recording of the same file
 * if its texts have the same numbers: see recording_again. */
void engine_feed(struct engine *e, struct recording *r);
void engine_finish(struct engine *e);

/* Calls f for every range without an end so far, which it then has at span->end: where its process ended, at `now` if it
 * ran then, or earlier for the reasons in FORMAT.md. `lasts`: there is no such reason. The ranges of a stream come one
 * after the other, outermost first. `stream` is NULL for process ranges. Changes nothing. */
typedef void engine_open_function(void *arg, const struct span *span,
                                  const struct engine_stream *stream, bool lasts);
void engine_open(struct engine *e, int64_t now, engine_open_function *f, void *arg);

/* Forgets the ends before `before` of process ranges whose beginnings were not read: they will not come. */
void engine_forget_ends(struct engine *e, int64_t before);

/* The totals so far. */
struct span_totals engine_totals(const struct engine *e);

void engine_free(struct engine *e);

#endif /* NVTXH_SPANS_ENGINE_H */
