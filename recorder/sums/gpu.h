/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_SUMS_GPU_H
#define NVTXH_SUMS_GPU_H
/* 
 * The work of GPUs by the ranges that launched it: docs/gpu.md defines each figure. An operation
 * belongs to a push/pop range of the thread that launched it, or to a process range of the process,
 * if start <= launch < end. */
#include "distribution.h"
#include "tree.h"
#include "../source/source.h"

/* What a row is of: operations of a name; operations of a name by the range that launched them,
 * which is the innermost push/pop range, or of process ranges the last one that started; all that
 * ranges of a name launched; all that ranges of a node of the tree launched, or of a thread.
 * MERGED: of like threads, see tree_make. */
enum gpu_by {
    GPU_BY_KERNEL,
    GPU_BY_RANGE_AND_KERNEL,
    GPU_BY_RANGE,
    GPU_BY_PATH,
    GPU_BY_MERGED_PATH
};

struct gpu_row {
    enum span_style style; /* of the range; SPAN_MARK: none */
    uint32_t domain_name, text, color;
    uint32_t kernel; /* a text: the operations' name; of ranges 0 */
    /* an operation counts once, in however many instances it was launched */
    uint64_t instances, ops;
    double total;     /* ns; host time of all instances */
    double sum, span; /* ns; durations of operations; first start to last end of each instance */
    double copied, copying; /* bytes of copies, ns of copies */
    struct gpu_union {
        double total; /* ns */
        int64_t until;
    } busy, around; /* the operations; the instances, each from the first start to the last end */
    /* ns from the launch to the start; durations, of kernels */
    struct distribution launch, lengths;
    uint64_t last; /* the last operation that was counted */
};

struct gpu {
    struct source *source;
    enum gpu_by by;
    /* The first one: operations without a range, but for kernels. GPU_BY_PATH: by the numbers of
     * the tree's nodes. */
    struct gpu_row *rows;
    size_t count, room;
    struct gpu_union busy; /* of all operations */
    struct span_totals totals;
    struct distribution_budget budget;
    struct tree tree; /* GPU_BY_PATH */
    /* a range's style, domain and text, or a range's row and a kernel's text -> row */
    struct map index;
    struct gpu_node { /* rows that an operation belongs to: this row and those of `above` */
        uint32_t above, row;
    } * nodes;
    size_t node_count, node_room;
    struct map node_index; /* above << 32 | row -> node */
    struct gpu_open {      /* an instance that has not ended */
        uint32_t thread;   /* GPU_BY_PATH: the row of its thread */
        /* outer, inner: the next older and newer push of its thread, or 0 */
        uint32_t outer, inner, row;
        uint32_t next; /* of a free element: the next one */
        size_t place;  /* of a process range: its index in `places` */
        struct gpu_times {
            int64_t first, last;
        } times; /* of its operations */
    } * open;
    size_t open_count, open_room;
    uint32_t free;            /* the head of a list in `open` */
    struct map innermost;     /* process and thread -> the innermost push that is open */
    uint32_t around;          /* the innermost push around the operation that is counted */
    const struct span *whole; /* that operation, before the filter has cut it */
    /* By the process's number: its open process ranges in the order of their starts, a binary
     * indexed tree. An operation that was launched after the start of the last range is in the
     * times of the places k = count - 1, (k & k + 1) - 1 and so on down; a range at place k has the
     * operations of the places k, k | k + 1 and so on up. */
    struct gpu_process {
        struct gpu_place {
            struct gpu_times times;
            uint32_t range; /* in `open`; 0: it has ended. The last range has not ended */
        } * places;
        size_t count, room, open; /* open: how many have not ended */
        struct gpu_open_row {
            uint32_t row, thread; /* as in gpu_open */
            uint32_t open;        /* how many open process ranges the row has, at least 1 */
        } * rows;
        size_t row_count, row_room;
    } * processes;
    size_t process_count;
    struct map open_rows; /* process << 32 | row -> index in `rows` of the process */
    uint64_t ops;         /* how many */
    struct span_order *order;
};

/* Adds an interval to a union. They come in the order of their starts. */
void gpu_unite(struct gpu_union *u, const struct span *span);

/* False with a message: see spans_in_order. Rows but the first one are sorted by their busy time,
 * those without operations are in no order; with GPU_BY_PATH, `tree` has the order. The source's
 * filter selects ranges, or operations with GPU_BY_KERNEL. `among`: how many share the memory for
 * quantiles. */
bool gpu_make(struct gpu *g, struct source *source, enum gpu_by by, size_t among,
              struct error *ret_error);
/* With GPU_BY_RANGE the row of a range, or NULL if it has no operations. */
const struct gpu_row *gpu_find(const struct gpu *g, enum span_style style, uint32_t domain_name,
                               uint32_t text);
void gpu_free(struct gpu *g);

#endif /* NVTXH_SUMS_GPU_H */
