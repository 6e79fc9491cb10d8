/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "ranks.h"
#include "../util/memory.h"

#include <math.h>
#include <stdlib.h>

/* At most CANDIDATES ranges are tried, with at most TRIED instances each. Then the best range
 * aligns the clocks, with at most POINTS instances. A host must have at least LEAST of these
 * instances in common with the first rank's host. */
enum { LEAST = 3, TRIED = 16, CANDIDATES = 64, POINTS = 128 };

ARRAY_ORDER(by_value, double, ORDER(*x, *y))

double rank_quantile(const double *sorted, size_t count, double q) {
    double place = q * (double)(count - 1);
    size_t below = (size_t)place;

    if (!count) {
        return NAN;
    }
    double part = place - (double)below;
    return part > 0 ? sorted[below] + part * (sorted[below + 1] - sorted[below]) : sorted[below];
}

double rank_median(double *values, size_t count) {
    ARRAY_SORT(values, count, by_value);
    return count ? rank_quantile(values, count, 0.5) : NAN;
}

double rank_clock(const struct ranks *all, const struct rank *rank, int64_t time) {
    const struct rank_host *h = &all->hosts[rank->host];

    return ((double)(time - all->base) - h->ahead) / (1 + h->drift);
}

uint64_t rank_instances(const struct ranks *all, uint32_t range, uint64_t *ret_stride) {
    uint64_t most = 0;

    *ret_stride = 1;
    for (size_t i = 0; i < all->count; i++) {
        const struct rank_cell *c = rank_cell_of(&all->all[i], range);
        if (c && c->moment_count && !c->unnumbered) {
            *ret_stride = c->stride > *ret_stride ? c->stride : *ret_stride;
            most = c->instances > most ? c->instances : most;
        }
    }
    return (most + *ret_stride - 1) / *ret_stride;
}

/* When an instance of a range ended on a host, by the host's clock, in ns since `base`: the median
 * over the host's ranks; NaN: none has the instance. `scratch`: memory for one double per rank. */
static double end_on(const struct ranks *all, size_t host, uint32_t range, uint64_t instance,
                     double *scratch) {
    struct rank *const *ranks = all->by_host + all->hosts[host].first;
    size_t count = 0;

    for (size_t i = 0; i < all->hosts[host].ranks; i++) {
        const struct rank_moment *m = rank_moment_of(ranks[i], range, instance);
        if (m) {
            scratch[count++] = (double)(m->end - all->base);
        }
    }
    return rank_median(scratch, count);
}

/* Fits a line through points with outliers (Theil and Sen). *ret_at_0: the line's y at x = 0. */
static void theil_sen(const double *x, const double *y, size_t count, double *ret_slope,
                      double *ret_at_0) {
    double *slopes = must_alloc(NULL, count * count / 2 + 1, sizeof(*slopes));
    size_t used = 0;

    for (size_t i = 0; i < count; i++) {
        for (size_t k = i + 1; k < count; k++) {
            if (x[k] > x[i]) {
                slopes[used++] = (y[k] - y[i]) / (x[k] - x[i]);
            }
        }
    }
    *ret_slope = used ? rank_median(slopes, used) : 0;
    double *rest = must_alloc(slopes, count + used, sizeof(*rest));
    for (size_t i = 0; i < count; i++) {
        rest[i] = y[i] - *ret_slope * x[i];
    }
    *ret_at_0 = rank_median(rest, count);
    free(rest);
}

/* Fits the hosts' clocks with at most `points` instances of a range. False: no other host has LEAST
 * of these instances in common with the first rank's host. */
static bool fit(struct ranks *all, uint32_t range, size_t points) {
    uint64_t stride, count = rank_instances(all, range, &stride), step = count / points + 1;
    double *scratch = must_alloc(NULL, all->count + 1, sizeof(*scratch));
    double x[POINTS], y[POINTS], off[POINTS], reference[POINTS];
    uint64_t number[POINTS];
    size_t known = 0, least = SIZE_MAX;

    for (uint64_t i = 0; i < count && known < points; i += step) {
        double end = end_on(all, all->all[0].host, range, i * stride, scratch);
        if (!isnan(end)) {
            number[known] = i * stride;
            reference[known++] = end;
        }
    }
    for (size_t h = 0; h < all->host_count; h++) {
        struct rank_host *host = &all->hosts[h];
        *host = (struct rank_host){.name = host->name, .ranks = host->ranks, .first = host->first};
        host->fitted = h == all->all[0].host;
        size_t shared = 0;
        for (size_t i = 0; i < known && !host->fitted; i++) {
            double end = end_on(all, h, range, number[i], scratch);
            if (!isnan(end)) {
                x[shared] = reference[i];
                y[shared++] = end - reference[i];
            }
        }
        if (!host->fitted && shared >= LEAST) {
            theil_sen(x, y, shared, &host->drift, &host->ahead);
            for (size_t i = 0; i < shared; i++) {
                off[i] = fabs(y[i] - host->ahead - host->drift * x[i]);
            }
            rank_median(off, shared); /* sorts */
            host->error = rank_quantile(off, shared, 0.95);
            host->fitted = true;
            least = shared < least ? shared : least;
        }
    }
    free(scratch);
    all->aligned_moments = least == SIZE_MAX ? known : least;
    return least != SIZE_MAX;
}

struct rank_spread rank_spread_of(const struct ranks *all, uint32_t range) {
    uint64_t stride, count = rank_instances(all, range, &stride), step = count / POINTS + 1;
    double starts[POINTS], ends[POINTS];
    size_t used = 0;

    for (uint64_t i = 0; i < count && used < POINTS; i += step) {
        double first[2] = {INFINITY, INFINITY}, last[2] = {-INFINITY, -INFINITY};
        size_t there = 0;
        for (size_t k = 0; k < all->count; k++) {
            const struct rank *rank = &all->all[k];
            const struct rank_moment *m = rank_moment_of(rank, range, i * stride);
            if (m && all->hosts[rank->host].fitted) {
                double time[2] = {rank_clock(all, rank, m->start), rank_clock(all, rank, m->end)};
                for (int e = 0; e < 2; e++) {
                    first[e] = fmin(first[e], time[e]);
                    last[e] = fmax(last[e], time[e]);
                }
                there++;
            }
        }
        if (there > 1) {
            starts[used] = last[0] - first[0];
            ends[used++] = last[1] - first[1];
        }
    }
    return (struct rank_spread){rank_median(starts, used), rank_median(ends, used), used};
}

/* Whether a range has enough instances, and at least three quarters of the ranks have as many
 * instances of it as the rank with the most. */
static bool is_candidate(const struct ranks *all, uint32_t range) {
    uint64_t stride, most = 0;
    size_t same = 0;

    if (rank_instances(all, range, &stride) < LEAST) {
        return false;
    }
    for (size_t i = 0; i < all->count; i++) {
        const struct rank_cell *c = rank_cell_of(&all->all[i], range);
        uint64_t instances = c && !c->unnumbered ? c->instances : 0;
        same = instances > most ? 1 : same + (instances == most);
        most = instances > most ? instances : most;
    }
    return 4 * same >= 3 * all->count;
}

struct candidate {
    uint32_t range;
    double total;
};

ARRAY_ORDER(by_total, struct candidate, ORDER(y->total, x->total) ?: ORDER(x->range, y->range))

/* Finds the first rank's ranges that are candidates, longest total first. Returns how many. */
static size_t candidates(const struct ranks *all, struct candidate **ret) {
    const struct rank *first = &all->all[0];
    struct candidate *found = must_alloc(NULL, first->cell_count + 1, sizeof(*found));
    size_t count = 0;

    for (size_t i = 0; i < first->cell_count; i++) {
        if (is_candidate(all, first->cells[i].range)) {
            found[count++] = (struct candidate){first->cells[i].range, first->cells[i].total};
        }
    }
    qsort(found, count, sizeof(*found), by_total);
    *ret = found;
    return count < CANDIDATES ? count : CANDIDATES;
}

bool rank_clocks_fit(struct ranks *all, uint32_t range) {
    struct candidate *tried = NULL;
    size_t count = !range && all->count ? candidates(all, &tried) : 0;
    double best = INFINITY;

    for (size_t i = 0; i < count; i++) {
        if (all->host_count > 1 && !fit(all, tried[i].range, TRIED)) {
            continue;
        }
        all->hosts[all->all[0].host].fitted = true;
        struct rank_spread s = rank_spread_of(all, tried[i].range);
        if (s.instances >= LEAST && s.ends < best && 2 * s.ends <= s.starts) {
            best = s.ends;
            range = tried[i].range;
        }
    }
    free(tried);
    for (size_t i = 0; i < all->host_count; i++) {
        struct rank_host *h = &all->hosts[i];
        *h = (struct rank_host){.name = h->name, .ranks = h->ranks, .first = h->first};
    }
    if (all->count && all->host_count == 1) {
        all->hosts[0].fitted = true; /* all ranks have the same clock */
        all->aligned_by = range;
        return true;
    }
    all->aligned_by = range && fit(all, range, POINTS) ? range : 0;
    return all->aligned_by != 0;
}
