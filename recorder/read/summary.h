/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_READ_SUMMARY_H
#define NVTXH_READ_SUMMARY_H
/* Ranges and marks of one name taken together. */
#include "spans.h"

struct summary_row {
    enum span_style style;
    uint32_t domain_name, text;
    uint64_t instances;
    uint64_t *durations; /* ns; NULL for marks */
    size_t room;
    double total, average, median, deviation;
    uint64_t min, max;
};

struct summary {
    struct summary_row *rows; /* ranges first, by total time; then marks, by number */
    size_t count, room;
    struct map index;
    const struct recording *recording;
    double total;
    struct span_totals totals;
};

void summary_make(struct summary *s, struct recording *r);
void summary_free(struct summary *s);

#endif /* NVTXH_READ_SUMMARY_H */
