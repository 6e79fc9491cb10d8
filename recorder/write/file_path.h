/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_WRITE_FILE_PATH_H
#define NVTXH_WRITE_FILE_PATH_H
/* Creates the recording of one process. Both functions return a descriptor, or -1 with errno. Both write the absolute
 * path to ret_path, or what is known of it, even on failure. */
#include <limits.h>
#include <stdbool.h>

/* At `wanted`; NULL: PROGRAM.PID.nvtxh in the working directory. */
int file_path_create(const char *wanted, bool force, char ret_path[PATH_MAX]);

/* At `wanted`, or, if a file is there already (of the parent process or another), at `wanted`.PID. `wanted` may have
 * fields: see output_name.h. */
int file_path_create_beside(const char *wanted, char ret_path[PATH_MAX]);

#endif /* NVTXH_WRITE_FILE_PATH_H */
