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

/* A range whose end was not read yet, or an end whose beginning was not. */
struct half {
    struct span span;
    uint32_t outer;        /* the push around it in thread and domain; also: next free one */
    uint32_t below, above; /* neighbours among the thread's open pushes, by time */
    bool is_end;
    bool is_top;  /* PUSH_POP without an end: was the innermost when its thread ended */
    int64_t seen; /* its own time is counted up to here */
    bool used;
    bool aside;        /* it has a guess, and later pushes are not nested in it */
    int64_t guess;     /* time of a pop that it may be for; negative: none */
    int64_t self_then; /* its own time up to `guess` */
    int64_t outlived;  /* when the range around it ended; negative: it is open */
};

struct nesting {
    const struct filter *filter; /* counts own times in its window; NULL: all */
    struct half *halves;
    size_t count, room;
    uint32_t free;       /* the first free half */
    uint32_t *innermost; /* by domain, the innermost open push */
    uint32_t top;        /* the innermost push of all domains */
    uint32_t meant;      /* the innermost push without a guess; those above it have one */
    uint32_t aside;      /* the last push that was set aside */
    int64_t top_since;   /* the top's own time is counted up to here */
};

/* Before the first record of a process, and of each of its streams. */
void nesting_begin_process(struct nesting *n);
void nesting_begin_stream(struct nesting *n);

/* Takes a half, for any use. */
uint32_t nesting_new(struct nesting *n);
void nesting_free_half(struct nesting *n, uint32_t i);

/* Puts a new half on top. Its span has domain and start; its depth is set here. */
void nesting_push(struct nesting *n, uint32_t i);

/* Removes the innermost push of a domain and returns it; NESTING_NONE: there is none. The caller frees it. */
uint32_t nesting_pop(struct nesting *n, uint32_t domain, int64_t now);

/* A pop that had nothing to end. Returns the half that it may have been meant for, or NESTING_NONE. */
uint32_t nesting_no_push(struct nesting *n, int64_t now);

/* The thread or its recording ends: gives each open push an end. A push that lasts to the end of the process gets a
 * negative end, unless `all`. Returns how many end earlier. */
uint64_t nesting_finish(struct nesting *n, int64_t last, bool all);

void nesting_free(struct nesting *n);

#endif /* NVTXH_READ_NESTING_H */
