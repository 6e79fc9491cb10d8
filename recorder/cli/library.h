/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_CLI_LIBRARY_H
#define NVTXH_CLI_LIBRARY_H
/* Finds libnvtxh-record.so: beside this program as it is built, in the library directory that
 * belongs to it as it is installed. False with the places that were looked at. */
#include <limits.h>
#include <stdbool.h>

bool library_find(char ret_path[PATH_MAX], char *ret_tried, int tried_size);

#endif /* NVTXH_CLI_LIBRARY_H */
