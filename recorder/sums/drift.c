/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "distribution.h"
#include "../base/memory.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCKS = 8 };

struct drift {
    int64_t origin;  /* where the first block begins */
    uint64_t length; /* of a block, in ns; doubled when it is too short; 0: one instance so far */
    struct {
        uint64_t count;
        double sum; /* of logarithms */
    } blocks[BLOCKS];
};
/* Size of the struct while `length` is 0. Saves memory where a million ranges have one instance each. */
#define BEGUN offsetof(struct drift, blocks)
static_assert(sizeof(struct drift) == sizeof(struct rec_drift), "struct drift has the layout of struct rec_drift");

double drift_log(double duration)
{
    return log(fmax(duration, 1));
}

/* Makes the blocks twice as long: each gets the contents of two. */
static void double_blocks(struct drift *d)
{
    for (int i = 0; i < BLOCKS; i++) {
        int from = 2 * i, more = from + 1;
        d->blocks[i].count = more < BLOCKS ? d->blocks[from].count + d->blocks[more].count : 0;
        d->blocks[i].sum = more < BLOCKS ? d->blocks[from].sum + d->blocks[more].sum : 0;
    }
    d->length *= 2;
}

static void make_blocks(struct drift **d)
{
    if (!(*d)->length) {
        *d = must_alloc(*d, 1, sizeof(**d));
        memset((*d)->blocks, 0, sizeof((*d)->blocks));
    }
}

static void add_instances(struct drift *to, int64_t start, uint64_t count, double sum)
{
    /* Threads are read one after the other: an instance that begins before the first block counts in that block. */
    uint64_t since = start > to->origin ? (uint64_t)start - (uint64_t)to->origin : 0;

    to->length = to->length ? to->length : since / BLOCKS + 1;
    while (since / to->length >= BLOCKS) {
        double_blocks(to);
    }
    to->blocks[since / to->length].count += count;
    to->blocks[since / to->length].sum += sum;
}

void drift_add(struct drift **d, int64_t start, uint64_t duration)
{
    if (!*d) {
        *d = must_alloc(NULL, 1, BEGUN);
        (*d)->origin = start;
        (*d)->length = 0;
        return;
    }
    make_blocks(d);
    add_instances(*d, start, 1, drift_log((double)duration));
}

struct rec_drift drift_stored(const struct drift *d)
{
    struct rec_drift stored = {0};

    if (d) {
        memcpy(&stored, d, d->length ? sizeof(stored) : BEGUN);
    }
    return stored;
}

void drift_merge(struct drift **d, const struct rec_drift *more)
{
    if (!*d) {
        *d = must_alloc(NULL, 1, sizeof(**d));
        memcpy(*d, more, sizeof(**d));
        return;
    }
    make_blocks(d);
    for (uint64_t i = 0; i < BLOCKS; i++) {
        if (more->blocks[i].count) {
            add_instances(*d, (int64_t)((uint64_t)more->origin + i * more->length), more->blocks[i].count,
                          more->blocks[i].sum);
        }
    }
}

double drift_spread(const struct drift *d)
{
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
        /* Leaves out blocks with less than half of the mean count, often the last block: their means say little. */
        if (d->blocks[i].count && d->blocks[i].count * 2 * BLOCKS >= all) {
            double mean = d->blocks[i].sum / (double)d->blocks[i].count;
            least = fmin(least, mean);
            most = fmax(most, mean);
            known++;
        }
    }
    return known < 2 ? NAN : most - least;
}

void drift_free(struct drift *d)
{
    free(d);
}
