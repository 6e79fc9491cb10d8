/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_STATS_LAYOUT_H
#define NVTXH_STATS_LAYOUT_H

/* The data structures of statistics. The registry, one for the process, points to the rows and to
 * the threads. A row stands for a place in the source and a domain. A thread points to its sums. A
 * sum is what the thread has counted for one row. Each thread makes its own state, and only it
 * writes its counts. All counts are in memory that belongs to no linked object and is never
 * unmapped. Not API. */

#include "../core/arena.h"
#include "../core/site.h"
#include "../core/symbols.h"
#include "../state.h"

/* A bucket counts times of similar length. For a time of N ticks, the bucket's number is taken from
 * N + 16 as a double: the exponent, then the first four bits of the fraction. So the values of
 * N + 16 from one power of two to the next share 16 buckets. */
enum {
    NVTXH_I_STATS_OFFSET = 16,
    NVTXH_I_STATS_FIRST = (1023 + 4) * 16, /* the first bucket's number */
    NVTXH_I_STATS_FEW = 29 * 16,           /* enough for times below 2^32 ticks */
    NVTXH_I_STATS_BUCKETS = 60 * 16,
    /* The value of `last` (see below) when it holds no sample's bucket. */
    NVTXH_I_STATS_NONE = NVTXH_I_STATS_FIRST + NVTXH_I_STATS_FEW,
};

/* What one thread has counted for one row, in ticks of the clock. A sample is the time of one call.
 * The number of its bucket is kept in `last`; the bucket is incremented with the next sample. If it
 * were incremented at once, the address of that store would depend on the clock that was just read,
 * and the processor's later loads would wait for the address. A thread that adds a sample writes
 * the previous sample's bucket and `last` first, and `count` last. A reader reads `count` first. If
 * the buckets and the sample in `last` add up to `count`, all values read are of one moment. */
struct nvtxh_i_stats_sum {
    uint64_t count; /* calls that have ended */
    struct nvtxh_i_stats_thread *thread;
    uint64_t total, within, min, max; /* within: the time in nested scopes */
    double squares;                   /* the sum of (ticks + 16)^2 */
    uint32_t depth;                   /* how many calls are open */
    uint32_t last; /* the number of the last sample's bucket, from NVTXH_I_STATS_FIRST on */
    uint32_t buckets[NVTXH_I_STATS_FEW + 1]; /* one more, for NVTXH_I_STATS_NONE: readers skip it */
    uint64_t *more; /* 64-bit buckets, for longer times and larger counts; NULL: none */
    uint64_t inner; /* the part of `total` that recursion counted twice */
    uint64_t marks; /* how often a mark was passed */
};

/* An entry is the short way from a call site in the section nvtxh_sites to the thread's sum for it.
 * An entry is as large as a site, so every entry is `to_entries` bytes after its site. */
struct nvtxh_i_stats_entry {
    struct nvtxh_i_stats_sum *sum; /* NULL: take the long way, nvtxh_i_stats_prepare() */
    uintptr_t domain;              /* nvtxh_i_slot_key() of the sum's domain */
    uintptr_t spare[3];
};

/* A thread's entries for all sites of one linked object. */
struct nvtxh_i_stats_table {
    struct nvtxh_i_stats_table *next; /* the next table of this thread */
    const void *object; /* that object's nvtxh_i_stats_object; NULL: it was unloaded */
    size_t n;
    struct nvtxh_i_stats_entry of[1];
};

enum { NVTXH_I_STATS_PUSHED = 4 }; /* a bit in a frame's `open`: it is the frame of a push */
/* A frame is an annotation that is open on a thread. The thread's frames are a list: `outermost`,
 * then the open frames up to `top`, then the free frames. */
struct nvtxh_i_stats_frame {
    struct nvtxh_i_stats_frame *above, *below;
    struct nvtxh_i_stats_sum *sum;
    uint64_t start;  /* in ticks */
    uint64_t within; /* ticks in nested frames that have ended */
    uintptr_t open;  /* push: domain | STATS_PUSHED; scope: its guard's value for the tool, or 0 */
    struct nvtxh_i_stats_thread *thread;
};

/* A thread's sums, by row number. A full array is replaced by a larger array. */
struct nvtxh_i_stats_sums {
    size_t n;
    struct nvtxh_i_stats_sum *of[1];
};

struct nvtxh_i_stats_thread {
    struct nvtxh_i_stats_frame *top;
    struct nvtxh_i_stats_sums *sums;
    uintptr_t self;  /* nvtxh_i_thread_pointer() of the thread */
    uint32_t resets; /* the registry's `resets` at the last reset that this thread carried out */
    uint32_t resets_asked; /* the registry's `resets` when this thread was last asked for a reset */
    uint32_t switches;     /* the registry's `switches` at this thread's last push or pop */
    bool no_counter;       /* the clock is CLOCK_MONOTONIC, not the processor's counter */
    uint32_t tid;          /* 0: the thread has ended */
    struct nvtxh_i_arena arena;
    struct nvtxh_i_stats_thread *next;
    struct nvtxh_i_stats_frame outermost; /* below all open frames; it never ends */
    struct nvtxh_i_stats_sum *nowhere;    /* gets the samples that must not be counted */
    struct nvtxh_i_stats_table *tables;
};

/* What a linked object knows about the calling thread. */
struct nvtxh_i_stats_here {
    uintptr_t to_entries; /* the distance in bytes from a site to its entry; 0: there is no table */
    struct nvtxh_i_stats_thread *thread;
};

/* A row: a place in the source and a domain. */
struct nvtxh_i_stats_row {
    const char *message, *domain, *file, *function;
    uint32_t line, kind;
    uint32_t number; /* from 1 */
    struct nvtxh_i_stats_row *next, *same_hash;
};

enum { NVTXH_I_STATS_HASHES = 4096 };
struct nvtxh_i_stats_registry {
    uint32_t lock;    /* the process id of the lock's holder: see nvtxh_i_spin_lock */
    uint32_t process; /* the id of the process */
    uint32_t enabled;
    uint32_t switches;  /* how often statistics were switched on or off */
    uint32_t resets;    /* how often statistics were reset */
    bool counter;       /* the clock is the processor's counter, not CLOCK_MONOTONIC */
    uint64_t ticks, ns; /* when the registry was made, by both clocks */
    struct nvtxh_i_arena arena;
    struct nvtxh_i_stats_thread *threads;
    struct nvtxh_i_stats_thread *looked_at; /* where the last search for an ended thread stopped */
    uint32_t n_rows;
    struct nvtxh_i_stats_row *rows; /* the newest first */
    struct nvtxh_i_stats_row *by_hash[NVTXH_I_STATS_HASHES];
    char *output;        /* NVTXH_STATS as an absolute path; NULL: nothing is printed at exit */
    char *given;         /* the value of NVTXH_STATS: the end of `output`, or all of it */
    uint64_t written;    /* when the file was last written, as far as this process knows */
    uint32_t n_printers; /* how many objects have `printer` set */
    bool forked;         /* this process is a forked child */
};

struct nvtxh_i_stats_object {
    uint32_t size; /* NVTXH_I_STATS_SIZE: objects with another size are ignored */
    bool printer;  /* may print at exit: the last of the objects with `printer` set prints */
    bool at_fork;  /* has a handler for forks */
    struct nvtxh_i_state *state;
    struct nvtxh_i_stats_registry *registry;
};

/* Two versions of nvtxh with different structures differ in this number. */
#define NVTXH_I_STATS_SIZE                                                                         \
    (sizeof(struct nvtxh_i_stats_registry) * 16 + sizeof(struct nvtxh_i_stats_thread))

NVTXH_I_C_BEGIN

NVTXH_I_ASSERT(sizeof(struct nvtxh_i_stats_entry) == sizeof(struct nvtxh_i_site),
               "see nvtxh_i_stats_quickly");

NVTXH_I_LINKONCE __thread struct nvtxh_i_stats_here nvtxh_i_stats_here NVTXH_I_LINKED("stats_here");
NVTXH_I_LINKONCE
__attribute__((__used__)) struct nvtxh_i_stats_object nvtxh_i_stats_object = {
    NVTXH_I_STATS_SIZE, false, false, &nvtxh_i_state, NULL};

/* Allocates memory for statistics, on its own cache line. The memory is never freed. */
#define NVTXH_I_STATS_ALLOC(type, arena, size) ((type *)nvtxh_i_arena_alloc(arena, size, 64))

/* The registry; NULL: this object knows of none. nvtxh_stats_enable() stores the registry in all
 * objects. */
NVTXH_I_INLINE_LOCAL struct nvtxh_i_stats_registry *nvtxh_i_stats_shared(void) {
    return __atomic_load_n(&nvtxh_i_stats_object.registry, __ATOMIC_ACQUIRE);
}

NVTXH_I_C_END

#endif
