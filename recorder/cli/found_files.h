/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_CLI_FOUND_FILES_H
#define NVTXH_CLI_FOUND_FILES_H
/* The recordings that arguments name: a directory stands for all *.nvtxh in it and below or,
 * if it has none, all *.sqlite. */
#include <stddef.h>

struct found_files {
    char **paths;
    size_t count, room;
};

/* Finds the files, those of a directory in the order of their names, numbers by value. Reports empty directories. */
struct found_files found_files(char **arguments, size_t count);
void found_files_free(struct found_files *f);

#endif /* NVTXH_CLI_FOUND_FILES_H */
