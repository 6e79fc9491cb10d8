/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once
/* Why the longest instance of a range took so long: the ranges around it, where its time went, what
 * other threads did, and the values of counters. It is compared with a usual instance: the one
 * whose duration is closest to the median. */
#include "source.h"

enum explained_what {
    EXPLAINED_AROUND,    /* a range around the instance; outermost first */
    EXPLAINED_INSIDE,    /* self times of a range in the instance's thread */
    EXPLAINED_MEANWHILE, /* self times of a range in other threads, which are alike */
    EXPLAINED_COUNTER
};

struct explained {
    enum explained_what what;
    uint32_t domain_name, text;
    uint32_t index; /* AROUND: in `around`; MEANWHILE: in `groups`; else 0 */
    /* INSIDE, MEANWHILE: ns in the instance. COUNTER: the average of its samples in the instance,
     * or if there are none, the last value before it. NaN: not known. */
    double then;
    /* INSIDE: ns in the usual instance, if there is one. COUNTER: the average of all samples. */
    double usual;
};

struct explanation {
    struct span longest, typical; /* the instance, and the usual one */
    uint32_t text;                /* by which the longest is in `rows`: see fold_text */
    bool has_typical;             /* there is another instance than the longest */
    /* Sorted by `what`; INSIDE and MEANWHILE by the difference of both times, groups by `busy`. */
    struct explained *rows;
    size_t count, capacity;
    struct span *around;
    size_t around_count, around_capacity;
    struct explained_group {                  /* threads that are alike (see name_shared) */
        const struct source_process *process; /* of one of the threads */
        uint32_t tid, name, threads; /* name: a text; threads: how many were in a push/pop range */
        double busy;                 /* ns */
    } * groups;
    size_t group_count, group_capacity;
};

/* Reads the source up to three times. `longest`: an instance that source->filter lets through, with
 * a duration above 0. `median`: of all such instances of its style, in ns. */
void explain(struct explanation *e, struct source *source, const struct span *longest,
             double median);
void explanation_free(struct explanation *e);
