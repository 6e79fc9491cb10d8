/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once
/* A tree of push/pop ranges. The nodes below the root are the threads, or groups of like threads
 * (see tree_make). Ranges of the same domain and name below the same node are one node. With the
 * work of GPUs (see gpu.h), one more node below the root is the parent of all process ranges. */
#include "fold.h"
#include "source.h"

struct tree_node {
    /* Of a thread: this thread. Of like threads: one of them. Of any other node: NULL and 0. */
    const struct source_process *process;
    uint32_t tid;
    uint32_t threads;           /* of like threads: how many the node stands for; else 0 */
    uint32_t parent;            /* the number of the parent node; 0 if `level` is 0 */
    uint32_t level;             /* 0: a thread, or the parent of process ranges */
    uint32_t domain_name, text; /* numbers of strings; `text` of like threads: their shared name */
    uint64_t instances;         /* 0: none in the filter's window */
    bool seen;      /* the node or one below it has instances (with the work of GPUs: operations) */
    uint32_t color; /* ARGB, of the last range with a colour; 0: none */
    double total, self; /* ns; a thread's total: the time with any range open; its self: 0 */
    double busy;     /* ns; sum of span.busy of the node and, after tree_end, of the nodes below */
    double *off;     /* of a range, by enum switches_state; NULL: not known */
    double gpu_busy; /* ns; 0: none, or a tree without the work of GPUs */
    /* The `children` children, sorted by gpu_busy, then by total: tree.order[first] and so on. */
    uint32_t first, children;
};

struct tree {
    struct tree_node *nodes; /* nodes[0] is the parent of the threads */
    size_t count, capacity;
    uint32_t *order; /* numbers of nodes, sorted by parent */
    /* names: a range's domain and text, a thread's process and id, or like threads' program and
     * shared name -> a number; index: parent node and number from `names` -> node; threads: process
     * and thread id -> 2 * node, plus 1 if the node's `threads` counts this thread. */
    struct map names, index, threads;
    struct source *source;
    bool merged; /* like threads are one node */
    double busy; /* ns; the sum of the threads' totals */
    struct span_totals totals;
};

/* `merged`: like threads are one node. Threads are alike if they are of the same program and their
 * names differ in numbers only: "io 1" and "io 2" share the name "io *". A main thread without a
 * name has the program's name; a program's other threads without names are alike. */
void tree_make(struct tree *t, struct source *source, bool merged);

/* The steps of tree_make. tree_enter returns the node of a range that begins inside the range of
 * node `outer` (0: none). tree_count counts a pushed range that has ended, and its thread;
 * tree_count_thread counts only the thread. Before tree_end, the caller sets `seen` of the nodes,
 * and may set `gpu_busy`. */
void tree_begin(struct tree *t, struct source *source, bool merged);
uint32_t tree_enter(struct tree *t, const struct span *s, uint32_t outer);
void tree_count(struct tree *t, uint32_t node, const struct span *s);
void tree_count_thread(struct tree *t, const struct source_process *p, uint32_t tid);
void tree_end(struct tree *t);
void tree_free(struct tree *t);

/* Counts the instances of ranges: see fold.h. */
void tree_count_names(const struct tree *t, struct fold *f);

/* Calls f for every node that is `seen`, except node 0: parents first, children in the order of
 * tree.order. If f returns false, skips the node's children. */
void tree_walk(const struct tree *t, bool (*f)(void *arg, const struct tree_node *node), void *arg);
