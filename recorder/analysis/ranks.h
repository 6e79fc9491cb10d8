/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once
/* The ranges of many ranks, the numbered members of a parallel job. A recording holds one rank or
 * more. Memory grows with the number of ranks times the number of names: for each rank and name,
 * sums are kept, and the times of every 2^n-th instance on one thread. n may differ between ranks.
 * All ranks keep the instances that the rank with the largest n keeps. */
#include "gpu.h"
#include "../util/map.h"
#include "source.h"

enum {
    RANKS_MOMENTS = 256, /* for a range of a rank: times of at most so many instances are kept */
    RANKS_ALL = 4096,    /* the same for all ranges of a rank together; but each may keep 16 */
    RANKS_NAMES = 10000, /* how many names of ranges are kept; ranges of other names are left out */
};

/* One range on one rank. */
struct rank_cell {
    uint32_t range;     /* number of its name in ranks.names */
    uint64_t count;     /* instances on all threads of the rank */
    double total;       /* the sum of their durations, in ns */
    uint64_t instances; /* how many of `count` are on the thread that `moments` are from */
    uint64_t stride;    /* moments[i] is of instance i * stride */
    bool unnumbered; /* first instances may be lost, so the numbers of later ones are not known */
    uint32_t moment_count;
    struct rank_moment {
        int64_t start, end; /* ns since 1970, by the rank's own clock */
    } * moments;
    const struct source_process *process; /* of thread `tid`; valid only while the source is read */
    uint32_t tid;                         /* the thread that `moments` are from */
};

struct rank {
    uint32_t number, host; /* host: index in `hosts` */
    const char *path;      /* of the recording that has the rank */
    /* of its spans: first start, last end, as in rank_moment; begin INT64_MAX: unknown */
    int64_t begin, end;
    double after; /* set by rank_starts: ns from the median `begin` to `begin`; NaN: not known */
    struct gpu_union gpu_busy;
    /* of its GPUs' operations: first start, last end, as in struct span; gpu_end INT64_MIN: none */
    int64_t gpu_begin, gpu_end;
    struct rank_cell *cells;
    size_t cell_count, cell_capacity;
    struct map by_range; /* number of a name -> index in `cells` */
};

struct rank_host {
    uint32_t name;       /* number of a text in ranks.names */
    size_t ranks, first; /* its ranks are by_host[first] to by_host[first + ranks - 1] */
    /* Set by rank_clocks_fit. `ahead`: how far this host's clock is ahead of the clock of the first
     * rank's host, at ranks.base. `drift`: the change of `ahead` per ns. `error`: after the
     * correction, 95 % of the ends of `aligned_by` differ by at most this between both hosts. */
    bool fitted;
    double ahead, drift, error; /* ns, ns per ns, ns */
};

struct ranks {
    struct rank *all; /* sorted by number */
    size_t count, capacity;
    struct rank **by_host; /* the ranks, host after host; set by ranks_finish */
    struct rank_host *hosts;
    size_t host_count, host_capacity;
    struct string_table names; /* of ranges (domain:message) and of hosts */
    struct map ranges;         /* number of a range's name -> number of its name for people */
    uint64_t left_out;         /* instances of ranges that are beyond RANKS_NAMES */
    uint32_t world;            /* how many ranks there should be; 0: not known */
    int64_t base;              /* ns since 1970: the earliest moment of the first rank */
    uint32_t aligned_by; /* the range whose ends count as simultaneous on all ranks; 0: none */
    /* The smallest number of instances of `aligned_by` that a fitted host has in common with the
     * first rank's host. */
    size_t aligned_moments;
    /* ns; a rank starts late if its `after` is above this and above rank_error */
    double latest_start;
    struct rank_row *rows; /* those with the longest median first */
    size_t row_count;
    /* Prints a message about the recording at `path`. `what` is a printf format for `number`. */
    void (*complain)(const char *path, const char *what, uint32_t number);
};

/* Adds the ranges of a recording; `path` must stay valid. Calls `complain` for processes that
 * cannot be added. False with a message: see spans_in_order. */
bool ranks_add(struct ranks *all, struct source *source, const char *path, struct error *ret_error);

/* Call it after the last recording. */
void ranks_finish(struct ranks *all);
void ranks_free(struct ranks *all);

/* The name of a range, as people see it. */
const struct str *rank_short_name(const struct ranks *all, uint32_t range);

/* A rank's cell of a range; NULL if the rank lacks the range. */
const struct rank_cell *rank_cell_of(const struct rank *rank, uint32_t range);

/* The time of an instance of a range on a rank; NULL if it is not known. */
const struct rank_moment *rank_moment_of(const struct rank *rank, uint32_t range,
                                         uint64_t instance);

/* One clock for ranks of several hosts. A barrier or collective ends on all ranks at the same time,
 * except for the time of a wake-up. Many such ends give the clocks' offsets and drifts, by Theil
 * and Sen's medians, which outliers do not move. After the correction, 95 % of the ends differ
 * between a host and the first rank's host by at most rank_host.error. */

/* How far apart the starts and the ends of an instance of a range are on the ranks: ns from the
 * earliest start to the latest, and from the earliest end to the latest. Each is a median over
 * `instances` instances that at least two ranks have; NaN if there are none. */
struct rank_spread {
    double starts, ends;
    size_t instances;
};

/* Aligns the clocks by the range whose name has the number `range`. If `range` is 0, by the range
 * whose ends are closest together; the ends must be at most half as far apart as the starts. False:
 * there is no such range, or no other host shares at least three instances of it with the first
 * rank's host. If all ranks are on one host, always returns true. */
bool rank_clocks_fit(struct ranks *all, uint32_t range);

/* A time of a rank on the common clock, in ns since `base`. */
double rank_clock(const struct ranks *all, const struct rank *rank, int64_t time);

/* How many instances of a range have known times: the first and each *ret_stride-th after it. */
uint64_t rank_instances(const struct ranks *all, uint32_t range, uint64_t *ret_stride);

struct rank_spread rank_spread_of(const struct ranks *all, uint32_t range);

/* Sorts the values. NaN if there are none. */
double rank_median(double *values, size_t count);
double rank_quantile(const double *sorted, size_t count, double q);

/* How ranks differ: for each range, its time on each rank; for ranges that all ranks leave
 * together, which rank comes late. */

/* A range on all ranks. Below, the time of a rank is the sum of the range's durations on it. */
struct rank_row {
    uint32_t range; /* number of its name */
    size_t ranks;   /* how many ranks have the range */
    /* instances: the median number on a rank. median, least, most: of the ranks' times, in ns */
    double instances, median, least, most;
    double spread;    /* ns from the lower quartile of the ranks' times to the upper one */
    double imbalance; /* percent by which the slowest rank is above the median */
    const struct rank *slowest;
    /* How many ranks are above the median by more than 5 % and more than 5 standard deviations. */
    size_t outliers;
    /* `typical`: ns, the median of the ranks' median durations, which a few very long instances do
     * not move. `typical_imbalance`: percent by which the longest median is above `typical`. */
    double typical, typical_imbalance;
    /* How many ranks have a median duration that is an outlier among the medians (limits as for
     * `outliers`), and so many instances longer than `typical` that this has a probability of
     * about 3e-5 by chance. 0 if `last` is not NULL. */
    size_t stragglers;
    const struct rank *straggler; /* the one with the longest median, or NULL */
    double straggler_above;       /* percent by which its median is above `typical` */
    /* Only of a range that all ranks leave together, such as a barrier; else `last` is NULL. A long
     * duration of such a range means that the rank waited; a late arrival means that others waited
     * for the rank. */
    const struct rank *last; /* the rank that is most often the last to arrive */
    double last_share;       /* in how many percent of the instances it arrives last */
    double late, error;      /* ns; what rank_late and rank_error return for `last` */
    /* Whether to report the range: ranks do not wait for each other in it, and the slowest rank
     * spends at least 1 % of the time in it that the median rank spends in the longest range. */
    bool is_worth;
};

/* How late each rank comes to instances of a range. */
struct rank_arrivals {
    size_t count; /* of instances: the first and each stride-th after it */
    uint64_t stride;
    double *late;  /* [rank * count + instance]: ns after the median rank; NaN: not known */
    size_t *lasts; /* of each rank, how often it was the last */
};

struct rank_arrivals rank_arrivals_make(const struct ranks *all, uint32_t range);
void rank_arrivals_free(struct rank_arrivals *a);

/* How late ranks come over time. Line l is of the ranks [rank_map_at(m, l), rank_map_at(m, l + 1)),
 * column c of the instances [c * a->count / columns, (c + 1) * a->count / columns). */
struct rank_map {
    size_t lines, columns, ranks;
    /* [line * columns + column]: for each rank of the line the median of how late it comes, and of
     * these the largest: one median over all would hide a late rank among many. NaN: not known */
    double *late;
    double most; /* 95 % of those that are late are at most this; 0: none is late */
};

/* Has at most `lines` and `columns`. The caller frees `late`. */
struct rank_map rank_map_make(const struct ranks *all, const struct rank_arrivals *a, size_t lines,
                              size_t columns);
size_t rank_map_at(const struct rank_map *m, size_t line);

/* Compares the ranks that were added: ranks_finish, rank_clocks_fit, then sets `after` of each
 * rank, latest_start and `rows`. Returns what rank_clocks_fit returns. */
bool ranks_compare(struct ranks *all, uint32_t range);

/* Adds and compares the ranks of a source that was read before. False: it has fewer than two. */
bool ranks_read(struct ranks *all, struct source *source);

/* The median lateness of a rank; NaN if it is known for no instance. */
double rank_late(const struct ranks *all, const struct rank_arrivals *a, const struct rank *rank);

/* The largest error of the clocks between a rank and a rank of another host, in ns. */
double rank_error(const struct ranks *all, const struct rank *rank);
