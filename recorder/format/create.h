/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once
/* Creates the file of a recording, opens a recording that is being written, and makes the names of
 * output files, which may contain the rank. */
#include "format.h"

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/types.h>

/* Turns an empty file into an empty recording of `command`. Writes the session's id, in the form of
 * REC_ENV_SESSION, to ret_session if that is not NULL. Returns 0, or -1 with errno. */
int rec_begin(int fd, const char *command, char ret_session[33]);

/* Creates an empty recording with permissions `mode` (usually REC_MODE). Never follows a symbolic
 * link or overwrites a file. With `force`, first removes a regular file or a link (not its target)
 * at `path`, but no recording that is busy (EBUSY). Returns a descriptor, or -1 with errno. */
int rec_create(const char *path, bool force, mode_t mode, const char *command,
               char ret_session[33]);
#define REC_MODE 0600

/* Opens a file, but never as descriptor 0, 1 or 2: a program that has closed, say, 1 may still
 * write to 1, which would change the file. With O_CREAT, creates a missing file with permissions
 * REC_MODE. Fails if `path` is a symbolic link. Returns a descriptor, or -1 with errno. */
int rec_open(const char *path, int flags);

/* Opens a recording that is being written, and checks its session (NULL: any session will do).
 * Returns a descriptor, or -1 with errno (EINVAL: not a recording, or of another session). */
int rec_join(const char *path, const char *session);

/* Describes the process with this pid, which runs now, and is of our pid namespace. */
struct rec_running rec_running_now(pid_t pid);

/* Whether a process still runs. False for a zombie, and for a pid of another namespace; true if the
 * age of the process is not known. After a suspension of the machine, a process seems to be older
 * than it is, and a later one that has its pid may be taken for it. */
bool rec_still_runs(const struct rec_running *r);

/* Whether a file is a recording to which a process that holds its lock, or the program, may write.
 * Processes that have closed their descriptors hold no lock. */
bool rec_is_busy(int fd);

/* --- the rank and the job of this process, as its launcher says in the environment ------------ */

/* Reads the environment. Numbers that are not known are REC_RANK_NONE, an unknown job is "". */
void identity_read(struct rec_identity *ret);

/* As identity_read, but with `rank` and `job` in place of the variables NVTXH_RECORD_RANK and
 * NVTXH_RECORD_JOB (NULL: unset). */
void identity_of(const char *rank, const char *job, struct rec_identity *ret);

/* Variables of an environment that was recorded; `get` returns NULL for one that is not set. */
struct identity_environment {
    const char *(*get)(const void *arg, const char *name);
    const void *arg;
};

/* As identity_read, but without a rank that is doubtful (see below). `several`: the environment is
 * that of a command with several processes, among which another launcher may have given ranks. */
void identity_read_from(const struct identity_environment *e, bool several,
                        struct rec_identity *ret);

/* The name of the launcher `source`, such as "Open MPI"; for all other values, REC_ENV_RANK. */
const char *identity_launcher(uint32_t source);

/* Whether the rank is SLURM's and may be wrong: SLURM gives rank 0 even to a batch script, in which
 * another launcher may start the real ranks. */
bool identity_is_doubtful(const struct rec_identity *identity);

/* Parses "3" or "3/8": a rank, or a rank and the number of ranks. */
bool identity_parse_rank(const char *text, uint32_t *ret_rank, uint32_t *ret_world);

/* --- names ------------------------------------------------------------------------------------ */

/* What is after the last '/' of a path. */
static inline const char *path_base(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* How many bytes a name has without .nvtxh at its end. */
static inline size_t path_stem(const char *name) {
    size_t size = strlen(name);
    return size > 6 && !strcmp(name + size - 6, ".nvtxh") ? size - 6 : size;
}

/* Names of output files with fields, which the process that writes the file fills in:
 *
 *   %h host · %p pid · %r rank · %j job · %n the first number, from 1, that gives a new name · %% a
 *   percent sign
 *
 * A rank or job that is not known is "none". A '/' in a field becomes a '_'. A name without a '%'
 * is used unchanged. */

#define OUTPUT_NAME_MOST 10000 /* the highest number for %n */
#define OUTPUT_NAME_FIELDS "%h, %p, %r, %j, %n and %%"

/* Whether the name has the field `letter`. */
bool output_name_has(const char *name, char letter);

/* Looks for a '%' that begins no field. Returns the character after the first such '%', or '%' if
 * the name ends with it; 0 if there is no such '%'. */
char output_name_mistake(const char *name);

/* Fills in the fields; %r and %j are those of `who`, %n is `number`. Anything else stays as it is.
 * False with errno: too long. */
bool output_name_expand(const char *name, const struct rec_identity *who, unsigned number,
                        char ret_path[PATH_MAX]);

/* Makes the name that expands to `text`: doubles each '%'. False with errno: too long. */
bool output_name_escape(const char *text, char ret_name[PATH_MAX]);

/* Makes the missing directories of a path. False with errno. */
bool output_name_make_directories(const char *path);
