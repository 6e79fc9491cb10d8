/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "cli.h"
#include "../util/memory.h"

#include <ftw.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Static, because nftw passes no argument to its callback. */
static struct found_files found;
static const char *suffix;

static void add_file(const char *path) {
    *ARRAY_NEW(found.paths, found.count, found.capacity) = must_copy(path, SIZE_MAX);
}

static int visit_file(const char *path, const struct stat *st, int kind, struct FTW *where) {
    (void)st;
    (void)where;
    if (kind == FTW_F && cli_ends_in(path, suffix)) {
        add_file(path);
    }
    return 0;
}

static int by_path(const void *a, const void *b) {
    return strverscmp(*(char *const *)a, *(char *const *)b);
}

struct found_files found_files(char **arguments, size_t count) {
    found = (struct found_files){0};
    for (size_t i = 0; i < count; i++) {
        struct stat st;
        size_t before = found.count;
        if (stat(arguments[i], &st) == 0 && S_ISDIR(st.st_mode)) {
            suffix = ".nvtxh";
            nftw(arguments[i], visit_file, 16, FTW_PHYS);
            if (found.count == before) {
                suffix = ".sqlite"; /* not used beside recordings: it may be an export of one */
                nftw(arguments[i], visit_file, 16, FTW_PHYS);
            }
            if (found.count == before) {
                cli_fail("%s has no *.nvtxh or *.sqlite in it", arguments[i]);
            } else {
                qsort(found.paths + before, found.count - before, sizeof(char *), by_path);
            }
        } else {
            add_file(arguments[i]);
        }
    }
    return found;
}

void found_files_free(struct found_files *f) {
    for (size_t i = 0; i < f->count; i++) {
        free(f->paths[i]);
    }
    free(f->paths);
    *f = (struct found_files){0};
}
