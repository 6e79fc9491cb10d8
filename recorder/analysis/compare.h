/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once
/* Compares two programs, A and B, each recorded in one run or several. Each run gives one number
 * for each figure of a range. With three or more runs of each program, Welch's t-test compares the
 * logarithms of these numbers, and Holm's method adjusts p for the number of all tests: one for
 * each range and figure. With fewer runs, nothing distinguishes a change of the program from the
 * usual difference between two runs. The change of the median is then compared with the drift: the
 * change within a run (see drift_add) or between the runs of one program, whichever is larger. */
#include "gpu.h"
#include "summary.h"

enum {
    COMPARISON_RUNS = 3, /* with fewer runs of A or of B, a range is not tested */
    COMPARISON_FEW = 5,  /* with fewer instances in a run, the drift is unknown */
    COMPARISON_NEAR = 5, /* percent; for the confidence interval: see COMPARISON_SAME */
    /* with fewer instances in a run, P99 is not tested: it is close to the longest duration */
    COMPARISON_MANY = 100
};

enum comparison_figure {
    COMPARISON_TOTAL,    /* ns, the inclusive time; of process ranges the sum of all durations */
    COMPARISON_SELF,     /* ns */
    COMPARISON_MEDIAN,   /* ns, of the durations */
    COMPARISON_P99,      /* ns, of the durations */
    COMPARISON_CPU,      /* ns of the durations with a processor; NaN: not known of a run */
    COMPARISON_GPU_BUSY, /* ns; NaN: the range launched no operation in any run */
    COMPARISON_GPU_SUM,  /* ns */
    COMPARISON_GPU_OPS,
    COMPARISON_COUNT, /* how many instances */
    COMPARISON_SUM,   /* ns, the sum of all durations */
    COMPARISON_VALUE, /* of a counter: the average of its samples */
    COMPARISON_FIGURES
};
extern const char *const comparison_figure_words[COMPARISON_FIGURES];

enum comparison_verdict {
    /* If the range was tested: */
    COMPARISON_SAME,    /* no significant change; confidence interval within COMPARISON_NEAR */
    COMPARISON_UNCLEAR, /* no significant change, but the interval reaches beyond COMPARISON_NEAR */
    COMPARISON_FASTER,
    COMPARISON_SLOWER,
    /* If it was not tested, because there are too few runs: */
    COMPARISON_WITHIN_DRIFT,
    COMPARISON_BEYOND_DRIFT,
    /* Too few runs (for P99: or instances) for the test; or no test, and the drift is unknown. */
    COMPARISON_TOO_FEW,
    COMPARISON_NO_FIGURE, /* the range lacks the figure */
    COMPARISON_ONLY_A,
    COMPARISON_ONLY_B,
    /* Marks and counters: */
    COMPARISON_SAME_NUMBER,
    COMPARISON_OTHER_NUMBER,
    COMPARISON_OTHER_VALUES, /* counters: the averages of the samples differ */
    COMPARISON_VERDICTS
};

extern const char *const comparison_words[COMPARISON_VERDICTS];

/* A range in the runs of one program. */
struct comparison_side {
    size_t runs; /* how many runs have the range */
    /* means over the runs, for MEDIAN and P99 geometric means; NaN: unknown */
    double figures[COMPARISON_FIGURES];
};

struct comparison_row {
    const struct source *source;       /* of one of the runs that have the range */
    uint32_t domain_name, text, color; /* the range's; texts of `source` */
    enum span_style style;
    struct comparison_side a, b;
    /* by figure: the adjusted probability of such a change by chance; NaN: not tested */
    double p[COMPARISON_FIGURES];
    unsigned changed; /* a bit for each figure that changed significantly */
    enum comparison_verdict verdict;
    double change;    /* percent by which the figure comparison.lead changed; NaN: unknown */
    double low, high; /* if tested: the confidence interval of `change`, at the level 1 - alpha */
    double drift;     /* in percent, if not tested; NaN: unknown */
};

struct comparison {
    /* First the rows that changed significantly or that one program lacks, then the others; both
     * sorted by change of GPU busy time, then by the sum of the changes of total and self time. */
    struct comparison_row *rows;
    size_t count, capacity;
    struct comparison_test {
        size_t row;
        enum comparison_figure figure;
        double p;
        bool counts; /* whether Holm's method counts this test: see counts() in compare.c */
    } * tests;
    size_t test_count, test_capacity;
    bool is_tested; /* both programs have enough runs for the test */
    /* Set by the caller: */
    double alpha;                /* a change is significant if p < `alpha` */
    unsigned tested;             /* a bit for each figure that is tested */
    enum comparison_figure lead; /* the figure that verdicts are about: usually the median */
};

/* What `nvtxh diff` tests and asks if no option says otherwise. */
#define COMPARISON_USUAL                                                                           \
    { .alpha = 0.01, .lead = COMPARISON_MEDIAN, .tested = (1u << COMPARISON_SUM) - 1 }

/* Makes the rows. `runs`: the summaries of the runs of A, then of B, from summary_make_with_drift.
 * `gpus`: of the same sources, by gpu_make with GPU_BY_RANGE, or all zero. Only the sources must
 * stay valid. */
void compare(struct comparison *c, const struct summary *runs, const struct gpu *gpus,
             size_t a_count, size_t b_count);
void comparison_free(struct comparison *c);

/* By how much a figure is larger in B than in A. If a program lacks the range, its figure is 0. */
double comparison_gain(const struct comparison_row *row, enum comparison_figure f);

/* By how many ns total and self time changed, added up. */
double comparison_weight(const struct comparison_row *row);

/* Whether the figure comparison.lead is larger in B than in A by more than `percent`. If the range
 * was tested, the change must be significant, too. If it was not tested, the change must exceed
 * `percent` on top of the drift. */
bool comparison_exceeds(const struct comparison_row *row, double percent);
