/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_STATS_TYPES_H
#define NVTXH_STATS_TYPES_H

/* The public types of stats.h: a row, its kind, and the formats. */

#include "../core/compiler.h"

/* nvtxh_stats_kind: the kind of annotations that a row counts. */
enum nvtxh_stats_kind {
    NVTXH_STATS_SCOPE = 1,
    NVTXH_STATS_MARK, /* counted, without times */
    NVTXH_STATS_PUSH,
    NVTXH_STATS_RANGE
};

/* nvtxh_stats_format: the formats of nvtxh_stats_print. */
enum nvtxh_stats_format {
    NVTXH_STATS_TABLE = 1,
    NVTXH_STATS_CSV, /* a header row; the columns of `nvtxh stats --csv`, and more */
    NVTXH_STATS_JSON /* {"ranges": [{"message": ..., ...}, ...]}; the keys are the members below */
};

/* A row. Strings stay valid for the life of the process. Times are in ns. */
struct nvtxh_stats {
    const char *message; /* the message, or its printf format; NULL: none */
    const char *domain;  /* NULL: NVTX's default domain */
    const char *function, *file;
    uint32_t line;
    enum nvtxh_stats_kind kind;
    uint64_t count;
    uint64_t total_ns, self_ns, min_ns, max_ns;
    uint64_t average_ns, deviation_ns; /* mean and sample standard deviation (n - 1) of all calls */
    uint64_t median_ns, p90_ns, p99_ns, p999_ns;
    uint64_t inclusive_ns; /* total_ns, but of recursive calls only the outermost */
};

#endif
