/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "distribution.h"
#include "../util/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    FEW = 2,   /* up to so many values are not in `values`: they are `min` and `max` */
    BITS = 10, /* how many bits below a value's highest bit select its bin */
};

static uint64_t bin_of(uint64_t value) {
    if (value < UINT64_C(1) << (BITS + 1)) {
        return value;
    }
    unsigned shift = 63u - (unsigned)__builtin_clzll(value) - BITS;
    return (uint64_t)shift << 32 | value >> shift;
}

static uint64_t middle_of(uint64_t bin) {
    unsigned shift = (unsigned)(bin >> 32);
    return shift ? (bin & UINT32_MAX) << shift | UINT64_C(1) << (shift - 1) : bin;
}

/* The i-th value. A distribution without `values` has at most two values, `min` and `max`. */
static uint64_t value_at(const struct distribution *s, size_t i) {
    return s->values ? s->values[i] : i ? s->max : s->min;
}

/* How many values value_at can return. */
static size_t listed(const struct distribution *s) {
    return s->values || s->bins ? s->value_count : (size_t)s->count;
}

static void to_bins(struct distribution *s, size_t *budget) {
    size_t count = listed(s);

    s->bins = must_alloc(NULL, 1, sizeof(*s->bins));
    *s->bins = (struct map){0};
    for (size_t i = 0; i < count; i++) {
        ++*map_add(s->bins, bin_of(value_at(s, i)), 0);
    }
    *budget += s->capacity;
    free(s->values);
    s->values = NULL;
    s->value_count = s->capacity = 0;
}

static void free_bins(struct distribution *s) {
    if (s->bins) {
        map_free(s->bins);
        free(s->bins);
        s->bins = NULL;
    }
}

/* Keeps a value for the quantiles. Called before `count`, `min` and `max` include it. */
static void keep_value(struct distribution *s, size_t *budget, uint64_t value) {
    if (!s->bins && !s->values && s->count < FEW) {
        return;
    }
    if (!s->bins && s->value_count == s->capacity) {
        uint32_t more = s->capacity ? s->capacity : 2 * FEW;
        if (more > *budget) {
            to_bins(s, budget);
        } else {
            *budget -= more;
            s->capacity += more;
            s->values = must_alloc(s->values, s->capacity, sizeof(*s->values));
            if (more == s->capacity) {
                s->values[0] = s->min;
                s->values[1] = s->max;
                s->value_count = (uint32_t)s->count;
            }
        }
    }
    if (s->bins) {
        ++*map_add(s->bins, bin_of(value), 0);
    } else {
        /* Without bins there are values. NOLINTNEXTLINE(clang-analyzer-core.NullDereference) */
        s->values[s->value_count++] = value;
    }
}

void distribution_add(struct distribution *s, size_t *budget, uint64_t value) {
    keep_value(s, budget, value);
    s->count++;
    s->total += (double)value;
    s->min = s->count == 1 || value < s->min ? value : s->min;
    s->max = value > s->max ? value : s->max;
    double distance = (double)value - s->mean;
    s->mean += distance / (double)s->count;
    s->squares += distance * ((double)value - s->mean);
}

ARRAY_ORDER(by_size, uint64_t, ORDER(*x, *y))

enum { RADIX_BITS = 11, RADIX = 1 << RADIX_BITS };

/* Radix sort, from the lowest digit. For many values it is several times as fast as qsort. */
static void sort_many(uint64_t *values, size_t count, uint64_t min, uint64_t max) {
    uint64_t *from = values, *to = must_alloc(NULL, count, sizeof(*to)), *other = to;

    for (unsigned shift = 0; shift < 64 && (max - min) >> shift; shift += RADIX_BITS) {
        size_t starts[RADIX] = {0}, at = 0;
        for (size_t i = 0; i < count; i++) {
            starts[(from[i] - min) >> shift & (RADIX - 1)]++;
        }
        for (size_t i = 0; i < RADIX; i++) {
            size_t here = starts[i];
            starts[i] = at;
            at += here;
        }
        for (size_t i = 0; i < count; i++) {
            to[starts[(from[i] - min) >> shift & (RADIX - 1)]++] = from[i];
        }
        uint64_t *swap = from;
        from = to;
        to = swap;
    }
    if (from != values) {
        memcpy(values, from, count * sizeof(*values));
    }
    free(other);
}

void distribution_finish(struct distribution *s) {
    struct map *bins = s->bins;

    if (bins) {
        s->values = must_alloc(NULL, bins->count, sizeof(*s->values));
        s->counts = must_alloc(NULL, bins->count, sizeof(*s->counts));
        for (size_t i = 0; i < bins->capacity; i++) {
            if (bins->slots[i].taken) {
                s->values[s->value_count++] = bins->slots[i].key;
            }
        }
    }
    if (!bins && s->value_count > RADIX) {
        sort_many(s->values, s->value_count, s->min, s->max);
    } else if (s->value_count) {
        qsort(s->values, s->value_count, sizeof(*s->values), by_size);
    }
    for (size_t i = 0; bins && i < s->value_count; i++) {
        s->counts[i] = *map_find(bins, s->values[i]);
        s->values[i] = middle_of(s->values[i]);
    }
    free_bins(s);
}

static double nth(const struct distribution *s, uint64_t n) {
    if (n == 0 || n >= s->count - 1) {
        return (double)(n ? s->max : s->min);
    }
    if (!s->counts) {
        return (double)s->values[n];
    }
    size_t i = 0;
    for (; i + 1 < s->value_count && n >= s->counts[i]; i++) {
        n -= s->counts[i];
    }
    uint64_t value = s->values[i]; /* the middle of a bin may lie outside min and max */
    return (double)(value < s->min ? s->min : value > s->max ? s->max : value);
}

uint64_t distribution_below(const struct distribution *s, uint64_t value) {
    uint64_t below = 0;
    size_t count = listed(s);

    if (value > s->max) {
        return s->count;
    }
    for (size_t i = 0; value > s->min && i < count && value_at(s, i) < value; i++) {
        below += s->counts ? s->counts[i] : 1;
    }
    return below;
}

double distribution_quantile(const struct distribution *s, double q) {
    if (!s->count) {
        return NAN;
    }
    double place = q * (double)(s->count - 1);
    uint64_t below = (uint64_t)place;
    double part = place - (double)below, low = nth(s, below);

    return part > 0 ? low + part * (nth(s, below + 1) - low) : low;
}

double distribution_deviation(const struct distribution *s) {
    return s->count > 1 ? sqrt(s->squares / (double)(s->count - 1)) : 0;
}

void distribution_free(struct distribution *s) {
    free(s->values);
    free(s->counts);
    free_bins(s);
    *s = (struct distribution){0};
}

enum { BLOCKS = 8 };

struct drift {
    int64_t origin;  /* ns: when the first block begins */
    uint64_t length; /* ns of a block; double_blocks doubles it; 0: one instance so far */
    struct {
        uint64_t count;
        double sum; /* of logarithms */
    } blocks[BLOCKS];
};
/* How many bytes of the struct are allocated while `length` is 0. This saves memory if a million
 * ranges have one instance each. */
#define BEGUN offsetof(struct drift, blocks)

double drift_log(double duration) {
    return log(fmax(duration, 1));
}

/* Makes the blocks twice as long: each block gets the contents of two old ones. */
static void double_blocks(struct drift *d) {
    for (int i = 0; i < BLOCKS; i++) {
        int from = 2 * i, more = from + 1;
        d->blocks[i].count = more < BLOCKS ? d->blocks[from].count + d->blocks[more].count : 0;
        d->blocks[i].sum = more < BLOCKS ? d->blocks[from].sum + d->blocks[more].sum : 0;
    }
    d->length *= 2;
}

void drift_add(struct drift **d, int64_t start, uint64_t duration) {
    struct drift *to = *d;

    if (!to) {
        *d = to = must_alloc(NULL, 1, BEGUN);
        to->origin = start;
        to->length = 0;
        return;
    }
    /* Threads are read one after the other, so an instance may be older than the first block. It
     * then counts in the first block. */
    uint64_t since = start > to->origin ? (uint64_t)start - (uint64_t)to->origin : 0;
    if (!to->length) {
        *d = to = must_alloc(to, 1, sizeof(*to));
        memset(to->blocks, 0, sizeof(to->blocks));
        to->length = since / BLOCKS + 1;
    }
    while (since / to->length >= BLOCKS) {
        double_blocks(to);
    }
    to->blocks[since / to->length].count++;
    to->blocks[since / to->length].sum += drift_log((double)duration);
}

double drift_spread(const struct drift *d) {
    uint64_t all = 0;
    double least = INFINITY, most = -INFINITY;
    int known = 0;

    if (!d || !d->length) {
        return NAN;
    }
    for (int i = 0; i < BLOCKS; i++) {
        all += d->blocks[i].count;
    }
    for (int i = 0; i < BLOCKS; i++) {
        /* Leaves out blocks with less than half of the mean count, because so few instances say
         * little. Often this is the last block. */
        if (d->blocks[i].count && d->blocks[i].count * 2 * BLOCKS >= all) {
            double mean = d->blocks[i].sum / (double)d->blocks[i].count;
            least = fmin(least, mean);
            most = fmax(most, mean);
            known++;
        }
    }
    return known < 2 ? NAN : most - least;
}
