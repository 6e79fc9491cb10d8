/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_CLI_OUTPUT_FILE_H
#define NVTXH_CLI_OUTPUT_FILE_H
/* A file that is written under a temporary name beside its final path; the complete file replaces
 * the old file. */
#include <limits.h>
#include <stdbool.h>

struct output_file {
    char temporary[PATH_MAX]; /* where it is written */
    const char *path;         /* the final path */
    bool force;
};

/* Checks that nothing is at a path or, with `force`, a file or a link. If not, reports why. Returns
 * an exit status. */
int output_file_allowed(const char *path, bool force);

/* Refuses a `path` that leads to `rec`, the recording that is read, which would be lost. Returns an
 * exit status. */
int output_file_apart(const char *path, const char *rec);

/* Whether a running process records to the file at `path`. False for a link, which is replaced
 * without its file. */
bool output_file_is_busy(const char *path);

/* Like output_file_allowed, also refuses a file that is busy, and chooses the temporary name.
 * `path` must stay valid. */
int output_file_begin(struct output_file *r, const char *path, bool force);

/* Moves the temporary file to the final path. False with errno, which is EEXIST if a file is there
 * by now. */
bool output_file_move(const struct output_file *r);

/* If `done`, moves the temporary file to the final path. Else, or if the move fails, removes it:
 * false with errno. */
bool output_file_end(struct output_file *r, bool done);

/* Removes the file that was begun last, unless it was ended: at exit, and where no memory was left.
 * Allocates nothing. */
void output_file_abandon(void);

/* Prints on stderr what was written, how large it is and what to do `next`, if that is not NULL. */
void output_file_wrote(const char *path, const char *next);

/* Reports by errno why a file cannot be made; EBUSY: a program records to it. Returns 2: try
 * another name; else 1. */
int output_file_failed(const char *path);

/* Writes an export of job->source to a file; sets `out` and `path` of the job. Returns an exit
 * status, after reporting errors. */
struct export_format;
struct export_job;
int output_file_export(const struct export_format *format, struct export_job *job, const char *path,
                       bool force);

/* Whether an errno is about the name that was given, and not about the disk. */
bool output_file_is_mistake(int error);

/* Takes a snapshot of `rec` into `output`; NULL: a file beside the recording, with the next free of
 * .snap1, .snap2, ... before .nvtxh. Returns an exit status, after reporting errors. */
struct snapshot;
int snapshot_file_take(const char *rec, const char *output, bool force, struct snapshot *s,
                       char ret_path[PATH_MAX]);

/* If snapshot_file_take cannot return, because memory is out: closes and removes its files.
 * Allocates nothing. */
void snapshot_file_abandon(void);

#endif /* NVTXH_CLI_OUTPUT_FILE_H */
