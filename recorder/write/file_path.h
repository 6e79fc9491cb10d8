/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_WRITE_FILE_PATH_H
#define NVTXH_WRITE_FILE_PATH_H
/* Where a recording of this process's own is made. Both return a descriptor or -1 with errno, and the absolute path
 * also if it could not be made, as far as there is one. */
#include <limits.h>
#include <stdbool.h>

/* At `wanted`; NULL: PROGRAM.PID.nvtxh in the working directory. */
int file_path_create(const char *wanted, bool force, char ret_path[PATH_MAX]);

/* At `wanted`; if there is something already, the file of the process that started this one or somebody else's,
 * at `wanted`.PID. `wanted` may have fields: see output_name.h. */
int file_path_create_beside(const char *wanted, char ret_path[PATH_MAX]);

#endif /* NVTXH_WRITE_FILE_PATH_H */
