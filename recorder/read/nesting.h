/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_READ_NESTING_H
#define NVTXH_READ_NESTING_H
/*
 * The open pushes of a thread, in the order of their beginnings. A push that nothing ends must not seem to contain
 * everything after it: FORMAT.md says where it ends instead.
 */
#include "span.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NESTING_NONE UINT32_MAX

struct filter;

/* A range whose end was not read yet, or an end whose beginning was not read yet. */
struct half {
    struct span span;
    uint32_t outer; /* the push around it in thread and domain; if free: the next free half */
    uint32_t below, above; /* neighbours among the thread's open pushes, by time */
    bool is_end;
    bool is_top;  /* a push without an end that was the innermost when its thread ended */
    int64_t seen; /* its self time is counted up to here */
    bool used;
    bool aside;        /* it has a guess, so later pushes are not nested in it */
    int64_t guess;     /* time of a pop without a push that may be meant for it; negative: none */
    int64_t self_then; /* its self time up to `guess` */
    int64_t outlived;  /* when the range around it ended; negative: not yet */
};

struct nesting {
    const struct filter *filter; /* self times count only in its window; NULL: everywhere */
    struct half *halves;
    size_t count, room;
    uint32_t free;       /* the first free half */
    uint32_t *innermost; /* by domain, the innermost open push */
    uint32_t top;        /* the innermost push of all domains */
    uint32_t meant;      /* the innermost push without a guess; those above it have one */
    uint32_t aside;      /* the last push that was set aside */
    int64_t top_since;   /* the top's self time is counted up to here */
};

/* Call these before the first record of a process, and of each of its streams. */
void nesting_begin_process(struct nesting *n);
void nesting_begin_stream(struct nesting *n);

/* Returns a half that was free, for a push or for one half of a process range. */
uint32_t nesting_new(struct nesting *n);
void nesting_free_half(struct nesting *n, uint32_t i);

/* Puts a new half on top. The caller has set its span's domain and start; the depth is set here. */
void nesting_push(struct nesting *n, uint32_t i);

/* Removes the innermost push of a domain and returns it; NESTING_NONE: there is none. The caller frees it. */
uint32_t nesting_pop(struct nesting *n, uint32_t domain, int64_t now);

/* Takes a pop in a domain without an open push. Returns the push that it may be meant for, or NESTING_NONE. */
uint32_t nesting_no_push(struct nesting *n, int64_t now);

/* Call it when the thread or its recording ends, at `last`. Each open push for which FORMAT.md gives a reason ends
 * earlier; returns the number of these pushes. The others end at `last` if `all`. Otherwise they get a negative end,
 * and last until their process ends. */
uint64_t nesting_finish(struct nesting *n, int64_t last, bool all);

void nesting_free(struct nesting *n);

#endif /* NVTXH_READ_NESTING_H */
