/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_ANALYSIS_SUMMARY_H
#define NVTXH_ANALYSIS_SUMMARY_H
/* Ranges, marks and samples of counters, added up by name, domain, category or thread. */
#include "distribution.h"
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
    double self;                   /* ns; of push/pop */
    /* Of push/pop: ns in which any range of the row was open, summed over threads; BY_THREAD: in
     * which the thread had any range open. */
    double inclusive;
    double value_total, value_min, value_max, value_last; /* of counters */
    int64_t last_at; /* the time of value_last, which is the latest value of all threads */
};

struct summary {
    /* First pushed ranges, sorted by inclusive time; then process ranges, by total time; then
     * marks, then counters. */
    struct summary_row *rows;
    size_t count, capacity;
    enum summary_by by;
    struct map index; /* hash of a row's properties -> the row's number */
    const struct source *source;
    double busy; /* ns in which threads had any range open, summed over threads */
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

/* Finds or adds the row of a span, but does not count the span. */
struct summary_row *summary_row(struct summary *s, const struct span *span);

#endif /* NVTXH_ANALYSIS_SUMMARY_H */
