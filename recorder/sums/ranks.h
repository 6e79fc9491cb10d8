/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_SUMS_RANKS_H
#define NVTXH_SUMS_RANKS_H
/* The ranges of many ranks; a recording holds one rank or more. The numbers of ranks and names
 * bound the memory: for each pair, sums and the times of every 2^n-th instance of one thread are
 * kept, of all ranks the same instances. */
#include "gpu.h"
#include "../base/map.h"
#include "../source/source.h"

enum {
    RANKS_MOMENTS = 256, /* instances whose times are kept of a range of a rank, at most */
    RANKS_ALL = 4096,    /* for all ranges of a rank together; but 16 of each may stay */
    RANKS_NAMES = 10000, /* different ranges, at most; others are left out */
};

struct rank_cell {
    uint32_t range;     /* number of its name */
    uint64_t count;     /* instances on all threads of the rank */
    double total;       /* their durations together, in ns */
    uint64_t instances; /* only those on the thread that `moments` are from */
    uint64_t stride;    /* moment i is instance i * stride */
    bool unnumbered; /* the first instances are lost, so the numbers of the others are not known */
    uint32_t moment_count;
    struct rank_moment {
        int64_t start, end; /* ns since 1970, by the rank's own clock */
    } * moments;
    const struct source_process *process; /* of that thread; valid only while its source is read */
    uint32_t tid;                         /* of that thread */
};

struct rank {
    uint32_t number, host; /* host: index in `hosts` */
    const char *path;      /* of its recording */
    int64_t begin, end;    /* of its events, as in rank_moment; begin INT64_MAX: not known */
    struct gpu_union gpu_busy;
    /* of its operations of GPUs, as in struct span; gpu_end INT64_MIN: there are none */
    int64_t gpu_begin, gpu_end;
    struct rank_cell *cells;
    size_t cell_count, cell_room;
    struct map by_range; /* number of a name -> index in `cells` */
};

struct rank_host {
    uint32_t name;       /* in `names` */
    size_t ranks, first; /* `ranks` ranks begin at by_host[first] */
    /* Set by rank_clocks_fit. `ahead`: how far this clock is ahead of that of the first rank's
     * host, at `base`. `drift`: the change of `ahead` per ns. `error`: after the correction, 95 %
     * of the ends differ by at most this. */
    bool fitted;
    double ahead, drift, error; /* ns, 1, ns */
};

struct ranks {
    struct rank *all; /* by number */
    size_t count, room;
    struct rank **by_host; /* the ranks, host after host; set by ranks_finish */
    struct rank_host *hosts;
    size_t host_count, host_room;
    struct texts names;  /* of ranges (domain:message) and of hosts */
    struct map ranges;   /* number of a name -> that of the name for people */
    uint64_t left_out;   /* instances of ranges that are beyond RANKS_NAMES */
    uint32_t world;      /* how many ranks there should be; 0: not known */
    int64_t base;        /* ns since 1970: the first moment of the first rank */
    uint32_t aligned_by; /* the range whose ends are simultaneous; 0: none */
    /* Instances of `aligned_by` shared with the first rank's host, by the host that shares the
     * fewest. */
    size_t aligned_moments;
    /* Prints a message about the recording at `path`. `what` is a format for `number`. */
    void (*complain)(const char *path, const char *what, uint32_t number);
};

/* Adds the ranges of a recording; `path` must stay valid. Calls `complain` for processes that
 * cannot be added. False with a message: see spans_in_order. */
bool ranks_add(struct ranks *all, struct source *source, const char *path, struct error *ret_error);

/* Call it after the last recording. */
void ranks_finish(struct ranks *all);
void ranks_free(struct ranks *all);

/* A rank's cell of a range; NULL if it has none. */
const struct rank_cell *rank_cell_of(const struct rank *rank, uint32_t range);

/* The time of an instance of a range on a rank; NULL if it is not known. */
const struct rank_moment *rank_moment_of(const struct rank *rank, uint32_t range,
                                         uint64_t instance);

/* One clock for ranks of several hosts. A barrier or collective ends on all ranks at the same time,
 * except for the time of a wake-up. Many such ends give the clocks' offsets and drifts, by Theil
 * and Sen's medians, which outliers do not move. After the correction, 95 % of the ends differ
 * between two hosts by at most the reported error. */

/* Medians over the `instances` instances of a range that at least two ranks have, in ns: from the
 * first rank's start to the last rank's, and from the first rank's end to the last rank's. NaN if
 * there are none. */
struct rank_spread {
    double starts, ends;
    size_t instances;
};

/* Aligns the clocks by the range whose name has the number `range`. 0: by the range whose ends are
 * closest together; its ends must be at most half as far apart as its starts. False: there is no
 * such range, or no other host shares at least three instances of it with the first rank's host.
 * With one host it is always true. */
bool rank_clocks_fit(struct ranks *all, uint32_t range);

/* A time of a rank on the common clock, in ns since `base`. */
double rank_clock(const struct ranks *all, const struct rank *rank, int64_t time);

/* How many instances of a range have known times. They are the instances 0, stride, 2 * stride,
 * ... */
uint64_t rank_instances(const struct ranks *all, uint32_t range, uint64_t *ret_stride);

struct rank_spread rank_spread_of(const struct ranks *all, uint32_t range);

/* Sorts the values. NaN if there are none. */
double rank_median(double *values, size_t count);
/* The median of the values that are not NaN. */
double rank_known_median(const double *values, size_t count);
double rank_quantile(const double *sorted, size_t count, double q);

/* How ranks differ: for each range, its time on each rank; for ranges that all ranks share, which
 * rank comes late. */

/* A range on all ranks. The time of a rank is the sum of the range's durations on it. */
struct rank_row {
    uint32_t range;
    size_t ranks;
    double instances, median, least, most; /* of the ranks; instances: the median; others in ns */
    double spread;                         /* ns, between the quartiles */
    double imbalance; /* percent by which the slowest rank is above the median */
    const struct rank *slowest;
    /* Ranks above the median by more than 5 % and by more than 5 standard deviations. */
    size_t outliers;
    /* The same of the ranks' median durations, which a few very long instances do not move; ns,
     * percent. */
    double typical, typical_imbalance;
    /* Outliers by their median durations, most of whose instances are longer than `typical`: so
     * many more than half of them that chance has a probability of 3e-5. None in a range that all
     * ranks leave together. */
    size_t stragglers;
    const struct rank *straggler; /* the one with the longest median, or NULL */
    double straggler_above;       /* percent by which its median is above `typical` */
    /* Only of a range that all ranks leave together, such as a barrier; else `last` is NULL. A long
     * duration of such a range means that the rank waited; a late arrival means that others waited
     * for the rank. */
    const struct rank *last; /* the rank that is most often the last to arrive */
    double last_share;       /* in how many percent of the instances */
    double late, error;      /* ns: its median time after the median rank; the clocks' error */
};

/* How late each rank comes to instances of a range. */
struct rank_arrivals {
    size_t count;  /* of instances */
    double *late;  /* ns after the median rank, at [rank * count + instance]; NaN: not known */
    size_t *lasts; /* of each rank, how often it was the last */
};

/* The rows, those with the longest median first. The caller frees them. */
struct rank_row *rank_rows_make(const struct ranks *all, size_t *ret_count);
struct rank_arrivals rank_arrivals_make(const struct ranks *all, uint32_t range);
void rank_arrivals_free(struct rank_arrivals *a);

/* Sets ret_after[i] to how long after the median rank's first event rank i has its first one, in
 * ns; NaN: not known. Returns the value from which on a rank is a late starter, unless the clocks'
 * error is larger. */
double rank_starts(const struct ranks *all, double *ret_after);

/* The median lateness of a rank; NaN if it is not known for any instance. */
double rank_late(const struct ranks *all, const struct rank_arrivals *a, const struct rank *rank);

/* The largest error of the clocks between a rank and a rank of another host, in ns. */
double rank_error(const struct ranks *all, const struct rank *rank);

#endif /* NVTXH_SUMS_RANKS_H */
