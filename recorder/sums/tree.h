/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_SUMS_TREE_H
#define NVTXH_SUMS_TREE_H
/* The tree of each thread's push/pop ranges, or one of all threads that are alike. Ranges of one
 * name in the same place are one node. In a tree with the work of GPUs (see gpu.h), a node in place
 * of a thread has all process ranges. */
#include "../source/source.h"

struct tree_node {
    /* Only of a node that is a thread, the root of the thread's ranges; else NULL and 0. Of like
     * threads: one of them. */
    const struct source_process *process;
    uint32_t tid;
    uint32_t threads;           /* how many threads it is; counted of like threads only */
    uint32_t parent;            /* the number of a node; 0 if this node is a thread */
    uint32_t level;             /* 0: a thread */
    uint32_t domain_name, text; /* text of like threads: the name that they share, see tree_make */
    uint64_t instances;         /* 0: none in the filter's window */
    bool seen; /* this node or a node below has instances, or with the work of GPUs operations */
    uint32_t color;     /* ARGB, the last colour given; 0: none */
    double total, self; /* ns; of a thread: the time in which any range was open, and 0 */
    double busy;        /* ns; see span.busy; with those of the nodes below it */
    double gpu_busy;    /* ns; 0: none, or a tree without the work of GPUs */
    /* `children` children begin at tree.order[first], by gpu_busy, then by total */
    uint32_t first, children;
};

struct tree {
    struct tree_node *nodes; /* 0 is the parent of the threads */
    size_t count, room;
    uint32_t *order; /* numbers of nodes, by parent */
    /* names: domain and text, or process and thread, or program and name of like threads -> number;
     * index: parent and number in `names` -> node; threads: process and thread -> 2 * node +
     * whether `threads` of the node counts it. */
    struct map names, index, threads;
    struct source *source;
    bool merged; /* like threads are one node */
    double busy; /* the sum of the threads' totals */
    struct span_totals totals;
};

/* merged: threads are alike if their programs are the same, and their names but for numbers ("io 1"
 * and "io 2" are "io *"). A main thread without a name has that of its program; other threads
 * without names are alike. */
void tree_make(struct tree *t, struct source *source, bool merged);

/* The steps of tree_make. tree_enter returns the node of a range that begins in that of `outer` (0:
 * in none), tree_count counts a push that ends, and its thread; tree_count_thread a thread of which
 * no push may be counted. Before tree_end the caller sets `seen`, and may set `gpu_busy`. */
void tree_begin(struct tree *t, struct source *source, bool merged);
uint32_t tree_enter(struct tree *t, const struct span *s, uint32_t outer);
void tree_count(struct tree *t, uint32_t node, const struct span *s);
void tree_count_thread(struct tree *t, const struct source_process *p, uint32_t tid);
void tree_end(struct tree *t);
void tree_free(struct tree *t);

/* Calls f for every node but 0, parents first, children by total. If f returns false, skips the
 * node's children. */
void tree_walk(const struct tree *t, bool (*f)(void *arg, const struct tree_node *node), void *arg);

#endif /* NVTXH_SUMS_TREE_H */
