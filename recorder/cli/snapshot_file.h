/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_CLI_SNAPSHOT_FILE_H
#define NVTXH_CLI_SNAPSHOT_FILE_H
/* The file of a snapshot. By default it is beside its recording, with the next free of .snap1, .snap2, ... before
 * .nvtxh. */
#include "../derive/snapshot.h"

#include <limits.h>

/* Takes a snapshot of the recording at `rec` into `output`, or if that is NULL into the default file. Returns an exit
 * status; errors have been reported. */
int snapshot_file_take(const char *rec, const char *output, bool force, struct snapshot *s,
                       char ret_path[PATH_MAX]);

/* Where snapshot_file_take will not return because no memory was left: closes its files, and removes what it has
 * written. Allocates nothing. */
void snapshot_file_abandon(void);

#endif /* NVTXH_CLI_SNAPSHOT_FILE_H */
