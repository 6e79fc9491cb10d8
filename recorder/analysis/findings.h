/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once
/* What was slow, before anybody asks: the few facts of a report that explain the most time. Each
 * kind has a bound below which it is not a finding, so most recordings of noise have none. */
#include "compare.h"
#include "ranks.h"
#include "summary.h"

enum finding_kind {
    FINDING_LOST,     /* events were lost, so all figures are too small. figure: how many */
    FINDING_SELF,     /* a range is the innermost for a fifth of Busy or more. figure: ns; usual:
                          its share of Busy, in percent */
    FINDING_INSTANCE, /* one instance is far from the rest. figure: ns; usual: the median */
    FINDING_IDLE,     /* a thread is busy for less than half the median of the threads that are like
                          it. figure: ns; usual: that median */
    FINDING_PREEMPTED, /* a range was preempted for a fifth of its time or more. figure: ns; usual:
                          percent of its time */
    FINDING_COUNTER,   /* a counter is at its highest for a tenth of the time or more. figure: the
                          value; usual: percent of the time */
    FINDING_GPU_IDLE,  /* GPUs idle for a fifth of the time between a range's operations, or more.
                          figure: ns; usual: percent of this time */
    FINDING_CHANGE,    /* a time changed from A to B. figure: in B; usual: in A; NaN: not there */
    FINDING_STRAGGLER, /* a rank is a straggler in a range. figure: percent above the median; usual:
                          how many ranks are stragglers */
    FINDING_LATE,      /* a rank starts late. figure: ns after the median rank */
};

struct finding {
    enum finding_kind kind;
    double explains; /* ns; findings are sorted by it */
    const struct source *source;
    uint32_t domain_name, text;          /* the range or the counter; 0 for the other kinds */
    const struct rank *rank;             /* STRAGGLER, LATE */
    const struct ranks *ranks;           /* the same */
    uint32_t range;                      /* STRAGGLER: the number of its name in `ranks` */
    enum comparison_figure changed;      /* CHANGE: which time */
    const struct summary_thread *thread; /* NULL: several */
    int64_t at;                          /* INSTANCE, COUNTER: ns, when that was */
    double figure, usual;
};

enum { FINDINGS = 6 }; /* how many there are at most */

struct findings {
    struct finding all[FINDINGS];
    size_t count;
};

/* `s`: BY_RANGE, which must live on. `source` gets the texts of shared names. */
struct findings findings_of(const struct summary *s, struct source *source);
/* `g`: GPU_BY_RANGE. */
struct findings findings_of_gpu(const struct gpu *g);
struct findings findings_of_changes(const struct comparison *c);
/* `all`: with rows; it must live on. */
struct findings findings_of_ranks(const struct ranks *all);
void findings_join(struct findings *f, const struct findings *more);
