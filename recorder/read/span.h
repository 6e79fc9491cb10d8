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

/* Payloads with schemas: where they are in the file. See payload_decode.h. */
struct span_blobs {
    uint64_t place;
    uint32_t size; /* 0: none */
};

struct span {
    enum span_style style;
    const struct process *process;
    uint32_t tid, end_tid;
    uint32_t stream;    /* in which it ended: of a thread, or its signal handlers */
    int64_t start, end; /* ns since the session's start; equal for marks */
    int64_t self;       /* PUSH_POP: ns as the innermost range of its thread, of all domains */
    uint32_t depth;     /* of push/pop, in its thread and domain, from 0 */
    uint32_t place;     /* PUSH_POP: what `enter` has returned for it, or 0 */
    uint32_t domain;    /* the process's number for it */
    uint32_t domain_name, text; /* in recording.texts */
    uint64_t range;             /* START_END: the program's id */
    uint32_t color, category;
    bool has_color, has_category;
    bool open; /* had no end: ends with the process or its thread's recording */
    enum rec_payload payload_type;
    uint64_t payload;
    struct span_blobs begin, end_blobs;
};

struct span_totals {
    uint64_t events;   /* pushes, pops, starts, ends, marks, samples of counters */
    uint64_t threads;  /* that had events */
    uint64_t dropped;  /* events lost because there was no room */
    uint64_t unplaced; /* deferred events of unknown clocks: marks where they were submitted */
    uint64_t open;     /* ranges that had no end */
    uint64_t pops;     /* pops without a push */
    uint64_t ends;
    uint64_t cut; /* of those without an end: they end before their process does */
    uint64_t
        misdirected; /* pops that had nothing to end while a range of another domain was open */
    uint32_t popped_domain, open_domain; /* the names of both, the first time */
    uint64_t lost[REC_LOSS_SIZE];
};

typedef void span_function(void *arg, const struct span *span);

/* Called at every push. `outer` is the innermost range that is open on the thread then, of any domain, or NULL. The
 * result becomes the span's `place`. */
typedef uint32_t span_enter(void *arg, const struct span *span, const struct span *outer);

#endif /* NVTXH_READ_SPAN_H */
