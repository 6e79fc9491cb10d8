/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "ranks.h"
#include "../util/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NORMAL 1.4826 /* normal distribution: standard deviation / median distance from median */

double rank_error(const struct ranks *all, const struct rank *rank) {
    double most = 0;

    for (size_t i = 0; i < all->host_count; i++) {
        most = i != rank->host ? fmax(most, all->hosts[i].error) : most;
    }
    return all->hosts[rank->host].error + most;
}

struct rank_arrivals rank_arrivals_make(const struct ranks *all, uint32_t range) {
    struct rank_arrivals a;
    uint64_t count = a.count = rank_instances(all, range, &a.stride);
    double *known = must_alloc(NULL, all->count, sizeof(*known));

    a.late = must_alloc(NULL, all->count * count, sizeof(*a.late));
    a.lasts = must_alloc(NULL, all->count, sizeof(*a.lasts));
    memset(a.lasts, 0, all->count * sizeof(*a.lasts));
    for (uint64_t k = 0; k < count; k++) {
        size_t there = 0, last = SIZE_MAX;
        for (size_t i = 0; i < all->count; i++) {
            const struct rank *rank = &all->all[i];
            const struct rank_moment *m = rank_moment_of(rank, range, k * a.stride);
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

void rank_arrivals_free(struct rank_arrivals *a) {
    free(a->late);
    free(a->lasts);
}

static void compare_arrivals(const struct ranks *all, struct rank_row *row) {
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

/* Sorts the values that are known, and returns their number. *ret_deviation: an estimate of the
 * standard deviation that a few outliers do not change. */
static size_t sort_known(const double *values, size_t count, double *ret_sorted,
                         double *ret_deviation) {
    double *far = must_alloc(NULL, count, sizeof(*far));
    size_t known = 0;

    for (size_t i = 0; i < count; i++) {
        if (!isnan(values[i])) {
            ret_sorted[known++] = values[i];
        }
    }
    double median = rank_median(ret_sorted, known);
    for (size_t i = 0; i < known; i++) {
        far[i] = fabs(ret_sorted[i] - median);
    }
    *ret_deviation = NORMAL * rank_median(far, known);
    free(far);
    return known;
}

/* The median of the values that are not NaN. */
static double known_median(const double *values, size_t count) {
    double *sorted = must_alloc(NULL, count, sizeof(*sorted)), deviation;
    double median = rank_quantile(sorted, sort_known(values, count, sorted, &deviation), 0.5);

    free(sorted);
    return median;
}

double rank_late(const struct ranks *all, const struct rank_arrivals *a, const struct rank *rank) {
    return known_median(a->late + (size_t)(rank - all->all) * a->count, a->count);
}

static void compare_totals(const struct ranks *all, struct rank_row *row) {
    double *totals = must_alloc(NULL, all->count, sizeof(*totals));
    double *counts = must_alloc(NULL, all->count, sizeof(*counts)), deviation;

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
    row->median = rank_quantile(totals, sort_known(totals, row->ranks, totals, &deviation), 0.5);
    row->least = totals[0];
    row->spread = rank_quantile(totals, row->ranks, 0.75) - rank_quantile(totals, row->ranks, 0.25);
    row->imbalance = row->median > 0 ? 100 * (row->most / row->median - 1) : 0;
    for (size_t i = 0; i < row->ranks; i++) {
        row->outliers += totals[i] > 1.05 * row->median && totals[i] - row->median > 5 * deviation;
    }
    free(totals);
    free(counts);
}

/* A rank's median duration of a range; NaN: not known. *ret_least: a lower bound of the true
 * median, with a confidence of 4 standard deviations for any distribution; -1 if there are fewer
 * than 16 instances. */
static double typical_of(const struct rank *rank, uint32_t range, double *ret_least) {
    const struct rank_cell *c = rank_cell_of(rank, range);
    double durations[RANKS_MOMENTS];
    size_t count = c ? c->moment_count : 0;

    for (size_t i = 0; i < count; i++) {
        durations[i] = (double)(c->moments[i].end - c->moments[i].start);
    }
    double median = rank_median(durations, count); /* sorts */
    double place = (double)count / 2 - 2 * sqrt((double)count);
    *ret_least = count && place >= 0 ? durations[(size_t)place] : -1;
    return median;
}

static void compare_medians(const struct ranks *all, struct rank_row *row) {
    double *medians = must_alloc(NULL, 3 * all->count, sizeof(*medians)), deviation;
    double *sorted = medians + all->count, *least = sorted + all->count;

    for (size_t i = 0; i < all->count; i++) {
        medians[i] = typical_of(&all->all[i], row->range, &least[i]);
    }
    size_t known = sort_known(medians, all->count, sorted, &deviation);
    row->typical = rank_quantile(sorted, known, 0.5);
    row->typical_imbalance =
        row->typical > 0 ? 100 * (sorted[known - 1] / row->typical - 1) : row->typical;
    for (size_t i = 0; i < all->count && !row->last && row->typical > 0; i++) {
        double above = 100 * (medians[i] / row->typical - 1);
        if (above > 5 && medians[i] - row->typical > 5 * deviation && least[i] > row->typical) {
            row->stragglers++;
            row->straggler = above > row->straggler_above ? &all->all[i] : row->straggler;
            row->straggler_above = fmax(row->straggler_above, above);
        }
    }
    free(medians);
}

/* Sets `after` of each rank, and latest_start. Call it after rank_clocks_fit. The limit is
 * 15 (1 + 8 / n) standard deviations, and at least 1 % of the run. With random starts (n = 4 to 500
 * ranks; normal, uniform or exponential), less than one run of a hundred has a start beyond the
 * limit. The term 8 / n is there because few ranks estimate the deviation poorly. */
static void find_starts(struct ranks *all) {
    double *begins = must_alloc(NULL, all->count, sizeof(*begins)), end = -INFINITY, deviation;

    for (size_t i = 0; i < all->count; i++) {
        const struct rank *rank = &all->all[i];
        bool is_known = rank->begin < INT64_MAX && all->hosts[rank->host].fitted;
        begins[i] = is_known ? rank_clock(all, rank, rank->begin) : NAN;
        end = is_known ? fmax(end, rank_clock(all, rank, rank->end)) : end;
        all->all[i].after = begins[i];
    }
    size_t known = sort_known(begins, all->count, begins, &deviation);
    double median = rank_quantile(begins, known, 0.5);
    for (size_t i = 0; i < all->count; i++) {
        all->all[i].after -= median;
    }
    free(begins);
    all->latest_start = fmax((end - median) / 100, 15 * (1 + 8 / (double)known) * deviation);
}

ARRAY_ORDER(by_median, struct rank_row, ORDER(y->median, x->median) ?: ORDER(x->range, y->range))

/* Sets `rows`. */
static void make_rows(struct ranks *all) {
    struct rank_row *rows = must_alloc(NULL, all->ranges.count + 1, sizeof(*rows));
    size_t count = 0;

    for (size_t i = 0; i < all->ranges.capacity; i++) {
        if (all->ranges.slots[i].taken) {
            struct rank_row *row = &rows[count++];
            *row = (struct rank_row){.range = (uint32_t)all->ranges.slots[i].key};
            compare_totals(all, row);
            compare_arrivals(all, row);
            compare_medians(all, row);
        }
    }
    ARRAY_SORT(rows, count, by_median);
    for (size_t i = 0; i < count; i++) {
        rows[i].is_worth = !rows[i].last && rows[i].most >= rows[0].median / 100;
    }
    all->rows = rows;
    all->row_count = count;
}

size_t rank_map_at(const struct rank_map *m, size_t line) {
    return line * m->ranks / m->lines;
}

struct rank_map rank_map_make(const struct ranks *all, const struct rank_arrivals *a, size_t lines,
                              size_t columns) {
    struct rank_map m = {.lines = all->count < lines ? all->count : lines,
                         .columns = a->count < columns ? a->count : columns,
                         .ranks = all->count};
    size_t known = 0;

    m.late = must_alloc(NULL, m.lines * m.columns, sizeof(*m.late));
    double *late = must_alloc(NULL, m.lines * m.columns, sizeof(*late));
    for (size_t cell = 0; cell < m.lines * m.columns; cell++) {
        size_t line = cell / m.columns, column = cell % m.columns;
        size_t first = column * a->count / m.columns, end = (column + 1) * a->count / m.columns;
        m.late[cell] = NAN;
        for (size_t i = rank_map_at(&m, line); i < rank_map_at(&m, line + 1); i++) {
            double median = known_median(a->late + i * a->count + first, end - first);
            m.late[cell] = fmax(median, m.late[cell]); /* of a NaN and a number, the number */
        }
        if (m.late[cell] > 0) {
            late[known++] = m.late[cell];
        }
    }
    rank_median(late, known); /* sorts */
    m.most = known ? rank_quantile(late, known, 0.95) : 0;
    free(late);
    return m;
}

bool ranks_compare(struct ranks *all, uint32_t range) {
    ranks_finish(all);
    bool fitted = rank_clocks_fit(all, range);
    find_starts(all);
    make_rows(all);
    return fitted;
}

static void ignore(const char *path, const char *what, uint32_t number) {
    (void)path, (void)what, (void)number;
}

bool ranks_read(struct ranks *all, struct source *source) {
    struct fold *fold = source->fold;
    struct error error;
    size_t with = 0;

    for (size_t i = 0; i < source->process_count; i++) {
        with += source->processes[i].identity.rank != REC_RANK_NONE;
    }
    if (with < 2) {
        return false;
    }
    source->is_again = true;
    source->fold = NULL;
    all->complain = ignore;
    bool is_read = ranks_add(all, source, "", &error);
    source->fold = fold;
    ranks_compare(all, 0);
    return is_read && all->count > 1;
}
