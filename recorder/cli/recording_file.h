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
    char absolute[PATH_MAX]; /* as the program must see it, wherever it goes */
    char aside[PATH_MAX];    /* where the file is that it replaces; "": there is none */
    uint8_t session[16];
    bool made; /* if not, the program runs unrecorded */
    bool
        apart; /* nor is this made: each process makes its own, and `absolute` is their name with fields */
};

/*
 * Makes it: `output`, whose fields (see output_name.h) are filled in unless only the program's processes can do that, or if that is a directory or NULL a file named after the program. With `force`
 * a file that is there is set aside. `mode`: its permissions. Says what is wrong; returns 2 if that is the name, and 0 if not:
 * the program is then run all the same.
 */
int recording_file_create(struct recording_file *t, const char *output, bool force, mode_t mode,
                          char **argv);

/* Before the program runs: makes the recording begin paused, and tells nvtxh_record_snapshot whether somebody is there. */
void recording_file_control(const struct recording_file *t, bool paused, bool is_watched);

/* The program runs: removes what was set aside. */
void recording_file_keep(struct recording_file *t);

/* It does not run: puts everything back as it was. */
void recording_file_undo(struct recording_file *t);

/* It has ended: writes when and how. False: the recording is gone, which has been said. */
bool recording_file_close(struct recording_file *t, int status);

#endif /* NVTXH_CLI_RECORDING_FILE_H */
