/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_CLI_STATS_ONLY_H
#define NVTXH_CLI_STATS_ONLY_H
/* record --stats-only: the program records to a ring beside REC. The command reads the ring while the program runs, as
 * `nvtxh top` does. About every second, and when the program has ended, it writes REC anew: for each name a row with a
 * histogram. Events that were overwritten in the ring before they were read are counted as missed. */
#include "recording_file.h"

/* Makes the ring, to which the program records in place of `rec`. False with errno. */
bool stats_only_make(const struct recording_file *rec, mode_t mode, struct recording_file *ret_ring);

/* Begins to read the ring. Both arguments must be valid until stats_only_end. */
void stats_only_begin(const struct recording_file *rec, const struct recording_file *ring);

/* The program has ended, or could not be run: writes REC for the last time, and removes the ring. */
void stats_only_end(void);

#endif /* NVTXH_CLI_STATS_ONLY_H */
