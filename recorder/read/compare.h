/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_READ_COMPARE_H
#define NVTXH_READ_COMPARE_H
/*
 * What changed between two programs, A and B, each recorded once or several times. The run is the unit: for each
 * range, a run gives one number, the median of its durations.
 *
 * With three runs a side or more the logarithms of those medians are compared by Welch's t-test, adjusted by Holm's
 * method for the number of ranges that are tested. With fewer runs, a change cannot be told from the difference
 * between two runs of one program. It is then compared with the drift within the runs (drift.h), and between two of
 * them.
 */
#include "drift.h"
#include "summary.h"

enum {
    COMPARISON_RUNS = 3, /* a side, to be tested */
    COMPARISON_FEW = 5,  /* instances */
    COMPARISON_NEAR = 5, /* percent */
};

enum comparison_verdict {
    /* Tested: */
    COMPARISON_SAME,    /* the whole interval of the change is within COMPARISON_NEAR percent */
    COMPARISON_UNCLEAR, /* the runs cannot tell */
    COMPARISON_FASTER,
    COMPARISON_SLOWER,
    /* Fewer runs: */
    COMPARISON_WITHIN_DRIFT,
    COMPARISON_BEYOND_DRIFT,
    /* The range is in too few runs. Or it was not tested, and has too few instances or too short a time. */
    COMPARISON_TOO_FEW,
    COMPARISON_ONLY_A,
    COMPARISON_ONLY_B,
    /* Marks and counters: */
    COMPARISON_SAME_NUMBER,
    COMPARISON_OTHER_NUMBER,
    COMPARISON_VERDICTS
};

extern const char *const comparison_words[COMPARISON_VERDICTS];

/* One program's side of a range. */
struct comparison_side {
    size_t runs;             /* that have it */
    double median;           /* ns, the geometric mean of the runs' medians */
    double instances, total; /* the mean of a run */
};

struct comparison_row {
    const struct summary *summary; /* of one of the runs that have the range */
    const struct summary_row *row;
    struct comparison_side a, b;
    enum comparison_verdict verdict;
    double weight; /* the change of a run's total time, in ns */
    /* The change of the median, in percent; NaN: unknown. */
    double change;
    double low, high; /* if it was tested: the confidence interval of the change, at 1 - alpha */
    double p;     /* the probability, adjusted, of such a difference by chance; NaN: not tested */
    double drift; /* if it was not tested */
};

struct comparison {
    struct comparison_row *rows; /* changed rows first, then the others; both by weight */
    size_t count, room;
    bool tested;
};

/* Compares the summaries of runs, made with drift, the first `a_count` of which are A's. They must stay valid. A change
 * is significant if its p is below `alpha`. */
void compare(struct comparison *c, const struct summary *runs, size_t a_count, size_t b_count,
             double alpha);
void comparison_free(struct comparison *c);

/* Whether B is slower by more than `percent`: significantly or, if that was not tested, by more than the drift, too. */
bool comparison_exceeds(const struct comparison_row *row, double percent);

#endif /* NVTXH_READ_COMPARE_H */
