/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "image.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool search_library(const struct image *image, const char *path, const char *name, char ret_path[PATH_MAX])
{
    static const char standard[] = "/usr/local/lib:/lib/x86_64-linux-gnu:/usr/lib/x86_64-linux-gnu:"
                                   "/lib/aarch64-linux-gnu:/usr/lib/aarch64-linux-gnu:/lib64:/usr/lib64:/lib:/usr/lib";
    const char *from_user = getenv("LD_LIBRARY_PATH"), *run_path = image->run_path;
    const char *lists[] = {image->has_runpath ? from_user : run_path, image->has_runpath ? run_path : from_user,
                           standard};
    const char *slash = strrchr(path, '/');
    int origin = slash ? (int)(slash - path) : 1;

    if (strchr(name, '/')) { /* linked by its path */
        snprintf(ret_path, PATH_MAX, "%s", name);
        return access(ret_path, R_OK) == 0;
    }

    for (size_t i = 0; i < 3; i++) {
        for (const char *p = lists[i]; p && *p; p += strcspn(p, ":"), p += *p == ':') {
            int n = (int)strcspn(p, ":");
            int skip = !strncmp(p, "$ORIGIN", 7) ? 7 : !strncmp(p, "${ORIGIN}", 9) ? 9 : 0;
            snprintf(ret_path, PATH_MAX, "%.*s%.*s/%s", skip ? origin : 0, slash ? path : ".", n - skip, p + skip,
                     name);
            if (access(ret_path, R_OK) == 0) {
                return true;
            }
        }
    }
    return false;
}

bool search_program(const char *name, char ret_path[PATH_MAX])
{
    const char *list = getenv("PATH");

    if (strchr(name, '/')) {
        snprintf(ret_path, PATH_MAX, "%s", name);
        return access(ret_path, F_OK) == 0;
    }
    for (const char *p = list ? list : ""; *p; p += strcspn(p, ":"), p += *p == ':') {
        snprintf(ret_path, PATH_MAX, "%.*s/%s", (int)strcspn(p, ":"), p, name);
        if (access(ret_path, X_OK) == 0) {
            return true;
        }
    }
    return false;
}
