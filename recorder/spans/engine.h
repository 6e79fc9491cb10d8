/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_SPANS_ENGINE_H
#define NVTXH_SPANS_ENGINE_H
/* Makes spans of the records of a recording: pairs beginnings with ends, and gives ends to ranges
 * that have none. All reports, exports and live readers get their spans from the engine.
 *
 * Feeding hands out the marks, samples and ends of ranges among the new records. It can be repeated
 * as the recording grows. Finishing hands out the ranges without an end, by the rules of FORMAT.md.
 * Streams may be fed in any order and in pieces of any size: only the order of the spans differs.
 * There are three exceptions:
 *
 * - If the program ends a process range twice, the end that is read first counts.
 * - A live reader of a ring forgets process ranges that began before chunks that it missed.
 * - A live reader pairs deferred halves early if a process has too many of them. */
#include "span_output.h"
#include "../read/cursor.h"
#include "../source/nesting.h"

/* A stream: how far it was read, and which pushes of its thread are open. */
struct engine_stream {
    uint32_t process, stream; /* number of the process; of the stream in it */
    bool is_lane;             /* of a thread's signal handlers */
    bool has_lost;            /* events of it were dropped */
    bool after_gap;           /* chunks of the current thread were missing */
    size_t gate;              /* the next gate in process.gates */
    struct cursor_place place;
    struct map texts;          /* number in the stream -> number in source.texts */
    uint32_t texts_seq;        /* in a ring: the chunk that these texts are from */
    struct span_blobs payload; /* of the next event */
    struct nesting nest;
    struct span *tentative; /* if is_live: pushes that may be taken back; not in `nest` */
    size_t tentative_count, tentative_room;
    int64_t last;    /* ns; time of the last event; -1: none so far */
    bool has_events; /* the current thread has some */
    uint32_t next;   /* index of the process's next stream */
};

/* The beginning or the end of a process range, until the other one is read. */
struct range_half {
    struct span span;
    bool is_end, used; /* used: false for a free place of the array */
    uint32_t next;     /* of a free place: the next free place */
};

/* A push without an end, of a thread that has ended. */
struct left_push {
    struct span span;
    unsigned grows; /* as in struct open_push */
    int64_t seen;   /* ns; its times are counted up to this time */
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
    int64_t last;     /* ns; time of the latest event */
    bool is_ring;     /* its streams are in a ring */
    uint32_t highest; /* follow.c: the highest number of its streams in the last look */
    uint32_t gone;    /* its pid, if engine_open found it gone without an end; else 0 */
};

struct engine {
    struct span_output out;      /* the caller sets `f` and `arg` */
    span_enter *enter;           /* may be NULL */
    int64_t late;                /* see span.late; INT64_MIN if nobody needs it */
    const struct filter *filter; /* self times count only in its window; NULL: everywhere */
    bool is_live; /* the recording is under way: pushes that may be taken back are not fed */
    struct span_totals totals;
    uint64_t bytes;        /* of records that were fed */
    uint64_t missed_bytes; /* of records that a ring has overwritten before they were fed */
    uint64_t missed_until; /* ticks; the process's missed records are older. 0: none missed */
    struct engine_process *processes;
    size_t process_count, process_room;
    struct engine_stream *streams;
    size_t stream_count, stream_room;
    struct map process_index, stream_index; /* number; process << 32 | stream -> index above */
    struct cursor cursor;
    struct nesting scratch;
    struct engine_process *process; /* being fed, like `stream` */
    struct engine_stream *stream;
};

/* Feeds and finishes the whole recording. Memory is bounded by its largest stream. */
void engine_read(struct engine *e, struct recording *r);

/* Feeds the records that are new in `r` since the last call. In between, `r` may have been opened
 * again with the same numbers of texts: see recording_again. */
void engine_feed(struct engine *e, struct recording *r);
void engine_finish(struct engine *e);

/* Calls f for every range without an end so far, outermost first within a stream. span->end is
 * `now`; if the process has ended, its end; or an earlier time, if FORMAT.md has a reason why the
 * range ended before. `lasts`: there is no such reason. `stream` is NULL for process ranges and for
 * threads that have ended. Changes nothing. */
typedef void engine_open_function(void *arg, const struct span *span,
                                  const struct engine_stream *stream, bool lasts);
void engine_open(struct engine *e, int64_t now, engine_open_function *f, void *arg);

/* Forgets ends of process ranges, older than `before`, whose beginnings were not read and will not
 * come. */
void engine_forget_ends(struct engine *e, int64_t before);

/* The totals so far. */
struct span_totals engine_totals(const struct engine *e);

void engine_free(struct engine *e);

#endif /* NVTXH_SPANS_ENGINE_H */
