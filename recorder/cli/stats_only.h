/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_CLI_STATS_ONLY_H
#define NVTXH_CLI_STATS_ONLY_H
/*
 * record --stats-only: the program records to a ring beside REC, which is read while it runs, as by `nvtxh top`. About
 * every second and at the end, REC is written anew: a row with a histogram for each name. Events that were overwritten
 * before they were read are counted.
 */
#include "recording_file.h"

/* Makes the ring, to which the program records in place of `rec`. False with errno. */
bool stats_only_make(const struct recording_file *rec, mode_t mode,
                     struct recording_file *ret_ring);

/* Begins to read the ring. Both arguments must be valid until stats_only_end. */
void stats_only_begin(const struct recording_file *rec, const struct recording_file *ring);

/* The program has ended, or could not be run: writes REC for the last time, and removes the ring. */
void stats_only_end(void);

#endif /* NVTXH_CLI_STATS_ONLY_H */
