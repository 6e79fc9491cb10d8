/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_SUMS_COMPARE_H
#define NVTXH_SUMS_COMPARE_H
/* Compares two programs, A and B, each recorded in one run or several. Each run gives one number for a range: the
 * median of the range's durations. With three or more runs on each side, Welch's t-test compares the logarithms of the
 * medians, and Holm's method adjusts p for the number of tested ranges. With fewer runs, nothing distinguishes a change
 * of the program from the usual difference between two runs. The change is then compared with the drift, within each
 * run (see drift_add) and between one side's runs. */
#include "distribution.h"
#include "summary.h"

enum {
    COMPARISON_RUNS = 3, /* with fewer runs on a side, a range is not tested */
    COMPARISON_FEW = 5,  /* with fewer instances in a run, the drift is unknown */
    COMPARISON_NEAR = 5, /* percent; see COMPARISON_SAME */
};

enum comparison_verdict {
    /* Tested: */
    COMPARISON_SAME,    /* the whole interval of the change is within COMPARISON_NEAR percent */
    COMPARISON_UNCLEAR, /* no significant change, but an interval beyond COMPARISON_NEAR */
    COMPARISON_FASTER,
    COMPARISON_SLOWER,
    /* Fewer runs: */
    COMPARISON_WITHIN_DRIFT,
    COMPARISON_BEYOND_DRIFT,
    /* The range is in too few runs for the test, or there is no test and the drift is unknown. */
    COMPARISON_TOO_FEW,
    COMPARISON_ONLY_A,
    COMPARISON_ONLY_B,
    /* Marks and counters: */
    COMPARISON_SAME_NUMBER,
    COMPARISON_OTHER_NUMBER,
    COMPARISON_VERDICTS
};

extern const char *const comparison_words[COMPARISON_VERDICTS];

/* A range in the runs of one program. */
struct comparison_side {
    size_t runs;             /* runs that have the range */
    double median;           /* ns, the geometric mean of the runs' medians */
    double instances, total; /* means of the runs; total: in ns */
};

struct comparison_row {
    const struct summary *summary; /* of one of the runs that have the range */
    const struct summary_row *row;
    struct comparison_side a, b;
    enum comparison_verdict verdict;
    double weight; /* ns: B's mean total time less A's */
    /* The change of the median, in percent; NaN: unknown. */
    double change;
    double low, high; /* if tested: the confidence interval of the change, at the level 1 - alpha */
    double p;         /* the adjusted probability of so large a change by chance; NaN: not tested */
    double drift;     /* in percent, if not tested; NaN: unknown */
};

struct comparison {
    /* Changed rows first, then unchanged rows, both by weight, largest first. */
    struct comparison_row *rows;
    size_t count, room;
    bool tested; /* both sides have enough runs for the test */
};

/* `runs`: of summary_make_with_drift, A's, then B's; must stay valid. A change is significant if p < `alpha`. */
void compare(struct comparison *c, const struct summary *runs, size_t a_count, size_t b_count, double alpha);
void comparison_free(struct comparison *c);

/* Whether B is slower by more than `percent`: significantly if tested, else on top of the drift. */
bool comparison_exceeds(const struct comparison_row *row, double percent);

#endif /* NVTXH_SUMS_COMPARE_H */
