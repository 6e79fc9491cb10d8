/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "library.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool library_find(char ret_path[PATH_MAX], char *ret_tried, int tried_size)
{
    static const char *const places[] = {"", "../" NVTXH_LIBDIR "/", "../lib/", "../lib64/"};
    char exe[PATH_MAX];
    char candidate[2 * PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", exe, sizeof(exe) - 1);
    int tried = 0;

    exe[n > 0 ? n : 0] = 0;
    char *slash = strrchr(exe, '/');
    if (slash) {
        slash[1] = 0;
    }
    ret_tried[0] = 0;
    for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
        snprintf(candidate, sizeof(candidate), "%s%slibnvtxh-record.so", exe, places[i]);
        if (access(candidate, R_OK) == 0 && realpath(candidate, ret_path)) {
            return true;
        }
        if (tried < tried_size) {
            tried += snprintf(ret_tried + tried, (size_t)(tried_size - tried), " %s", candidate);
        }
    }
    return false;
}
