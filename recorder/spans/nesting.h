/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_SPANS_NESTING_H
#define NVTXH_SPANS_NESTING_H
/*
 * The open pushes of a thread, in the order of their beginnings. A push that nothing ends must not seem to contain
 * everything after it: FORMAT.md says where it ends instead.
 */
#include "span.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* In place of the index of a half: there is none. */
#define NESTING_NONE UINT32_MAX

struct filter;

/* A range whose end was not read yet, or an end whose beginning was not read yet. It refers to other halves by
 * their indexes in nesting.halves. */
struct half {
    struct span span;
    /* The open push around it in its thread and domain. Of a free half: the next free half. */
    uint32_t outer;
    uint32_t below, above; /* neighbours among the thread's open pushes, by time */
    bool is_end;           /* the end of a process range whose beginning was not read yet */
    bool is_top;           /* a push without an end that was the innermost when its thread ended */
    int64_t seen;          /* its self time is counted up to here */
    bool used;             /* it is not free */
    /* A push that came after its `guess` set it aside. No push since then is nested in it. */
    bool aside;
    int64_t guess;     /* time of a pop without a push that may be meant for it; negative: none */
    int64_t self_then; /* its self time up to `guess` */
    int64_t outlived;  /* when the push below it ended before this one; negative: it did not */
};

struct nesting {
    const struct filter *filter; /* self times count only in its window; NULL: everywhere */
    struct half *halves;
    size_t count, room;
    uint32_t free;       /* the first free half */
    uint32_t *innermost; /* by domain, the innermost open push */
    uint32_t top;        /* the innermost push of all domains */
    uint32_t meant; /* the innermost push whose `guess` is negative; those above it have a guess */
    uint32_t aside; /* the last push that was set aside */
    int64_t top_since; /* the top's self time is counted up to here */
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

/* Takes a pop in a domain that has no open push. Returns the push that the pop may be meant for, or NESTING_NONE. */
uint32_t nesting_no_push(struct nesting *n, int64_t now);

/* Call it when the thread or its recording ends, at `last`. FORMAT.md has the reasons for which an open push ends
 * earlier; returns how many do. The others end at `last` if `all` is true. If not, they get a negative end, and the
 * caller lets them last until their process ends. */
uint64_t nesting_finish(struct nesting *n, int64_t last, bool all);

void nesting_free(struct nesting *n);

#endif /* NVTXH_SPANS_NESTING_H */
