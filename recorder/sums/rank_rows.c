/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "ranks.h"
#include "../base/memory.h"

#include <math.h>
#include <stdlib.h>

#define NORMAL 1.4826 /* deviation of a normal distribution / median distance from the median */

double rank_error(const struct ranks *all, const struct rank *rank)
{
    double most = 0;

    for (size_t i = 0; i < all->host_count; i++) {
        most = i != rank->host ? fmax(most, all->hosts[i].error) : most;
    }
    return all->hosts[rank->host].error + most;
}

struct rank_arrivals rank_arrivals_make(const struct ranks *all, uint32_t range)
{
    uint64_t stride, count = rank_instances(all, range, &stride);
    struct rank_arrivals a = {.count = count};
    double *known = must_alloc(NULL, all->count, sizeof(*known));

    a.late = must_alloc(NULL, all->count * count, sizeof(*a.late));
    a.lasts = must_alloc(NULL, all->count, sizeof(*a.lasts));
    for (size_t i = 0; i < all->count; i++) {
        a.lasts[i] = 0;
    }
    for (uint64_t k = 0; k < count; k++) {
        size_t there = 0, last = SIZE_MAX;
        for (size_t i = 0; i < all->count; i++) {
            const struct rank *rank = &all->all[i];
            const struct rank_cell *c = rank_cell_of(rank, range);
            const struct rank_moment *m = c ? rank_moment_of(c, k * stride) : NULL;
            double *late = &a.late[i * count + k];
            *late = m && all->hosts[rank->host].fitted ? rank_clock(all, rank, m->start) : NAN;
            if (!isnan(*late)) {
                known[there++] = *late;
                last = last == SIZE_MAX || *late > a.late[last * count + k] ? i : last;
            }
        }
        double median = rank_median(known, there);
        for (size_t i = 0; i < all->count; i++) {
            a.late[i * count + k] -= median;
        }
        if (there > 1) {
            a.lasts[last]++;
        }
    }
    free(known);
    return a;
}

void rank_arrivals_free(struct rank_arrivals *a)
{
    free(a->late);
    free(a->lasts);
}

double rank_late(const struct ranks *all, const struct rank_arrivals *a, const struct rank *rank)
{
    double *known = must_alloc(NULL, a->count + 1, sizeof(*known));
    size_t there = 0;

    for (size_t k = 0; k < a->count; k++) {
        double late = a->late[(size_t)(rank - all->all) * a->count + k];
        if (!isnan(late)) {
            known[there++] = late;
        }
    }
    double median = rank_median(known, there);
    free(known);
    return median;
}

static void compare_arrivals(const struct ranks *all, struct rank_row *row)
{
    struct rank_spread spread = rank_spread_of(all, row->range);
    bool shared = spread.instances >= 3 && 2 * spread.ends <= spread.starts;

    if (!shared && row->range != all->aligned_by) {
        return;
    }
    struct rank_arrivals a = rank_arrivals_make(all, row->range);
    size_t last = 0;
    for (size_t i = 1; i < all->count; i++) {
        last = a.lasts[i] > a.lasts[last] ? i : last;
    }
    if (a.lasts[last]) {
        row->last = &all->all[last];
        row->last_share = 100 * (double)a.lasts[last] / (double)a.count;
        row->late = rank_late(all, &a, row->last);
        row->error = rank_error(all, row->last);
    }
    rank_arrivals_free(&a);
}

static void compare_totals(const struct ranks *all, struct rank_row *row)
{
    double *totals = must_alloc(NULL, all->count, sizeof(*totals));
    double *counts = must_alloc(NULL, all->count, sizeof(*counts));

    for (size_t i = 0; i < all->count; i++) {
        const struct rank_cell *c = rank_cell_of(&all->all[i], row->range);
        if (c) {
            if (!row->slowest || c->total > row->most) {
                row->slowest = &all->all[i];
                row->most = c->total;
            }
            counts[row->ranks] = (double)c->count;
            totals[row->ranks++] = c->total;
        }
    }
    row->instances = rank_median(counts, row->ranks);
    row->median = rank_median(totals, row->ranks); /* sorts */
    row->least = totals[0];
    row->spread = rank_quantile(totals, row->ranks, 0.75) - rank_quantile(totals, row->ranks, 0.25);
    row->imbalance = row->median > 0 ? 100 * (row->most / row->median - 1) : 0;
    for (size_t i = 0; i < row->ranks; i++) {
        counts[i] = fabs(totals[i] - row->median);
    }
    double usual = NORMAL * rank_median(counts, row->ranks);
    for (size_t i = 0; i < row->ranks; i++) {
        row->outliers += totals[i] > 1.05 * row->median && totals[i] - row->median > 5 * usual;
    }
    free(totals);
    free(counts);
}

static int by_median(const void *a, const void *b)
{
    const struct rank_row *x = a, *y = b;
    int order = ORDER(y->median, x->median);
    return order ? order : ORDER(x->range, y->range);
}

struct rank_row *rank_rows_make(const struct ranks *all, size_t *ret_count)
{
    struct rank_row *rows = must_alloc(NULL, all->ranges.count + 1, sizeof(*rows));
    size_t count = 0;

    for (size_t i = 0; i < all->ranges.room; i++) {
        if (all->ranges.slots[i].taken) {
            struct rank_row *row = &rows[count++];
            *row = (struct rank_row){.range = (uint32_t)all->ranges.slots[i].key};
            compare_totals(all, row);
            compare_arrivals(all, row);
        }
    }
    if (count) {
        qsort(rows, count, sizeof(*rows), by_median);
    }
    *ret_count = count;
    return rows;
}
