/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_SOURCE_NESTING_H
#define NVTXH_SOURCE_NESTING_H
/* 
 * The open pushes of a thread, in the order of their beginnings. A push without a pop must not
 * contain everything after it: FORMAT.md says where it ends.
 *
 * A source has one for each thread, and gets depths, self, busy and inclusive times of it. It sets
 * `filter` to that of the source, and numbers domains from 0 without holes, since there is an array
 * by domain. Times are at least 0, and those of a thread grow with each push and pop: of two ranges
 * with the same start and end nobody knows which is the outer one. A file that lists ranges by
 * their starts has to be sorted by the times of starts and ends: at equal times ends first, but no
 * end before its own start, and of several starts the outer range first. See push_range() in
 * spans/engine.c. */
#include "span.h"
#include "../base/map.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* In place of the index of an open push: there is none. */
#define NESTING_NONE UINT32_MAX

struct filter;

/* A push whose pop was not read yet. It refers to other pushes by their indexes in nesting.all. */
struct open_push {
    struct span span;
    /* The open push around it in its thread and domain. Of a free place: the next free place. */
    uint32_t outer;
    uint32_t below, above; /* neighbours among the thread's open pushes, by time */
    uint32_t in;           /* index in nesting.places, or NESTING_NONE */
    bool aside;    /* a later push came after `guess`: the pushes since then are not nested in it */
    int64_t guess; /* time of a pop without a push that may be meant for it; negative: none */
    int64_t self_then; /* ns; its self time up to `guess` */
    int64_t outlived;  /* when the push below it ended, if that was earlier; else negative */
    int64_t hidden;    /* ns; self times of ranges in it that the filter leaves out */
    /* `guess`, or else `outlived`, or else negative: its place counts as if the push had ended
     * then. */
    int64_t limit;
    int64_t counted_from; /* the `counted` of its place before it counted up to `limit` */
    struct nesting_times {
        int64_t all, late; /* ns; late: after nesting.late */
    } total_then;          /* the `total` of its place at `limit` */
    unsigned grows;        /* set by nesting_settle: a bit for each enum nesting_grows */
};

/* The times of a push that grow until its process ends. */
enum nesting_grows { NESTING_SELF = 1, NESTING_BUSY = 2, NESTING_INCLUSIVE = 4 };

struct nesting {
    int64_t late;                /* see span.late; may be set after nesting_clear */
    const struct filter *filter; /* self times count only in its window; NULL: everywhere */
    struct open_push *all;
    size_t count, room;
    uint32_t free;       /* the first free place */
    uint32_t *innermost; /* by domain, the innermost open push */
    uint32_t domains;    /* elements of `innermost` */
    uint32_t top;        /* the innermost push of all domains */
    uint32_t meant;      /* the innermost push without a guess; the pushes above it have one */
    uint32_t aside;      /* the last push that was set aside */
    int64_t top_since;   /* the self time of `top` is counted up to this time */
    /* For span.inclusive: the places of pushes since nesting_clear. A push that seems to have ended
     * is not `open`. */
    struct nesting_place {
        uint32_t open;              /* how many of its pushes are */
        int64_t counted;            /* the time in which it was open is counted up to this time */
        struct nesting_times total; /* what is counted */
    } * places;
    size_t place_count, place_room;
    struct map place_index; /* place -> index in `places` */
};

/* Makes a nesting empty. The first call begins its use; all members but `filter` and `late` are 0
 * then. */
void nesting_clear(struct nesting *n);

/* Returns a free place for a push. The caller sets its span. */
uint32_t nesting_new(struct nesting *n);
void nesting_free_push(struct nesting *n, uint32_t i);

/* Puts a push on top, and calls `enter`, if that is not NULL, for the span's place. The caller has
 * set all members of its span; depth, place and times to 0. If a push of its domain is open, the
 * depth is set here. */
void nesting_push(struct nesting *n, uint32_t i, span_enter *enter, void *arg);

/* Removes the innermost push of a domain and returns it; NESTING_NONE: there is none. The caller
 * frees it. */
uint32_t nesting_pop(struct nesting *n, uint32_t domain, int64_t now);

/* Takes a pop in a domain that has no open push. Returns the push that the pop may be meant for, or
 * NESTING_NONE. */
uint32_t nesting_no_push(struct nesting *n, int64_t now);

static inline bool nesting_is_empty(const struct nesting *n) {
    return n->top == NESTING_NONE && n->aside == NESTING_NONE;
}

/* Sets the ends of all open pushes. `last` is the time of the thread's last event. Pushes that end
 * earlier by FORMAT.md get that end; their number is returned. All others end at `last` if `all` is
 * true, else they get a negative end, and the caller lets them last until their process ends.
 * Afterwards only nesting_each and nesting_clear may be called. */
uint64_t nesting_settle(struct nesting *n, int64_t last, bool all);

/* Calls f for every open push: first the pushes that were not set aside, outermost first; then the
 * others, the last one first. */
void nesting_each(const struct nesting *n, void (*f)(void *arg, struct open_push *push), void *arg);

/* Makes the times of a span that grow, and were counted up to `seen`, those up to its end. */
void nesting_grow(const struct nesting *n, struct span *span, unsigned grows, int64_t seen);

/* Makes *to a copy of *from. */
void nesting_copy(struct nesting *to, const struct nesting *from);

void nesting_free(struct nesting *n);

#endif /* NVTXH_SOURCE_NESTING_H */
