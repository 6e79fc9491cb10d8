/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_STATS_LAYOUT_H
#define NVTXH_STATS_LAYOUT_H

/*
 * What statistics are made of. Not API.
 *
 * All that is counted lies in memory of the process, which no object owns and nothing unmaps: the
 * hub, from it the rows and the threads, from a thread its sums, one for each row it has counted.
 * A thread makes its own state, and nobody else writes to it.
 */

#include "../core/site.h"
#include "../core/symbols.h"
#include "../state.h"
#include "arena.h"

#if NVTXH_I_IMPL

/*
 * Times are counted in buckets, by 16 more than their ticks: 16 buckets for each power of two from
 * 16 on, which are the exponent of a double and the first four bits of its fraction.
 */
#define NVTXH_I_STATS_OFFSET 16u
#define NVTXH_I_STATS_FIRST ((1023u + 4) * 16) /* the first bucket, as a double has it */
#define NVTXH_I_STATS_FEW (29 * 16)            /* buckets of times below 2^32 ticks */
#define NVTXH_I_STATS_BUCKETS (60 * 16)
#define NVTXH_I_STATS_NONE (NVTXH_I_STATS_FIRST + NVTXH_I_STATS_FEW) /* `last`: no sample waits */

/*
 * As a thread sees one row, in ticks of the clock. A sample is written to the buckets first and to
 * `count` last: while the buckets add up to `count`, all between belongs together.
 *
 * A sample's bucket is kept in `last`, and written with the next sample. Its address depends on the clock,
 * which has just been read: the processor would have later loads wait until that address is known.
 */
struct nvtxh_i_stats_sum {
    uint64_t count;
    struct nvtxh_i_stats_thread *thread;
    uint64_t total, within, min, max; /* within: the time in nested scopes */
    double squares;                   /* the sum of them, of times as the buckets have them */
    uint32_t depth;                   /* how often it is open */
    uint32_t last; /* the bucket of the last sample, from NVTXH_I_STATS_FIRST on */
    uint32_t buckets[NVTXH_I_STATS_FEW + 1]; /* the last one: of NVTXH_I_STATS_NONE */
    uint64_t *more; /* what those have no room for, by bucket; NULL: nothing */
    uint64_t inner; /* the part of `total` that recursion counted twice */
    uint64_t marks;
};

/*
 * The short way from a call site to its sum, for the sites in one object's section: an entry as
 * large as a site, so that they lie as far apart as the sites do.
 */
struct nvtxh_i_stats_entry {
    struct nvtxh_i_stats_sum *sum; /* NULL: to be asked for */
    uintptr_t domain;              /* for which */
    uintptr_t unused[3];
};

struct nvtxh_i_stats_table {
    struct nvtxh_i_stats_table *next; /* of the same thread */
    const void *object;               /* NULL: it has been unloaded */
    size_t n;
    struct nvtxh_i_stats_entry of[1];
};

#define NVTXH_I_STATS_PUSHED 4u
/* What is open on a thread, a list from the outermost (the thread's own) to the innermost. */
struct nvtxh_i_stats_frame {
    struct nvtxh_i_stats_frame *above, *below;
    struct nvtxh_i_stats_sum *sum;
    uint64_t start;
    uint64_t within; /* time of what has been open above it */
    uintptr_t open;  /* for the tool; of a push: its domain, and NVTXH_I_STATS_PUSHED; else 0 */
    struct nvtxh_i_stats_thread *thread;
};

/* By number of the row. It is replaced by a larger one when it is full. */
struct nvtxh_i_stats_sums {
    size_t n;
    struct nvtxh_i_stats_sum *of[1];
};

struct nvtxh_i_stats_thread {
    struct nvtxh_i_stats_frame *top;
    struct nvtxh_i_stats_sums *sums;
    uintptr_t self;        /* which thread it is */
    uint32_t resets;       /* how many of them it has followed */
    uint32_t resets_asked; /* how many there were */
    uint32_t switches;     /* how often statistics had been switched when it last pushed */
    bool no_counter;       /* the clock is CLOCK_MONOTONIC, not the processor's counter */
    uint32_t tid;
    struct nvtxh_i_stats_arena arena;
    struct nvtxh_i_stats_thread *next;
    struct nvtxh_i_stats_frame outermost;
    struct nvtxh_i_stats_sum *nowhere; /* for what is not to be counted */
    struct nvtxh_i_stats_table *tables;
};

/* What each linked object keeps of the calling thread. */
struct nvtxh_i_stats_here {
    uintptr_t to_entries; /* from a site's address to its entry's; 0: there is none */
    struct nvtxh_i_stats_thread *thread;
};

/* A place in the source and a domain. */
struct nvtxh_i_stats_row {
    const char *message, *domain, *file, *function;
    uint32_t line, kind;
    uint32_t number; /* from 1 */
    struct nvtxh_i_stats_row *next, *same_hash;
};

#define NVTXH_I_STATS_HASHES 4096
struct nvtxh_i_stats_hub {
    uint32_t lock; /* the process id of the holder: a fork may leave it locked */
    uint32_t process;
    uint32_t enabled;
    uint32_t switches;
    uint32_t resets;
    bool counter;
    uint64_t ticks, ns; /* the same moment by both clocks */
    struct nvtxh_i_stats_arena arena;
    struct nvtxh_i_stats_thread *threads;
    struct nvtxh_i_stats_thread *looked_at; /* last, for one that has ended */
    uint32_t n_rows;
    struct nvtxh_i_stats_row *rows; /* the newest first */
    struct nvtxh_i_stats_row *by_hash[NVTXH_I_STATS_HASHES];
    char *output;        /* what NVTXH_STATS says; NULL: nothing is printed */
    uint32_t n_printers; /* objects that have yet to exit */
    bool forked;
};

struct nvtxh_i_stats_object {
    uint32_t size; /* of the hub and a thread's state: who has others is left alone */
    bool printer;  /* prints at exit, unless another does after it */
    bool at_fork;  /* is called at a fork */
    struct nvtxh_i_state *state;
    struct nvtxh_i_stats_hub *hub;
};

#define NVTXH_I_STATS_SIZE                                                                         \
    (sizeof(struct nvtxh_i_stats_hub) * 16 + sizeof(struct nvtxh_i_stats_thread))

NVTXH_I_C_BEGIN

NVTXH_I_ASSERT(sizeof(struct nvtxh_i_stats_entry) == sizeof(struct nvtxh_i_site),
               "see nvtxh_i_stats_quickly");

NVTXH_I_LINKONCE __thread struct nvtxh_i_stats_here nvtxh_i_stats_here;
NVTXH_I_LINKONCE __attribute__((__used__)) struct nvtxh_i_stats_object nvtxh_i_stats_object = {
    NVTXH_I_STATS_SIZE, false, false, &nvtxh_i_state, NVTXH_I_NULL};

/* NULL: statistics have never been on. Whoever switches them writes it again in every object. */
NVTXH_I_INLINE struct nvtxh_i_stats_hub *nvtxh_i_stats_shared(void)
{
    return __atomic_load_n(&nvtxh_i_stats_object.hub, __ATOMIC_ACQUIRE);
}

NVTXH_I_C_END

#endif
#endif
