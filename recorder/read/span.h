/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_READ_SPAN_H
#define NVTXH_READ_SPAN_H
/* A range, a mark or a sample of a counter: what every report and every export is made from. */
#include "../format/format.h"

#include <stdbool.h>
#include <stdint.h>

struct process;

/* A counter's sample is a span without a length, whose payload is the value. */
enum span_style { SPAN_PUSH_POP, SPAN_START_END, SPAN_MARK, SPAN_COUNTER };

extern const char *const span_style_names[]; /* as CSV and JSON have them */

/* Payloads with schemas: where they are in the file. payload_decode.h takes them apart. */
struct span_blobs {
    uint64_t place;
    uint32_t size; /* 0: none */
};

struct span {
    enum span_style style;
    const struct process *process;
    uint32_t tid, end_tid;
    uint32_t stream;    /* in which it ended, of the process's: a thread, or its signal handlers */
    int64_t start, end; /* ns since the session's start; equal for marks */
    int64_t self;       /* PUSH_POP: ns as the innermost range of its thread, of all domains */
    uint32_t depth;     /* of push/pop, in its thread and domain, from 0 */
    uint32_t place;     /* PUSH_POP: what `enter` has returned for it, or 0 */
    uint32_t domain;    /* the process's number for it */
    uint32_t domain_name, text; /* in recording.texts */
    uint64_t range;             /* START_END: the program's id */
    uint32_t color, category;
    bool has_color, has_category;
    bool
        open; /* had no end: it ends with the process, or where its thread stopped being recorded */
    enum rec_payload payload_type;
    uint64_t payload;
    struct span_blobs begin, end_blobs;
};

struct span_totals {
    uint64_t events;  /* pushes, pops, starts, ends, marks, samples of counters */
    uint64_t threads; /* that made events */
    uint64_t dropped; /* events lost for want of room */
    uint64_t
        unplaced;  /* deferred events whose clock is not known: marks where they were submitted */
    uint64_t open; /* ranges that had no end */
    uint64_t pops; /* ends without a beginning */
    uint64_t ends;
    uint64_t cut; /* of those that had no end: they end before their process does */
    uint64_t
        misdirected; /* pops that had nothing to end while a range of another domain was open */
    uint32_t popped_domain, open_domain; /* the names of both, the first time */
    uint64_t lost[REC_LOSS_SIZE];
};

typedef void span_function(void *arg, const struct span *span);

/* Called at every push: `outer` is the innermost range of the thread that is open then, of whatever domain, or NULL.
 * What it returns is the span's `place`. */
typedef uint32_t span_enter(void *arg, const struct span *span, const struct span *outer);

#endif /* NVTXH_READ_SPAN_H */
