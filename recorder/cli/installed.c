/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "cli.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PLACES = 4, NAMES = 2 };
#define LIBRARIES                                                                                  \
    { "", "../" NVTXH_LIBDIR "/", "../lib/", "../lib64/" }

static const struct {
    const char *places[PLACES]; /* relative to the directory of nvtxh; NULL after the last */
    const char *files[NAMES];   /* one of these files is enough */
} all[INSTALLED_COUNT] = {
    [INSTALLED_LIBRARY] = {LIBRARIES,
                           {"libnvtxh-record.so", "libnvtxh-record.so." NVTXH_SOVERSION}},
    [INSTALLED_FUNCTIONS] = {LIBRARIES, {"libnvtxh-functions.so"}},
    [INSTALLED_HEADERS] = {{"../" NVTXH_INCLUDEDIR "/", "../include/"}, {"nvtxh.h"}},
    [INSTALLED_CMAKE] = {{"../" NVTXH_LIBDIR "/cmake/nvtxh/", "../lib/cmake/nvtxh/",
                          "../lib64/cmake/nvtxh/"},
                         {"nvtxhConfig.cmake"}},
};

bool installed_find(enum installed what, char ret_path[PATH_MAX], char *ret_tried, int tried_size) {
    char exe[PATH_MAX], candidate[2 * PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", exe, sizeof(exe) - 1);
    int tried = 0;

    exe[n > 0 ? n : 0] = 0;
    char *slash = strrchr(exe, '/');
    if (slash) {
        slash[1] = 0;
    }
    ret_tried[0] = 0;
    for (size_t i = 0; i < PLACES * NAMES && all[what].places[i / NAMES]; i++) {
        const char *file = all[what].files[i % NAMES];

        if (!file) {
            continue;
        }
        snprintf(candidate, sizeof(candidate), "%s%s%s", exe, all[what].places[i / NAMES], file);
        if (access(candidate, R_OK) == 0) {
            if (what == INSTALLED_HEADERS || what == INSTALLED_CMAKE) { /* their directory */
                *strrchr(candidate, '/') = 0;
            }
            if (realpath(candidate, ret_path)) {
                return true;
            }
        }
        if (tried < tried_size) {
            tried += snprintf(ret_tried + tried, (size_t)(tried_size - tried), " %s", candidate);
        }
    }
    return false;
}
