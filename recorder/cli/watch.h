/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_CLI_WATCH_H
#define NVTXH_CLI_WATCH_H
/*
 * A line on the terminal that says what is recorded; it appears when the program has run for a second. It must not mix
 * with the program's output: if stdout is a terminal, too, the line is removed as soon as the program or a process that
 * it started has written anything to any file.
 */
#include <sys/types.h>

/* Begins to show the line. `program` and `file` are names for it, and must stay valid. Does nothing unless stderr is a
 * terminal and we are its foreground process group. */
void watch_begin(pid_t pid, const char *program, const char *file);

/* Removes the line. */
void watch_end(void);

#endif /* NVTXH_CLI_WATCH_H */
