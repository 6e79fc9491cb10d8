/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_STATS_READ_H
#define NVTXH_STATS_READ_H

/* Reads the counts of all rows, or of the rows with one message: adds up the sums of all threads.
 * Each sum (what one thread has counted for one row) is read as it was at one moment. Not API. */

#include "../core/clock.h"
#include "registry.h"
#include "types.h"

#include <sched.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* The counts of a row: those of one thread, or of all threads. Times are in ticks. */
struct nvtxh_i_stats_merged {
    uint64_t count, total, within, min, max, inner, marks; /* count: without marks */
    double squares;
    uint64_t buckets[NVTXH_I_STATS_BUCKETS];
};

NVTXH_I_C_BEGIN

static inline uint64_t nvtxh_i_stats_get(const uint64_t *value) {
    return __atomic_load_n(value, __ATOMIC_ACQUIRE);
}

static inline void nvtxh_i_stats_add_up(struct nvtxh_i_stats_merged *sum,
                                        const struct nvtxh_i_stats_merged *more) {
    size_t i;

    sum->count += more->count;
    sum->marks += more->marks;
    sum->total += more->total;
    sum->within += more->within;
    sum->inner += more->inner;
    sum->squares += more->squares;
    sum->min = more->min < sum->min ? more->min : sum->min;
    sum->max = more->max > sum->max ? more->max : sum->max;
    for (i = 0; i < NVTXH_I_STATS_BUCKETS; i++) {
        sum->buckets[i] += more->buckets[i];
    }
}

/* Copies one thread's sum. Reads `count` first and the buckets last, because nvtxh_i_stats_add()
 * writes in the reverse order. */
static inline void nvtxh_i_stats_copy_sum(const struct nvtxh_i_stats_sum *sum,
                                          struct nvtxh_i_stats_merged *copy) {
    const uint64_t *more;
    uint64_t count, found;
    uint32_t tries = 0;
    size_t i, last;

    /* Gives up after 1000 tries: if the parent forked while one of its threads updated the sum,
     * that update never ends in the child. */
    do {
        if (tries > 100) {
            sched_yield();
        }
        count = nvtxh_i_stats_get(&sum->count);
        copy->total = nvtxh_i_stats_get(&sum->total);
        copy->within = nvtxh_i_stats_get(&sum->within);
        copy->min = nvtxh_i_stats_get(&sum->min);
        copy->max = nvtxh_i_stats_get(&sum->max);
        copy->inner = nvtxh_i_stats_get(&sum->inner);
        __atomic_load(&sum->squares, &copy->squares, __ATOMIC_ACQUIRE);
        more = __atomic_load_n(&sum->more, __ATOMIC_ACQUIRE);
        last = __atomic_load_n(&sum->last, __ATOMIC_ACQUIRE) - NVTXH_I_STATS_FIRST;
        found = last < NVTXH_I_STATS_FEW;
        for (i = 0; i < NVTXH_I_STATS_BUCKETS; i++) {
            copy->buckets[i] = more ? nvtxh_i_stats_get(&more[i]) : 0;
            if (i < NVTXH_I_STATS_FEW) {
                copy->buckets[i] += __atomic_load_n(&sum->buckets[i], __ATOMIC_ACQUIRE);
            }
            found += copy->buckets[i];
        }
        copy->buckets[last] += last < NVTXH_I_STATS_FEW;
    } while (found != count && ++tries < 1000);
    copy->count = found;
    copy->marks = nvtxh_i_stats_get(&sum->marks);
}

NVTXH_I_COLD void nvtxh_i_stats_merge(struct nvtxh_i_stats_registry *registry, size_t number,
                                      struct nvtxh_i_stats_merged *merged) {
    const struct nvtxh_i_stats_thread *thread;
    const struct nvtxh_i_stats_sums *sums;
    const struct nvtxh_i_stats_sum *sum;
    struct nvtxh_i_stats_merged copy;
    uint32_t resets;

    memset(merged, 0, sizeof(*merged));
    merged->min = UINT64_MAX;
    for (thread = __atomic_load_n(&registry->threads, __ATOMIC_ACQUIRE); thread;
         thread = thread->next) {
        /* A thread that has not carried out the last reset has counted nothing since that reset. */
        resets = __atomic_load_n(&thread->resets, __ATOMIC_ACQUIRE);
        if (resets != __atomic_load_n(&thread->resets_asked, __ATOMIC_RELAXED)) {
            continue;
        }
        sums = __atomic_load_n(&thread->sums, __ATOMIC_ACQUIRE);
        sum = number < sums->n ? __atomic_load_n(&sums->of[number], __ATOMIC_ACQUIRE) : NULL;
        if (!sum) {
            continue;
        }
        nvtxh_i_stats_copy_sum(sum, &copy);
        /* Leaves out the copy if a reset was requested while the sum was copied. */
        if (resets == __atomic_load_n(&thread->resets_asked, __ATOMIC_RELAXED)) {
            nvtxh_i_stats_add_up(merged, &copy);
        }
    }
}

/* The time of the n-th shortest sample (n from 1), in ticks: the middle of the sample's bucket. */
static inline double nvtxh_i_stats_nth(const struct nvtxh_i_stats_merged *merged, uint64_t n) {
    uint64_t before = 0;
    size_t i = 0;
    double low, width, ticks;

    while (i < NVTXH_I_STATS_BUCKETS - 1 && before + merged->buckets[i] < n) {
        before += merged->buckets[i++];
    }
    low = (double)((16 + i % 16) << i / 16);
    width = (double)((uint64_t)1 << i / 16);
    ticks = low + (width - 1) / 2 - (double)NVTXH_I_STATS_OFFSET;
    if (ticks < (double)merged->min) {
        return (double)merged->min;
    }
    return ticks > (double)merged->max ? (double)merged->max : ticks;
}

/* A percentile: the shortest time that THOUSANDTHS / 1000 of the samples do not exceed. */
static inline double nvtxh_i_stats_percentile(const struct nvtxh_i_stats_merged *merged,
                                              uint64_t thousandths) {
    uint64_t n =
        merged->count / 1000 * thousandths + (merged->count % 1000 * thousandths + 999) / 1000;

    return nvtxh_i_stats_nth(merged, n ? n : 1);
}

/* The square root, without libm. */
static inline double nvtxh_i_stats_root(double x) {
    double root = x, next;
    int i;

    if (!(x > 0)) {
        return 0;
    }
    for (i = 0; i < 1100; i++) {
        next = (root + x / root) / 2;
        if (next >= root && i) {
            break;
        }
        root = next;
    }
    return root;
}

NVTXH_I_COLD void nvtxh_i_stats_result(const struct nvtxh_i_stats_merged *merged,
                                       double ns_per_tick, struct nvtxh_stats *stats) {
    double n = (double)merged->count, every = (double)merged->total;
    double moved = every + n * (double)NVTXH_I_STATS_OFFSET; /* the sum of (ticks + 16) */
    double deviation = (merged->squares - moved * moved / n) / (n - 1);
    int64_t self = (int64_t)(merged->total - merged->within);
    const struct {
        double ticks;
        uint64_t *ret_ns;
    } times[] = {
        {every, &stats->total_ns},
        {(double)(merged->total - merged->inner), &stats->inclusive_ns},
        {self > 0 ? (double)self : 0, &stats->self_ns},
        {(double)merged->min, &stats->min_ns},
        {(double)merged->max, &stats->max_ns},
        {every / n, &stats->average_ns},
        {(nvtxh_i_stats_nth(merged, (merged->count + 1) / 2) +
          nvtxh_i_stats_nth(merged, merged->count / 2 + 1)) /
             2,
         &stats->median_ns},
        {nvtxh_i_stats_percentile(merged, 900), &stats->p90_ns},
        {nvtxh_i_stats_percentile(merged, 990), &stats->p99_ns},
        {nvtxh_i_stats_percentile(merged, 999), &stats->p999_ns},
        {merged->count > 1 ? nvtxh_i_stats_root(deviation) : 0, &stats->deviation_ns},
    };
    size_t i;

    stats->count = merged->count + merged->marks;
    if (merged->min == UINT64_MAX) { /* marks have no times */
        return;
    }
    for (i = 0; i < sizeof(times) / sizeof(times[0]); i++) {
        *times[i].ret_ns = (uint64_t)(times[i].ticks * ns_per_tick + 0.5);
    }
}

/* ns per tick since the registry was made. Waits until the registry is 1 ms old, so that the time
 * between the readings of the two clocks matters little. */
NVTXH_I_COLD double nvtxh_i_stats_rate(const struct nvtxh_i_stats_registry *registry) {
    uint64_t ticks = 0, ns = 0;
    int64_t passed = 0;

    if (!registry->counter) {
        return 1;
    }
    for (;;) {
        nvtxh_i_clock_both(true, 5, &ticks, &ns);
        passed = (int64_t)(ns - registry->ns);
        if (passed >= 1000000) {
            return (double)passed / (double)(ticks - registry->ticks);
        }
        if (ticks - registry->ticks > 1u << 30) {
            return 1; /* 2^30 ticks are 0.1 s or more: CLOCK_MONOTONIC stands still */
        }
        sched_yield();
    }
}

static inline void nvtxh_i_stats_read_row(struct nvtxh_i_stats_registry *registry,
                                          const struct nvtxh_i_stats_row *row,
                                          struct nvtxh_i_stats_merged *merged,
                                          struct nvtxh_stats *ret_stats) {
    memset(ret_stats, 0, sizeof(*ret_stats));
    ret_stats->message = row->message;
    ret_stats->domain = row->domain;
    ret_stats->function = row->function;
    ret_stats->file = row->file;
    ret_stats->line = row->line;
    ret_stats->kind = (enum nvtxh_stats_kind)(row->kind & 0x7f);
    nvtxh_i_stats_merge(registry, row->number, merged);
}

NVTXH_I_LINKONCE bool nvtxh_stats_read(struct nvtxh_stats *rows, size_t n, size_t *ret_n) {
    struct nvtxh_i_stats_registry *registry = nvtxh_i_stats_join(false);
    const struct nvtxh_i_stats_row *row, **all;
    struct nvtxh_i_stats_merged merged;
    struct nvtxh_stats stats;
    size_t i, n_rows, found = 0;
    double rate;

    *ret_n = 0;
    row = registry ? __atomic_load_n(&registry->rows, __ATOMIC_ACQUIRE) : NULL;
    if (!row) {
        return true;
    }
    n_rows = row->number;
    all = (const struct nvtxh_i_stats_row **)malloc(n_rows * sizeof(*all));
    if (!all) {
        return false;
    }
    for (; row; row = row->next) {
        all[row->number - 1] = row;
    }
    rate = nvtxh_i_stats_rate(registry);
    for (i = 0; i < n_rows; i++) {
        nvtxh_i_stats_read_row(registry, all[i], &merged, &stats);
        if (!(merged.count + merged.marks)) {
            continue;
        }
        nvtxh_i_stats_result(&merged, rate, &stats);
        if (found < n) {
            rows[found] = stats;
        }
        found++;
    }
    free((void *)all);
    *ret_n = found;
    return found <= n;
}

/* Is MESSAGE the row's "message" or "domain:message"? The name of NVTX's default domain is "". */
static inline bool nvtxh_i_stats_is(const struct nvtxh_i_stats_row *row, const char *message) {
    const char *domain = row->domain ? row->domain : "";
    size_t n = strlen(domain);

    if (!row->message || !message) {
        return row->message == message;
    }
    return !strcmp(row->message, message) || (!strncmp(domain, message, n) && message[n] == ':' &&
                                              !strcmp(row->message, message + n + 1));
}

NVTXH_I_LINKONCE struct nvtxh_stats nvtxh_stats_find(const char *message) {
    struct nvtxh_i_stats_registry *registry = nvtxh_i_stats_join(false);
    struct nvtxh_i_stats_merged merged, sum;
    const struct nvtxh_i_stats_row *row;
    struct nvtxh_stats stats, one;

    memset(&stats, 0, sizeof(stats));
    memset(&sum, 0, sizeof(sum));
    sum.min = UINT64_MAX;
    row = registry ? __atomic_load_n(&registry->rows, __ATOMIC_ACQUIRE) : NULL;
    for (; row; row = row->next) {
        if (!nvtxh_i_stats_is(row, message)) {
            continue;
        }
        nvtxh_i_stats_read_row(registry, row, &merged, &one);
        if (!(merged.count + merged.marks)) {
            continue;
        }
        stats = one; /* the result has the file and line of the oldest row, which comes last */
        nvtxh_i_stats_add_up(&sum, &merged);
    }
    if (sum.count + sum.marks) {
        nvtxh_i_stats_result(&sum, nvtxh_i_stats_rate(registry), &stats);
    }
    return stats;
}

NVTXH_I_C_END

#endif
