/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_CLI_STATS_ONLY_H
#define NVTXH_CLI_STATS_ONLY_H
/*
 * record --stats-only: the program records to a ring beside REC, which is followed as `nvtxh top` follows one; REC gets a
 * row with a histogram for each name, about every second and at the end. What was overwritten before it was looked at
 * is counted.
 */
#include "recording_file.h"

/* Makes the ring, which the program is to write to in place of `rec`. False with errno. */
bool stats_only_make(const struct recording_file *rec, mode_t mode,
                     struct recording_file *ret_ring);

/* The program runs. Both must stay. */
void stats_only_begin(const struct recording_file *rec, const struct recording_file *ring);

/* It has ended, or could not be run: writes REC, and removes the ring. */
void stats_only_end(void);

#endif /* NVTXH_CLI_STATS_ONLY_H */
