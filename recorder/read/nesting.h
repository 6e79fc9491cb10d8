/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_READ_NESTING_H
#define NVTXH_READ_NESTING_H
/*
 * The pushes of a thread that are open, in the order in which they were pushed. A push that nothing
 * ends must not make all that comes after it seem nested in it: FORMAT.md says where it ends instead.
 */
#include "span.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NESTING_NONE UINT32_MAX

struct filter;

/* A range whose end has not been seen, or an end whose beginning has not. */
struct half {
    struct span span;
    uint32_t outer; /* the push it lies in, in its thread and domain; also links the free ones */
    uint32_t below, above; /* the open pushes of its thread, of all domains, by time */
    bool is_end;
    bool is_top;  /* PUSH_POP without an end: was the innermost when its thread ended */
    int64_t seen; /* and then up to here its own time is counted */
    bool used;
    bool aside;        /* it has a guess, and what was pushed since is not nested in it */
    int64_t guess;     /* the time of a pop that may have been meant for it; negative: none */
    int64_t self_then; /* its own time up to there */
    int64_t outlived;  /* when the range ended that it was pushed in; negative: it has not */
};

struct nesting {
    const struct filter *filter; /* own times are those in its window; NULL: all */
    struct half *halves;
    size_t count, room;
    uint32_t free;       /* the first half that is */
    uint32_t *innermost; /* by domain, the innermost open push */
    uint32_t top;        /* the innermost of all domains */
    uint32_t meant;      /* the innermost that has no guess; those above it have one */
    uint32_t aside;      /* the last that was set aside */
    int64_t top_since;   /* the own time of the top is counted up to here */
};

/* Before the first record of a process, and of each of its streams. */
void nesting_begin_process(struct nesting *n);
void nesting_begin_stream(struct nesting *n);

/* Halves of any kind. */
uint32_t nesting_new(struct nesting *n);
void nesting_free_half(struct nesting *n, uint32_t i);

/* Puts a new half on top; its span has domain and start, and gets its depth. */
void nesting_push(struct nesting *n, uint32_t i);

/* Takes out the innermost push of a domain; NESTING_NONE: there is none. It is still used. */
uint32_t nesting_pop(struct nesting *n, uint32_t domain, int64_t now);

/* A pop that had nothing to end. The half it may have been meant for, or NESTING_NONE. */
uint32_t nesting_no_push(struct nesting *n, int64_t now);

/* The thread ends, or its recording: gives an end to each push that is open. A push that ends with its process
 * gets a negative one, unless `all`. Returns how many end earlier. */
uint64_t nesting_finish(struct nesting *n, int64_t last, bool all);

void nesting_free(struct nesting *n);

#endif /* NVTXH_READ_NESTING_H */
