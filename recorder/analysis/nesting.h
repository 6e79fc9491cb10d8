/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once
/* The open pushes of a thread, in the order of their beginnings. A push without a pop must not
 * contain everything after it: FORMAT.md says where it ends. For example, a pop in a domain without
 * an open push is perhaps meant for the thread's innermost push, so the pop's time is a guess at
 * that push's end. At the next push, pushes with a guess are set aside: no later push is in them.
 *
 * A source has a struct nesting for each thread, and gets from it the depths of pushes, and their
 * self, busy and inclusive times. The source sets `filter` to its own filter, and numbers domains
 * from 0 without holes, because `innermost` is an array by domain. Times are at least 0, and those
 * of a thread's pushes and pops do not decrease. Of ranges with the same start and end, the outer
 * one is pushed first and popped last. If a file lists ranges by their starts, the source sorts
 * starts and ends by time: of equal times, an end comes before starts of other ranges, and of these
 * the range that ends last comes first. push_range() in
 * decode/engine.c shows how to push. */
#include "span.h"
#include "../util/map.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Stands in place of the index of an open push where there is no such push. */
#define NESTING_NONE UINT32_MAX

struct filter;

/* A push whose pop was not read yet. It refers to other pushes by their indexes in nesting.all. */
struct open_push {
    struct span span;
    /* The open push around it in its thread and domain. Of a free element: the next free one. */
    uint32_t outer;
    uint32_t below, above; /* its neighbours in its list: the open pushes, or those set aside */
    uint32_t in;           /* index of its place in nesting.places, or NESTING_NONE */
    bool aside;            /* was set aside, because a push came after `guess` */
    int64_t guess;         /* time of a pop that may be meant for this push; negative: none */
    int64_t self_then;     /* ns; its self time up to `guess` */
    int64_t outlived;      /* when the push `below` ended while this one was open; else negative */
    int64_t hidden;        /* ns; self times of ranges in it that the filter leaves out */
    int64_t given;         /* ns of its busy time that were added to `hidden` of pushes around it */
    /* `guess` or, if that is negative, `outlived`; negative if both are, or if it has no place. The
     * time of its place (see `places`) is divided as if the push had ended at `limit`. */
    int64_t limit;
    int64_t counted_from; /* ns; `counted` of its place just before the push got a `limit` */
    struct nesting_times {
        int64_t all, late; /* ns; late: only the time after nesting.late */
    } total_then;          /* `total` of its place when `limit` was set */
    unsigned grows;        /* bits of enum nesting_grows, set by nesting_settle */
};

/* Which times of a push grow until its process ends. */
enum nesting_grows { NESTING_SELF = 1, NESTING_BUSY = 2, NESTING_INCLUSIVE = 4 };

struct nesting {
    int64_t late;                /* see span.late; nesting_clear keeps it */
    const struct filter *filter; /* times count only in the filter's window; NULL: everywhere */
    struct open_push *all;
    size_t count, capacity;
    uint32_t free;       /* the first free element of `all` */
    uint32_t *innermost; /* by domain, the innermost open push */
    uint32_t domains;    /* elements of `innermost` */
    uint32_t top;        /* the innermost push of all domains */
    uint32_t meant;      /* the innermost push without a guess; each push above it has one */
    uint32_t aside;      /* the last push that was set aside */
    int64_t top_since;   /* the self time of `top` is counted up to this time */
    /* For span.inclusive: the places (see span_enter) of the pushes since nesting_clear. */
    struct nesting_place {
        uint32_t open;              /* how many of its pushes are open and have no `limit` */
        int64_t counted;            /* ns; time up to here was divided among the place's spans */
        struct nesting_times total; /* ns that the place's spans have got so far */
    } * places;
    size_t place_count, place_capacity;
    struct map place_index; /* place -> index in `places` */
};

/* Makes a nesting empty. A new nesting, whose members are 0 except `filter` and `late`, must be
 * made empty before it is used. */
void nesting_clear(struct nesting *n);

/* Returns the index of a free element for a push. The caller sets the span of the element. */
uint32_t nesting_new(struct nesting *n);
void nesting_free_push(struct nesting *n, uint32_t i);

/* Puts a push on top. Before the call, the caller sets all members of its span; depth, place, self,
 * busy, inclusive and late must be 0. nesting_push sets the place to what `enter` (may be NULL)
 * returns, and the depth if a push of the same domain is open. */
void nesting_push(struct nesting *n, uint32_t i, span_enter *enter, void *arg);

/* Removes the innermost push of a domain and returns it; NESTING_NONE: there is none. The caller
 * frees it with nesting_free_push. */
uint32_t nesting_pop(struct nesting *n, uint32_t domain, int64_t now);

/* Handles a pop in a domain without an open push. Returns the push that the pop may be meant for,
 * or NESTING_NONE. */
uint32_t nesting_no_push(struct nesting *n, int64_t now);

static inline bool nesting_is_empty(const struct nesting *n) {
    return n->top == NESTING_NONE && n->aside == NESTING_NONE;
}

/* Sets the ends of the open pushes that end before their process, for a reason in FORMAT.md. If
 * `all` is true, the other pushes end at `last`, the time of the thread's last event. If not, their
 * ends become negative, and the caller lets them last until their process ends. Afterwards only
 * nesting_each and nesting_clear may be called. */
void nesting_settle(struct nesting *n, int64_t last, bool all);

/* Calls f for every open push: first for those that were not set aside, outermost first; then for
 * those that were set aside, the last one first. */
void nesting_each(const struct nesting *n, void (*f)(void *arg, struct open_push *push), void *arg);

/* A span's times were counted up to `seen`. Extends those of them that `grows` names (bits of enum
 * nesting_grows) to the span's end. */
void nesting_grow(const struct nesting *n, struct span *span, unsigned grows, int64_t seen);

void nesting_copy(struct nesting *to, const struct nesting *from);

void nesting_free(struct nesting *n);
