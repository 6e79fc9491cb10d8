/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "switches.h"
#include "../util/map.h"

#include <stdlib.h>
#include <string.h>

struct point {
    int64_t at;
    int64_t off[SWITCHES_OFF]; /* ns in each state since the thread's first point */
    enum switches_state state; /* from `at` on */
    uint16_t processor;
};

struct thread {
    struct point *points;
    size_t count, capacity;
};

struct switches {
    struct map index; /* tid -> index in `threads` */
    struct thread *threads;
    size_t count, capacity;
    struct lost {
        int64_t from, to;
    } * lost; /* once ready: sorted, and apart from each other */
    size_t lost_count, lost_capacity;
};

struct switches *switches_begin(void) {
    struct switches *s = must_alloc(NULL, 1, sizeof(*s));

    *s = (struct switches){0};
    return s;
}

void switches_free(struct switches *s) {
    for (size_t i = 0; s && i < s->count; i++) {
        free(s->threads[i].points);
    }
    if (s) {
        map_free(&s->index);
        free(s->threads);
        free(s->lost);
    }
    free(s);
}

void switches_add(struct switches *s, uint32_t tid, int64_t at, enum switches_state state,
                  uint16_t processor) {
    uint32_t i =
        MAP_INTERN(&s->index, tid, s->threads, s->count, s->capacity, (struct thread){NULL, 0, 0});
    struct thread *t = &s->threads[i];

    *ARRAY_NEW(t->points, t->count, t->capacity) =
        (struct point){.at = at, .state = state, .processor = processor};
}

void switches_lost(struct switches *s, int64_t from, int64_t to) {
    *ARRAY_NEW(s->lost, s->lost_count, s->lost_capacity) = (struct lost){from, to};
}

/* Whether switches of the time between `from` and `to` may be missing. */
static bool is_lost(const struct switches *s, int64_t from, int64_t to) {
    size_t i = ARRAY_SEARCH(k, 0, s->lost_count, s->lost[k].to <= from);

    return i < s->lost_count && s->lost[i].from < to;
}

ARRAY_ORDER(by_time, struct point, ORDER(x->at, y->at) ?: ORDER(x->state, y->state))

ARRAY_ORDER(by_from, struct lost, ORDER(x->from, y->from))

static void join_lost(struct switches *s) {
    size_t count = 0;

    ARRAY_SORT(s->lost, s->lost_count, by_from);
    for (size_t i = 0; i < s->lost_count; i++) {
        struct lost *last = count ? &s->lost[count - 1] : NULL, next = s->lost[i];
        if (last && next.from <= last->to) {
            last->to = next.to > last->to ? next.to : last->to;
        } else {
            s->lost[count++] = next;
        }
    }
    s->lost_count = count;
}

/* If switches are lost until some time before the first point, or from some time on to the end, the
 * time in between is known: adds a point there. Returns whether the last one was added. */
static bool add_ends(const struct switches *s, struct thread *t) {
    const struct lost *first = s->lost, *last = first + s->lost_count - 1;
    struct point begin = t->points[0], end = t->points[t->count - 1];

    if (s->lost_count && first->from == INT64_MIN && first->to < begin.at &&
        begin.state != SWITCHES_ON) { /* it had a processor, which it then left */
        *ARRAY_NEW(t->points, t->count, t->capacity) =
            (struct point){.at = first->to, .state = SWITCHES_ON, .processor = begin.processor};
    }
    bool is_cut = s->lost_count && last->to == INT64_MAX;
    if (is_cut) {
        *ARRAY_NEW(t->points, t->count, t->capacity) = (struct point){
            .at = last->from > end.at ? last->from : end.at + 1, .state = SWITCHES_UNKNOWN};
    }
    return is_cut;
}

/* Two switches in a row to a processor, or from one, mean that one between them is missing. Threads
 * end on a processor. `is_cut`: the last point is no switch. */
static void add_up(const struct switches *s, struct thread *t, bool is_cut) {
    for (size_t i = 0; i + 1 < t->count; i++) {
        struct point *now = &t->points[i], *next = now + 1;
        bool is_same = (now->state == SWITCHES_ON) == (next->state == SWITCHES_ON) &&
                       !(is_cut && i + 2 == t->count);
        if (is_same || is_lost(s, now->at, next->at)) {
            now->state = SWITCHES_UNKNOWN;
        }
        memcpy(next->off, now->off, sizeof(next->off));
        if (now->state != SWITCHES_ON) {
            next->off[now->state] += next->at - now->at;
        }
    }
}

void switches_ready(struct switches *s) {
    join_lost(s);
    for (size_t i = 0; i < s->count; i++) {
        struct thread *t = &s->threads[i];
        qsort(t->points, t->count, sizeof(*t->points), by_time);
        bool is_cut = add_ends(s, t);
        qsort(t->points, t->count, sizeof(*t->points), by_time);
        add_up(s, t, is_cut);
    }
}

/* How many ns since its first point, until `at`, a thread was in each state. */
static void until(const struct thread *t, int64_t at, int64_t ret_off[SWITCHES_OFF]) {
    size_t i = ARRAY_SEARCH(k, 0, t->count, t->points[k].at <= at);
    const struct point *p = &t->points[i ? i - 1 : 0];
    enum switches_state state = i ? p->state : SWITCHES_UNKNOWN;

    memcpy(ret_off, p->off, sizeof(p->off));
    if (state != SWITCHES_ON) {
        ret_off[state] += at - p->at; /* before the first point: less than 0 */
    }
}

void switches_between(const struct switches *s, uint32_t tid, int64_t from, int64_t to,
                      int64_t ret_off[SWITCHES_OFF]) {
    const uint64_t *found = map_find(&s->index, tid);
    int64_t before[SWITCHES_OFF];

    memset(ret_off, 0, SWITCHES_OFF * sizeof(*ret_off));
    ret_off[SWITCHES_UNKNOWN] = found ? 0 : to - from;
    if (found) {
        until(&s->threads[*found], from, before);
        until(&s->threads[*found], to, ret_off);
        for (int i = 0; i < SWITCHES_OFF; i++) {
            ret_off[i] -= before[i];
        }
    }
}

bool switches_time(const struct switches *s, uint32_t tid, size_t i, struct switches_time *ret) {
    const uint64_t *found = map_find(&s->index, tid);
    const struct thread none = {NULL, 0, 0}, *t = found ? &s->threads[*found] : &none;
    const struct point first = {.at = INT64_MIN, .state = SWITCHES_UNKNOWN},
                       *p = i && i <= t->count ? &t->points[i - 1] : &first;

    *ret = (struct switches_time){p->at, i < t->count ? t->points[i].at : INT64_MAX, p->state,
                                  p->processor};
    return i <= t->count;
}
