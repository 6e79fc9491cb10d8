/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "record_write.h"

static struct {
    uint64_t ns; /* the bound; 0: there is none */
    struct rec_sample first;
    /* Both atomic. `ticks`: the bound in ticks, by the rate since `first`. `next`: the ticks at
     * which the rate is measured again. */
    uint64_t ticks, next;
} bound = {.next = UINT64_MAX};

/* The rate of the ticks, measured over 20 us, is right within 1 %. It is measured again each time
 * that the time since the first sample has doubled, up to 1 s. RATE_TRIES bounds the first wait,
 * because in a sandbox the clock may stand still. */
enum { RATE_LEAST_NS = 20000, RATE_ENOUGH_NS = 1000000000, RATE_TRIES = 10000 };

static void measure(void) {
    struct rec_sample now = clock_sample(file_clock);
    uint64_t ns = now.monotonic - bound.first.monotonic, ticks = now.ticks - bound.first.ticks;
    double rate = ns ? (double)ticks / (double)ns : 0;

    __atomic_store_n(&bound.ticks, (uint64_t)((double)bound.ns * rate), __ATOMIC_RELAXED);
    __atomic_store_n(&bound.next, ns < RATE_ENOUGH_NS ? now.ticks + ticks : UINT64_MAX,
                     __ATOMIC_RELAXED);
}

void tentative_init(uint64_t ns) {
    bound.ns = ns;
    if (ns) {
        bound.first = clock_sample(file_clock);
        for (int i = 0; i < RATE_TRIES; i++) {
            if (clock_ns(CLOCK_MONOTONIC) - bound.first.monotonic >= RATE_LEAST_NS) {
                break;
            }
        }
        measure();
    }
}

bool tentative_wanted(void) {
    return bound.ns != 0;
}

static bool is_short(uint64_t begin, uint64_t end) {
    if (__builtin_expect(end >= __atomic_load_n(&bound.next, __ATOMIC_RELAXED), 0)) {
        measure();
    }
    return end - begin < __atomic_load_n(&bound.ticks, __ATOMIC_RELAXED);
}

/* Reserves room for a push behind the tentative records. Returns its offset in the chunk, or 0. */
static uint64_t reserve(struct tentative *t, struct stream *s, uint64_t *ret_ticks) {
    const struct rec_chunk *chunk;

    do {
        chunk = s->chunk;
        *ret_ticks = clock_ticks(file_clock);
        if (s->pending && t->count < TENTATIVE_MOST && stream_room_behind(s) >= WORDS_MOST &&
            stream_base(*ret_ticks) == s->base) {
            return s->pending;
        }
        if (!stream_reserve(s, WORDS_MOST, *ret_ticks)) {
            return 0;
        }
        t->count = 0;
    } while (s->chunk != chunk); /* making a chunk takes time, which must not count in the range */
    return (uint64_t)((char *)stream_at(s) - (char *)chunk);
}

void tentative_begin(struct tentative *t, struct stream *s, uint64_t word, uint32_t text,
                     const nvtxEventAttributes_t *a) {
    uint64_t ticks, flags = 0, at = reserve(t, s, &ticks);

    if (!at) {
        stream_drop(s);
        return;
    }
    uint64_t *begin = (uint64_t *)((char *)s->chunk + at), *end = begin + 2;
    if (a) {
        end = record_write_attributes(begin + 1, a, text, &flags);
    } else {
        begin[1] = text;
    }
    *begin = word | flags | stream_time(s, ticks);
    uint32_t count = __atomic_load_n(&t->count, __ATOMIC_RELAXED) % TENTATIVE_MOST;
    t->all[count].ticks = ticks;
    t->all[count].at = (uint32_t)at;
    t->all[count].domain = (uint32_t)(word >> 16);
    __atomic_store_n(&t->count, count + 1, __ATOMIC_RELAXED);
    stream_hold(s, at + (size_t)(end - begin) * 8);
}

/* Publishes the pushes that are older than the bound. Otherwise readers would not see these ranges
 * while only short inner ranges follow. */
static void settle_old(struct tentative *t, struct stream *s, uint32_t count, uint64_t ticks) {
    uint32_t old = 0;

    while (old < count && !is_short(t->all[old].ticks, ticks)) {
        old++;
    }
    if (old) {
        if (old < count) {
            stream_settle_to(s, t->all[old].at);
        } else {
            stream_settle(s);
        }
        memmove(&t->all[0], &t->all[old], (count - old) * sizeof(t->all[0]));
        __atomic_store_n(&t->count, count - old, __ATOMIC_RELAXED);
    }
}

bool tentative_end(struct tentative *t, struct stream *s, uint32_t domain, uint64_t ticks) {
    /* `count` is read once, because a fork in a signal handler may set it to 0. */
    uint32_t count = __atomic_load_n(&t->count, __ATOMIC_RELAXED);

    if (!s->pending || !count || count > TENTATIVE_MOST) {
        return false;
    }
    count--;
    if (t->all[count].domain != domain || !is_short(t->all[count].ticks, ticks)) {
        return false;
    }
    __atomic_store_n(&t->count, count, __ATOMIC_RELAXED);
    stream_take_back(s, t->all[count].at, ticks, count == 0);
    if (count) {
        settle_old(t, s, count, ticks);
    }
    return true;
}
