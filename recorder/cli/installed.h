/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_CLI_INSTALLED_H
#define NVTXH_CLI_INSTALLED_H
/* Finds what is installed with nvtxh, by paths relative to the command itself, so that the installation may be moved. */
#include <limits.h>
#include <stdbool.h>

enum installed {
    INSTALLED_LIBRARY,   /* libnvtxh-record.so; in the build folder it is beside nvtxh */
    INSTALLED_HEADERS,   /* the directory with nvtxh.h */
    INSTALLED_CMAKE,     /* the directory with nvtxhConfig.cmake */
    INSTALLED_USDT,      /* libnvtxh-usdt.so, if it was built */
    INSTALLED_FUNCTIONS, /* libnvtxh-functions.so */
    INSTALLED_COUNT
};

/* Writes the absolute path. On failure returns false and the places that were searched, each after a space. */
bool installed_find(enum installed what, char ret_path[PATH_MAX], char *ret_tried, int tried_size);

#endif /* NVTXH_CLI_INSTALLED_H */
