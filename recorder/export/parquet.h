/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_EXPORT_PARQUET_H
#define NVTXH_EXPORT_PARQUET_H
/*
 * Parquet files for query engines: DIRECTORY/TABLE/job=JOB/host=HOST/rank=RANK/part-N.parquet. TABLE is ranges, marks,
 * counters or processes; each process has a part of its own.
 */
#include "../base/map.h"
#include "../read/recording.h"

/* What the export of several recordings shares. */
struct parquet_set {
    const char *directory;
    bool force;           /* replace files that are there */
    struct texts places;  /* job=JOB/host=HOST/rank=RANK */
    struct map parts;     /* number of a place in `places` -> how many parts it has so far */
    uint64_t files, rows; /* how many were written; rows: without those of processes */
};

/* Adds a recording to the directory. False with a message. */
bool export_parquet(struct recording *r, struct parquet_set *set, char *ret_error,
                    size_t error_size);
void parquet_set_free(struct parquet_set *set);

#endif /* NVTXH_EXPORT_PARQUET_H */
