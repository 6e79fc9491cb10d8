/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_CLI_OUTPUT_FILE_H
#define NVTXH_CLI_OUTPUT_FILE_H
/* A file that is made beside its place and put there when it is whole. What was there before stays
 * until then. */
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>

struct output_file {
    char temporary[PATH_MAX]; /* where it is made */
    const char *path;         /* where it belongs */
    bool force;
};

/* Whether a file may be made at a path: nothing is there, or with `force` a file or a link. If not,
 * says why. Returns an exit status. */
int output_file_allowed(const char *path, bool force);

/* The same; and chooses the name of the file beside it. `path` must stay. */
int output_file_begin(struct output_file *r, const char *path, bool force);

/* Makes it, with mode 0600 and never through a link. NULL with errno. */
FILE *output_file_open(const struct output_file *r);

/* Puts it in its place if it is `done`, else removes it. False with errno: that failed, and the file is removed. */
bool output_file_end(struct output_file *r, bool done);

/* Says on stderr what was written, how large it is and what to do `next`, if that is not NULL. */
void output_file_wrote(const char *path, const char *next);

/* Reports why a file cannot be made, by errno. Returns 2 if another name would do, else 1. */
int output_file_failed(const char *path);

/* Whether an errno is about the name that was given, and not about the disk. */
bool output_file_is_mistake(int error);

#endif /* NVTXH_CLI_OUTPUT_FILE_H */
