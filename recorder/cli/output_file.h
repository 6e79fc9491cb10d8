/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once
/* A file that is written under a temporary name, and moved to its final path when complete. */
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

struct error;

struct output_file {
    char temporary[PATH_MAX]; /* the path while the file is written, in the directory of `path` */
    const char *path;         /* the final path */
    bool force;
};

/* Whether --force may replace what is at `path`: nothing, a link, or a regular file to which no
 * running process records. False with errno. */
bool output_file_may_replace(const char *path);

/* Checks that a file may be written to the path: nothing is there or, with `force`, what may be
 * replaced. If not, reports why. Returns an exit status. */
int output_file_allowed(const char *path, bool force);

/* Refuses a `path` that leads to the same file as one of `recs`, the recordings that the command
 * reads, because the output would replace it. Returns an exit status. */
int output_file_apart(const char *path, char *const *recs, size_t count);

/* Whether a running process records to the file at `path`. False for a link, because
 * writing replaces the link itself, not its target. */
bool output_file_is_busy(const char *path);

/* Like output_file_allowed, but also chooses the temporary name. `path` must stay valid until
 * output_file_end. */
int output_file_begin(struct output_file *r, const char *path, bool force);

/* Moves the temporary file to the final path. False with errno, which is EEXIST if `force` is not
 * set and another process has made a file at the path. */
bool output_file_move(const struct output_file *r);

/* If `done`, moves the temporary file to the final path. If not, or if the move fails, removes the
 * temporary file and reports `why` or, if that is empty, errno. Returns an exit status. */
int output_file_end(struct output_file *r, bool done, const struct error *why);

/* Removes the temporary file of the last output_file_begin, unless output_file_end was called.
 * Called at exit, by signals, and when no memory is left; allocates nothing. */
void output_file_abandon(void);

/* Prints on stderr which file was written, its size, and `next`, what to do now (may be NULL). */
void output_file_wrote(const char *path, const char *next);

/* Reports why a file cannot be made, as errno says; EBUSY means that a program records to the file.
 * Returns EXIT_USAGE if another name may help, else EXIT_FAILED. */
int output_file_failed(const char *path);

/* Writes an export of job->source to a file; sets job->out and job->path. Returns an exit status,
 * after reporting errors. */
struct export_format;
struct export_job;
int output_file_export(const struct export_format *format, struct export_job *job, const char *path,
                       bool force);

/* Whether an errno says that the given name is wrong, and not that the disk is full or failing. */
bool output_file_is_mistake(int error);

/* Writes a snapshot of `rec` to `output` or, if `output` is NULL, to a file named like `rec`
 * with .snap1 (or the next free number) before .nvtxh. Reports errors. Returns an exit status. */
struct snapshot;
int snapshot_file_write(const char *rec, const char *output, bool force, struct snapshot *s,
                        char ret_path[PATH_MAX]);

/* Call it if snapshot_file_write cannot return because no memory is left. Closes the files that
 * snapshot_file_write has open, and removes the temporary file. Allocates nothing. */
void snapshot_file_abandon(void);
