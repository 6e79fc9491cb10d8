/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "image.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Finds a file in the directories of `list`, in which $ORIGIN stands for `origin`. If `origin` is
 * NULL, $ORIGIN is not replaced. An empty name in the list is the working directory. `mode` is as
 * for access(). */
static bool search_list(const char *list, const char *origin, const char *name, int mode,
                        char ret_path[PATH_MAX]) {
    for (const char *p = list && *list ? list : NULL, *end; p; p = *end ? end + 1 : NULL) {
        end = strchrnul(p, ':');
        int skip = !strncmp(p, "$ORIGIN", 7) ? 7 : !strncmp(p, "${ORIGIN}", 9) ? 9 : 0;
        skip = origin ? skip : 0;
        const char *begin = skip ? origin : end == p ? "." : "";
        snprintf(ret_path, PATH_MAX, "%s%.*s/%s", begin, (int)(end - p) - skip, p + skip, name);
        if (access(ret_path, mode) == 0) {
            return true;
        }
    }
    return false;
}

bool search_library(const struct image *image, const char *path, const char *name,
                    char ret_path[PATH_MAX]) {
    static const char standard[] =
        "/usr/local/lib:/lib/x86_64-linux-gnu:/usr/lib/x86_64-linux-gnu:/lib/aarch64-linux-gnu:/"
        "usr/lib/aarch64-linux-gnu:/lib64:/usr/lib64:/lib:/usr/lib";
    const char *from_user = getenv("LD_LIBRARY_PATH"), *run_path = image->run_path,
               *slash = strrchr(path, '/');
    char origin[PATH_MAX];

    if (strchr(name, '/')) { /* linked by its path */
        snprintf(ret_path, PATH_MAX, "%s", name);
        return access(ret_path, R_OK) == 0;
    }
    snprintf(origin, sizeof(origin), "%.*s", slash ? (int)(slash - path) : 1, slash ? path : ".");
    return search_list(image->has_runpath ? from_user : run_path, origin, name, R_OK, ret_path) ||
           search_list(image->has_runpath ? run_path : from_user, origin, name, R_OK, ret_path) ||
           search_list(standard, NULL, name, R_OK, ret_path);
}

bool search_program(const char *name, char ret_path[PATH_MAX]) {
    if (strchr(name, '/')) {
        snprintf(ret_path, PATH_MAX, "%s", name);
        return access(ret_path, F_OK) == 0;
    }
    return search_list(getenv("PATH"), NULL, name, X_OK, ret_path);
}
