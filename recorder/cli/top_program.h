/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_CLI_TOP_PROGRAM_H
#define NVTXH_CLI_TOP_PROGRAM_H
/*
 * A program that `nvtxh top` runs and looks at: recorded by `nvtxh record`, to a file that goes with us. What the
 * program prints while its terminal is taken is kept, and printed at the end.
 */
#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>

struct top_program {
    pid_t pid; /* of nvtxh record; 0: it has ended */
    int status;
    bool screen;
    char folder[PATH_MAX - 16], rec[PATH_MAX], printed[PATH_MAX];
};

/* Runs it until there is a recording to look at. With `screen` it may not use the terminal; else its standard output
 * is our standard error. False, with a message: it cannot; or it has ended, and only the end is left to be called. */
bool top_program_begin(struct top_program *p, char **argv, bool screen);

bool top_program_has_ended(struct top_program *p);

/* Waits for it, and takes away what was made. Returns the program's exit status, as nvtxh record has it. */
int top_program_end(struct top_program *p);

#endif /* NVTXH_CLI_TOP_PROGRAM_H */
