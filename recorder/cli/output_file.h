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

/* Checks that a file may be written to the path: nothing is there or, with `force`, a regular file
 * or a link. If not, reports why. Returns an exit status. */
int output_file_allowed(const char *path, bool force);

/* Refuses a `path` that leads to `rec`, because the recording `rec` is read and would be lost.
 * Returns an exit status. */
int output_file_apart(const char *path, const char *rec);

/* Whether a running process records to the file at `path`. False for a link: the link itself is
 * replaced, not its target. */
bool output_file_is_busy(const char *path);

/* Like output_file_allowed, but also refuses a file that is busy, and chooses the temporary name.
 * `path` must stay valid. */
int output_file_begin(struct output_file *r, const char *path, bool force);

/* Moves the temporary file to the final path. False with errno, which is EEXIST if another process
 * has made a file at the path, and `force` is not set. */
bool output_file_move(const struct output_file *r);

/* If `done`, moves the temporary file to the final path. Else, or if the move fails, removes it:
 * false with errno. */
bool output_file_end(struct output_file *r, bool done);

/* Removes the temporary file that was begun last, unless it was ended. Called at exit, and when no
 * memory is left; allocates nothing. */
void output_file_abandon(void);

/* Prints on stderr what was written, how large it is and, if `next` is not NULL, what to do. */
void output_file_wrote(const char *path, const char *next);

/* Reports why a file cannot be made, as errno says; EBUSY means that a program records to the file.
 * Returns EXIT_USAGE if another name may help, else EXIT_FAILED. */
int output_file_failed(const char *path);

/* Writes an export of job->source to a file; sets `out` and `path` of the job. Returns an exit
 * status, after reporting errors. */
struct export_format;
struct export_job;
int output_file_export(const struct export_format *format, struct export_job *job, const char *path,
                       bool force);

/* Whether an errno is about the name that was given, and not about the disk. */
bool output_file_is_mistake(int error);

/* Takes a snapshot of `rec` into `output`; NULL: into a file that is named like `rec`, with the
 * first free of .snap1, .snap2, ... before .nvtxh. Returns an exit status, errors reported. */
struct snapshot;
int snapshot_file_take(const char *rec, const char *output, bool force, struct snapshot *s,
                       char ret_path[PATH_MAX]);

/* Call it if snapshot_file_take cannot return because no memory is left. Closes and removes its
 * files; allocates nothing. */
void snapshot_file_abandon(void);

#endif /* NVTXH_CLI_OUTPUT_FILE_H */
