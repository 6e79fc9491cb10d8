/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_READ_COMPARE_H
#define NVTXH_READ_COMPARE_H
/* Two recordings, range by range. */
#include "summary.h"

struct comparison_row {
    const struct summary_row *a, *b; /* NULL: the range is in the other recording alone */
    double p;      /* that medians differ this much by chance; adjusted for the number of ranges;
                      NaN if that was not tested */
    double change; /* of the median, in percent; NaN if there is none */
    double weight; /* ns of total time that the change makes */
    bool matters;  /* the change is significant, or the range is in one of them alone */
};

struct comparison {
    struct comparison_row *rows; /* what is significant first, and there by weight */
    size_t count, room;
};

/* Of two summaries BY_RANGE, which must stay. `alpha` is the p below which a change is significant. */
void compare(struct comparison *c, const struct summary *a, const struct summary *b, double alpha);
void comparison_free(struct comparison *c);

#endif /* NVTXH_READ_COMPARE_H */
