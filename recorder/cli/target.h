/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_CLI_TARGET_H
#define NVTXH_CLI_TARGET_H
/* The file that `nvtxh record` writes. */
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

struct target {
    char path[PATH_MAX];     /* as it was given */
    char absolute[PATH_MAX]; /* as the program must see it, wherever it goes */
    char aside[PATH_MAX];    /* where the file is that it replaces; "": there is none */
    uint8_t session[16];
    bool made; /* if not, the program runs unrecorded */
};

/*
 * Makes it: `output`, or if that is a directory or NULL a file named after the program. With `force`
 * a file that is there is set aside. Says what is wrong; returns 2 if that is the name, and 0 if not:
 * the program is then run all the same.
 */
int target_create(struct target *t, const char *output, bool force, char **argv);

/* The program runs: what was set aside is given up. */
void target_keep(struct target *t);

/* It does not run: everything is as it was. */
void target_undo(struct target *t);

/* It has ended: writes when and how. False: the recording is not there any more, which has been said. */
bool target_close(struct target *t, int status);

#endif /* NVTXH_CLI_TARGET_H */
