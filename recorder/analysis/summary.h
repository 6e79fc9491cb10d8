/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once
/* Ranges, marks and samples of counters, added up by name, domain, category or thread. */
#include "distribution.h"
#include "fold.h"
#include "source.h"

enum summary_by { BY_RANGE, BY_DOMAIN, BY_CATEGORY, BY_THREAD };

struct summary_row {
    /* There may be millions of rows, so the order of the members leaves no gaps. */
    enum span_style style : 5;
    bool has_category;
    uint32_t color;                       /* BY_RANGE: ARGB of the last coloured span; 0: none */
    const struct source_process *process; /* BY_THREAD, else NULL */
    uint32_t domain_name, text;           /* 0: the row has none */
    uint32_t tid, category, category_name;
    uint32_t unit; /* of counters: the number of a text, or 0 */
    uint64_t instances;
    struct distribution durations; /* ns; of ranges */
    struct drift *drift;           /* of ranges, from summary_make_with_drift; else NULL */
    /* BY_RANGE: the threads of its spans, and of its longest instance: indices in `threads`, or
     * SUMMARY_SEVERAL. */
    uint32_t thread, longest_thread;
    int64_t longest_at; /* of ranges, BY_RANGE: when the longest instance began */
    double self;        /* ns; of push/pop */
    /* Of push/pop: ns in which any range of the row was open, summed over threads; BY_THREAD: in
     * which the thread had any range open. */
    double inclusive;
    struct summary_counter *counter; /* of counters; else NULL */
    /* Of push/pop, if context switches were recorded, else NULL: ns of its instances, by enum
     * switches_state. */
    double *off;
};

struct summary_counter {
    double total, min, max, last; /* of its values */
    int64_t last_at;              /* the time of `last`, which is the latest value of all threads */
    /* If its samples are of one thread: when its value was first `max`; since when it is now
     * (INT64_MAX: it is not); how long it was, in ns. */
    int64_t high_from, high_since;
    double high_for;
};

#define SUMMARY_SEVERAL UINT32_MAX /* instead of the index of one thread */

struct summary {
    /* First pushed ranges, sorted by inclusive time; then process ranges, by total time; then
     * marks, then counters. */
    struct summary_row *rows;
    size_t count, capacity;
    enum summary_by by;
    struct map index; /* hash of a row's properties -> the row's number */
    const struct source *source;
    /* BY_RANGE: the threads of all spans. */
    struct summary_thread {
        const struct source_process *process;
        uint32_t tid;
        double busy;                /* ns in which it had any range open */
        uint32_t domain_name, text; /* of its first span, in the order of ends */
    } * threads;
    size_t thread_count, thread_capacity;
    struct map thread_index; /* process << 32 | tid -> index in `threads` */
    uint32_t last_thread;    /* index in `threads` of the last span's thread */
    double busy;             /* ns in which threads had any range open, summed over threads */
    /* ns: the filter's window. `first`, if the filter has no `from`: when the first span began.
     * `last`, if the filter has no `to`: when the last span ended. */
    int64_t first, last;
    size_t budget; /* see distribution_add */
    bool with_drift;
    struct span_totals totals;
};

void summary_make(struct summary *s, struct source *source, enum summary_by by);
/* Like summary_make BY_RANGE, but with the drift of each row. `among`: how many summaries share the
 * memory for quantiles. */
void summary_make_with_drift(struct summary *s, struct source *source, size_t among);
void summary_free(struct summary *s);

/* Counts the rows of a summary BY_RANGE, except counters: see fold.h. */
void summary_count_names(const struct summary *s, struct source *source, struct fold *f);

/* Finds or adds the row of a span, but does not count the span. */
struct summary_row *summary_row(struct summary *s, const struct span *span);
