/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "timeline.h"
#include "../util/memory.h"

#include <stdlib.h>

/* Least distance, in ns, between samples that are kept, unless only two are kept. A sample is exact
 * to some 50 ns, less than a millionth of this distance, so the rate between samples is exact. */
#define SPACING UINT64_C(100000000)
#define LONGEST 1e18 /* ns, 31 years */

void timeline_add(struct timeline *t, const struct rec_sample *sample) {
    if (sample->ticks && sample->monotonic) {
        *ARRAY_NEW(t->samples, t->count, t->capacity) = *sample;
    }
}

ARRAY_ORDER(by_ticks, struct rec_sample, ORDER(x->ticks, y->ticks))

/* Whether the rate between two samples is possible. Ticks are counted at 5 MHz to 10 GHz; a rate
 * outside 5 MHz to 20 GHz shows a damaged file. */
static bool plausible(const struct rec_sample *a, const struct rec_sample *b) {
    if (b->ticks <= a->ticks || b->monotonic <= a->monotonic) {
        return false;
    }
    double rate = (double)(b->ticks - a->ticks) / (double)(b->monotonic - a->monotonic);
    return rate > 0.005 && rate < 20;
}

void timeline_sort(struct timeline *t) {
    ARRAY_SORT(t->samples, t->count, by_ticks);
}

/* Of the first `count` samples: was the last one taken less than SPACING after its predecessor? */
static bool is_close(const struct timeline *t, size_t count) {
    return count > 1 && t->samples[count - 1].monotonic - t->samples[count - 2].monotonic < SPACING;
}

void timeline_ready(struct timeline *t, const struct rec_sample *origin) {
    size_t kept = 0;

    t->origin = origin->monotonic;
    for (size_t i = 0; i < t->count; i++) {
        struct rec_sample s = t->samples[i];
        if (kept && !plausible(&t->samples[kept - 1], &s)) {
            continue;
        }
        kept -= is_close(t, kept); /* drops the last kept sample if close to its predecessor */
        t->samples[kept++] = s;
    }
    if (kept > 2 && is_close(t, kept)) {
        kept--; /* drops the last but one; so the rate of ticks after the last sample is exact */
        t->samples[kept - 1] = t->samples[kept];
    }
    t->count = kept;
}

int64_t timeline_ns(struct timeline *t, uint64_t ticks) {
    if (t->count < 2) {
        return (int64_t)(ticks - (t->count ? t->samples[0].ticks : 0));
    }
    size_t i = t->last;
    if (ticks < t->samples[i].ticks || ticks >= t->samples[i + 1].ticks) {
        t->last = i = ARRAY_SEARCH(k, 1, t->count - 1, t->samples[k].ticks <= ticks) - 1;
    }
    const struct rec_sample *a = &t->samples[i], *b = &t->samples[i + 1];
    double ns_per_tick = (double)(b->monotonic - a->monotonic) / (double)(b->ticks - a->ticks);
    double since = (double)(int64_t)(ticks - a->ticks) * ns_per_tick;
    if (since > LONGEST || since < -LONGEST) { /* damage: no recording is so long */
        return since < 0 ? 0 : (int64_t)LONGEST;
    }
    uint64_t start = a->monotonic - t->origin;
    return (int64_t)(start + (uint64_t)(int64_t)(since + (since < 0 ? -0.5 : 0.5)));
}

void timeline_free(struct timeline *t) {
    free(t->samples);
    *t = (struct timeline){0};
}
