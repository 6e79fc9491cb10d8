/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_IMPL_STATS_READ_H
#define NVTXH_IMPL_STATS_READ_H

/*
 * Reading what has been counted: the sums of all threads for a row, each as it was at one moment.
 * Not API; part of stats.h.
 */

#define nvtxh_i_stats_merge NVTXH_I_SYMBOL(stats_merge)
#define nvtxh_i_stats_result NVTXH_I_SYMBOL(stats_result)
#define nvtxh_i_stats_rate NVTXH_I_SYMBOL(stats_rate)

#define NVTXH_I_STATS_BUCKETS (16 * (NVTXH_I_STATS_OCTAVES + 1))

/* The sum of all threads, in ticks. */
struct nvtxh_i_stats_merged {
    uint64_t count, total, self, min, max, inner;
    double squares;
    uint64_t buckets[NVTXH_I_STATS_BUCKETS]; /* 16 * octave + which of its 32 */
};

NVTXH_I_C_BEGIN

NVTXH_I_COLD void nvtxh_i_stats_merge(struct nvtxh_i_stats_hub *hub, size_t number,
                                      struct nvtxh_i_stats_merged *merged);
NVTXH_I_COLD void nvtxh_i_stats_result(const struct nvtxh_i_stats_merged *merged,
                                       double ns_per_tick, struct nvtxh_stats *stats);
NVTXH_I_COLD double nvtxh_i_stats_rate(const struct nvtxh_i_stats_hub *hub);

static inline uint64_t nvtxh_i_stats_get(const uint64_t *value)
{
    return __atomic_load_n(value, __ATOMIC_ACQUIRE);
}

static inline void nvtxh_i_stats_add_up(struct nvtxh_i_stats_merged *sum,
                                        const struct nvtxh_i_stats_merged *more)
{
    size_t i;

    sum->count += more->count;
    sum->total += more->total;
    sum->self += more->self;
    sum->inner += more->inner;
    sum->squares += more->squares;
    sum->min = more->min < sum->min ? more->min : sum->min;
    sum->max = more->max > sum->max ? more->max : sum->max;
    for (i = 0; i < NVTXH_I_STATS_BUCKETS; i++)
        sum->buckets[i] += more->buckets[i];
}

/* One thread's. */
static inline void nvtxh_i_stats_merge_sum(const struct nvtxh_i_stats_sum *sum,
                                           struct nvtxh_i_stats_merged *merged)
{
    struct nvtxh_i_stats_merged copy;
    uint32_t version, tries = 0;
    size_t i, k;

    /* Where a process was forked from within an update, it will never be finished. */
    do {
        version = __atomic_load_n(&sum->version, __ATOMIC_ACQUIRE);
        if (tries++ > 100)
            sched_yield();
        memset(&copy, 0, sizeof(copy));
        copy.count = nvtxh_i_stats_get(&sum->untimed);
        copy.total = nvtxh_i_stats_get(&sum->total);
        copy.self = nvtxh_i_stats_get(&sum->self);
        copy.min = nvtxh_i_stats_get(&sum->min);
        copy.max = nvtxh_i_stats_get(&sum->max);
        copy.inner = nvtxh_i_stats_get(&sum->inner);
        __atomic_load(&sum->squares, &copy.squares, __ATOMIC_ACQUIRE);
        for (i = 0; i < NVTXH_I_STATS_OCTAVES; i++) {
            const uint64_t *octave = __atomic_load_n(&sum->octaves[i], __ATOMIC_ACQUIRE);

            for (k = i ? 16 : 0; octave && k < 32; k++) {
                copy.buckets[i * 16 + k] = nvtxh_i_stats_get(&octave[k]);
                copy.count += copy.buckets[i * 16 + k];
            }
        }
    } while ((version & 1 || __atomic_load_n(&sum->version, __ATOMIC_RELAXED) != version) &&
             tries < 1000);
    nvtxh_i_stats_add_up(merged, &copy);
}

NVTXH_I_LINKONCE void nvtxh_i_stats_merge(struct nvtxh_i_stats_hub *hub, size_t number,
                                          struct nvtxh_i_stats_merged *merged)
{
    const struct nvtxh_i_stats_thread *thread;
    const struct nvtxh_i_stats_sums *sums;
    const struct nvtxh_i_stats_sum *sum;

    memset(merged, 0, sizeof(*merged));
    merged->min = UINT64_MAX;
    for (thread = __atomic_load_n(&hub->threads, __ATOMIC_ACQUIRE); thread; thread = thread->next) {
        /* Who has not followed the last reset has nothing since. */
        if (__atomic_load_n(&thread->resets, __ATOMIC_ACQUIRE) !=
            __atomic_load_n(&thread->resets_asked, __ATOMIC_RELAXED))
            continue;
        sums = __atomic_load_n(&thread->sums, __ATOMIC_ACQUIRE);
        sum =
            number < sums->n ? __atomic_load_n(&sums->of[number], __ATOMIC_ACQUIRE) : NVTXH_I_NULL;
        if (sum)
            nvtxh_i_stats_merge_sum(sum, merged);
    }
}

/* How long the n-th shortest took, n from 1: the middle of its bucket. */
static inline double nvtxh_i_stats_nth(const struct nvtxh_i_stats_merged *merged, uint64_t n)
{
    uint64_t before = 0;
    size_t i = 0;
    double ticks;

    while (i < NVTXH_I_STATS_BUCKETS - 1 && before + merged->buckets[i] < n)
        before += merged->buckets[i++];
    if (i < 32) {
        ticks = NVTXH_I_CAST(double, i);
    } else {
        uint64_t low = (16 + i % 16) << (i / 16 - 1);

        ticks = NVTXH_I_CAST(double, low) +
                NVTXH_I_CAST(double, NVTXH_I_CAST(uint64_t, 1) << (i / 16 - 1)) / 2;
    }
    if (ticks < NVTXH_I_CAST(double, merged->min))
        return NVTXH_I_CAST(double, merged->min);
    return ticks > NVTXH_I_CAST(double, merged->max) ? NVTXH_I_CAST(double, merged->max) : ticks;
}

/* The shortest time that this share of all did not exceed. */
static inline double nvtxh_i_stats_percentile(const struct nvtxh_i_stats_merged *merged,
                                              uint64_t thousandths)
{
    uint64_t n =
        merged->count / 1000 * thousandths + (merged->count % 1000 * thousandths + 999) / 1000;

    return nvtxh_i_stats_nth(merged, n ? n : 1);
}

/* The square root, without libm. */
static inline double nvtxh_i_stats_root(double x)
{
    double root = x, next;
    int i;

    if (!(x > 0))
        return 0;
    for (i = 0; i < 1100; i++) {
        next = (root + x / root) / 2;
        if (next >= root && i)
            break;
        root = next;
    }
    return root;
}

NVTXH_I_LINKONCE void nvtxh_i_stats_result(const struct nvtxh_i_stats_merged *merged,
                                           double ns_per_tick, struct nvtxh_stats *stats)
{
    double n = NVTXH_I_CAST(double, merged->count), every = NVTXH_I_CAST(double, merged->total);
    double deviation = (merged->squares - every * every / n) / (n - 1);
    const struct {
        double ticks;
        uint64_t *ret_ns;
    } times[] = {
        {NVTXH_I_CAST(double, merged->total - merged->inner), &stats->total_ns},
        {NVTXH_I_CAST(int64_t, merged->self) > 0 ? NVTXH_I_CAST(double, merged->self) : 0,
         &stats->self_ns},
        {NVTXH_I_CAST(double, merged->min), &stats->min_ns},
        {NVTXH_I_CAST(double, merged->max), &stats->max_ns},
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

    stats->count = merged->count;
    if (merged->min == UINT64_MAX) /* marks have no times */
        return;
    for (i = 0; i < sizeof(times) / sizeof(times[0]); i++)
        *times[i].ret_ns = NVTXH_I_CAST(uint64_t, times[i].ticks * ns_per_tick + 0.5);
}

/* By the whole time since the hub was made; a millisecond at least, for the clocks are not read at
 * one moment. */
NVTXH_I_LINKONCE double nvtxh_i_stats_rate(const struct nvtxh_i_stats_hub *hub)
{
    uint64_t ticks = 0, ns = 0;

    if (!hub->counter)
        return 1;
    nvtxh_i_stats_both(true, &ticks, &ns);
    while (ns - hub->ns < 1000000) {
        sched_yield();
        nvtxh_i_stats_both(true, &ticks, &ns);
    }
    return NVTXH_I_CAST(double, ns - hub->ns) / NVTXH_I_CAST(double, ticks - hub->ticks);
}

static inline void nvtxh_i_stats_read_row(struct nvtxh_i_stats_hub *hub,
                                          const struct nvtxh_i_stats_row *row,
                                          struct nvtxh_i_stats_merged *merged,
                                          struct nvtxh_stats *ret_stats)
{
    memset(ret_stats, 0, sizeof(*ret_stats));
    ret_stats->message = row->message;
    ret_stats->domain = row->domain;
    ret_stats->function = row->function;
    ret_stats->file = row->file;
    ret_stats->line = row->line;
    ret_stats->kind = NVTXH_I_CAST(enum nvtxh_stats_kind, row->kind & 0x7f);
    nvtxh_i_stats_merge(hub, row->number, merged);
}

NVTXH_I_LINKONCE bool nvtxh_stats_read(struct nvtxh_stats *rows, size_t n, size_t *ret_n)
{
    struct nvtxh_i_stats_hub *hub = nvtxh_i_stats_join(false);
    const struct nvtxh_i_stats_row *row, **all;
    struct nvtxh_i_stats_merged merged;
    struct nvtxh_stats stats;
    size_t i, n_rows, found = 0;
    double rate;

    *ret_n = 0;
    row = hub ? __atomic_load_n(&hub->rows, __ATOMIC_ACQUIRE) : NVTXH_I_NULL;
    if (!row)
        return true;
    n_rows = row->number;
    all = NVTXH_I_CAST(const struct nvtxh_i_stats_row **, malloc(n_rows * sizeof(*all)));
    if (!all)
        return false;
    for (; row; row = row->next)
        all[row->number - 1] = row;
    rate = nvtxh_i_stats_rate(hub);
    for (i = 0; i < n_rows; i++) {
        nvtxh_i_stats_read_row(hub, all[i], &merged, &stats);
        if (!merged.count)
            continue;
        nvtxh_i_stats_result(&merged, rate, &stats);
        if (found < n)
            rows[found] = stats;
        found++;
    }
    free(NVTXH_I_CAST(void *, all));
    *ret_n = found;
    return found <= n;
}

NVTXH_I_C_END

#endif
