/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once
/* The work of GPUs, added up by the ranges that launched it: docs/gpu.md defines each figure. An
 * operation, such as a kernel or a copy, belongs to a range if start <= launch < end. A push/pop
 * range has only operations that its thread launched; a process range, those of its process. */
#include "distribution.h"
#include "tree.h"
#include "source.h"

/* Which operations a row counts. KERNEL: those with one name. RANGE: those that were launched in
 * ranges of one name. RANGE_AND_KERNEL: those with one name that were launched in ranges of one
 * name; an operation then counts only in its innermost push/pop range or, if it has none, in the
 * open process range that started last. PATH: those that were launched in the ranges of one node of
 * the tree. MERGED_PATH: as PATH, but threads that are alike (see tree_make) are one node. */
enum gpu_by {
    GPU_BY_KERNEL,
    GPU_BY_RANGE_AND_KERNEL,
    GPU_BY_RANGE,
    GPU_BY_PATH,
    GPU_BY_MERGED_PATH
};

struct gpu_row {
    enum span_style style; /* of the range; SPAN_MARK: the row has no range */
    uint32_t domain_name, text, color;
    uint32_t kernel; /* number of a text, the operations' name; 0: any name */
    /* `ops` counts an operation once, even if it was launched in several nested instances */
    uint64_t instances, ops;
    double total; /* ns; the durations of all instances, on the host */
    /* ns, added up. sum: the durations of operations. span: for each instance, the time from the
     * first start of its operations to their last end. */
    double sum, span;
    double copied, copying; /* of copies: bytes, and the sum of durations in ns */
    struct gpu_union {
        double total;  /* ns that the intervals cover */
        int64_t until; /* ns; the latest end of an interval */
    } busy, around;    /* busy: of the operations; around: of the intervals that `span` adds up */
    /* ns. launch: an operation's launch to start. lengths: durations (KERNEL, RANGE_AND_KERNEL) */
    struct distribution launch, lengths;
    uint64_t last; /* gpu.ops when the row's last operation was counted */
};

struct gpu {
    struct source *source;
    enum gpu_by by;
    /* rows[0] counts the operations that no range launched; KERNEL and RANGE_AND_KERNEL leave it at
     * 0. PATH, MERGED_PATH: rows[i] is of tree.nodes[i]. */
    struct gpu_row *rows;
    size_t count, capacity;
    struct gpu_union busy; /* of all operations */
    struct span_totals totals;
    size_t budget;    /* see distribution_add */
    struct tree tree; /* with GPU_BY_PATH and GPU_BY_MERGED_PATH */
    /* a range's style, domain and text, or a range's row and a kernel's text -> row */
    struct map index;
    /* A set of rows: row `a` or, if `b` is not 0, the rows of the nodes `a` and `b`. Sets share
     * nodes; otherwise there could be operations times open ranges of them. */
    struct gpu_node {
        uint32_t a, b;
    } * nodes;
    size_t node_count, node_capacity;
    struct map node_index; /* a << 32 | b -> node */
    struct gpu_open {      /* an instance of a range that has not ended */
        uint32_t thread;   /* PATH, MERGED_PATH: row of its thread, or of all process ranges */
        /* outer, inner: index of the next older and the next newer open push of the thread; or 0 */
        uint32_t outer, inner, row;
        uint32_t next;   /* of a free element: the next free one */
        size_t place;    /* of a process range: its index in `places` */
        uint64_t number; /* of a process range: how many ranges of the process began before it */
        struct gpu_times {
            int64_t first, last;
        } times; /* of its operations: first start, last end; ns */
    } * open;
    size_t open_count, open_capacity;
    uint32_t free;            /* the first free element of `open`, or 0 */
    struct map innermost;     /* process and thread -> index in `open` of the innermost open push */
    uint32_t around;          /* index in `open`: the innermost push around the launch of `whole` */
    const struct span *whole; /* the operation that is being counted, before the filter cuts it */
    /* Indexed by the process's number. `places` has the open process ranges in the order of their
     * starts. It is a binary indexed tree. The times of an operation are added to the places k =
     * count - 1, (k & k + 1) - 1 and so on down to 0. The times of the range at place k are the
     * union of the times at the places k, k | k + 1 and so on up to count - 1. */
    struct gpu_process {
        struct gpu_place {
            struct gpu_times times;
            uint32_t range; /* index in `open`; 0: the range has ended; never 0 in the last place */
        } * places;
        size_t count, capacity, open; /* open: how many ranges of `places` have not ended */
        struct gpu_open_row {
            uint32_t row, thread; /* as in gpu_open */
            uint32_t open;        /* how many process ranges of the row are open since `since` */
            uint64_t since;       /* the number of the first of these ranges */
        } * rows;
        size_t row_count, row_capacity;
        uint64_t begun; /* how many process ranges have begun */
        /* The nodes of `rows`, a binary tree: [leaves + i] is that of rows[i], and [k] that of [2 *
         * k] and [2 * k + 1]. UINT32_MAX: not made since it changed; then nor are those above. */
        uint32_t *sets;
        size_t leaves;
    } * processes;
    size_t process_count;
    struct map open_rows; /* process << 32 | row -> index in `rows` of the process */
    uint64_t ops;         /* how many operations were counted */
    bool is_crowded;      /* some were not counted in all ranges: see GPU_ROWS */
    struct span_order *order;
};

/* How many rows count an operation: at most so many of pushes, and so many of process ranges. Of
 * the ranges around it, those that began last count. */
enum { GPU_ROWS = 1000 };

/* Adds a span's interval to a union. Spans must come in the order of their starts. */
void gpu_unite(struct gpu_union *u, const struct span *span);

/* Makes the rows. Fails like spans_in_order. Sorts the rows from rows[1] on by busy time; with PATH
 * and MERGED_PATH, sorts tree.order instead. The source's filter selects ranges; with KERNEL,
 * operations. `among`: how many struct gpu share the memory for quantiles. */
bool gpu_make(struct gpu *g, struct source *source, enum gpu_by by, size_t among,
              struct error *ret_error);
/* With GPU_BY_RANGE: the row of a range; NULL if the range launched no operations. */
const struct gpu_row *gpu_find(const struct gpu *g, enum span_style style, uint32_t domain_name,
                               uint32_t text);
void gpu_free(struct gpu *g);
