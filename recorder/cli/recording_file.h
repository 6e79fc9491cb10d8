/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_CLI_RECORDING_FILE_H
#define NVTXH_CLI_RECORDING_FILE_H
/* The file that `nvtxh record` writes. */
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct recording_file {
    char path[PATH_MAX];     /* as it was given */
    char absolute[PATH_MAX]; /* as an absolute path: the program may change its directory */
    char aside[PATH_MAX];    /* where the replaced file is kept for now; "": there is none */
    uint8_t session[16];
    bool made;  /* the file was created; if `apart` is not set either, nothing is recorded */
    bool apart; /* each process creates a file of its own; `absolute` has fields such as %p */
};

struct record_options;

/* Creates the file. Fills in the fields of o->output (see output_name.h), unless only the program's processes can. If
 * o->output is a directory or NULL, the file is named after the program. With o->force, an existing file is set aside.
 * Reports errors. Returns 2 if the name is wrong, else 0, because the program runs even if it is not recorded. */
int recording_file_create(struct recording_file *t, const struct record_options *o, char **argv);

/* Call it before the program runs. `is_watched`: this process takes the snapshots of nvtxh_record_snapshot. */
void recording_file_control(const struct recording_file *t, bool paused, bool is_watched);

/* Call it when the program runs: writes its pid, and removes the file that was set aside. */
void recording_file_keep(struct recording_file *t, pid_t program);

/* Call it if the program cannot be run: removes the recording and restores the file that was set aside. */
void recording_file_undo(struct recording_file *t);

/* Call it when the program has ended: writes time and wait status. False with a message: the recording is gone. */
bool recording_file_close(struct recording_file *t, int status);

#endif /* NVTXH_CLI_RECORDING_FILE_H */
