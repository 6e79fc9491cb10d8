/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_CLI_SNAPSHOT_FILE_H
#define NVTXH_CLI_SNAPSHOT_FILE_H
/* The file of a snapshot; by default beside its recording, with the next free of .snap1, .snap2, ... before .nvtxh. */
#include "../derive/derive.h"

#include <limits.h>

/* Takes a snapshot of `rec` into `output`; NULL: the default file. Returns an exit status, after reporting errors. */
int snapshot_file_take(const char *rec, const char *output, bool force, struct snapshot *s, char ret_path[PATH_MAX]);

/* If snapshot_file_take cannot return, because memory is out: closes and removes its files. Allocates nothing. */
void snapshot_file_abandon(void);

#endif /* NVTXH_CLI_SNAPSHOT_FILE_H */
