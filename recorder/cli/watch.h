/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_CLI_WATCH_H
#define NVTXH_CLI_WATCH_H
/*
 * A line on the terminal that says what is recorded, while a program runs for more than a second. It must not mix with
 * the program's output: if that goes to the terminal, too, the line is removed as soon as the program or one that it
 * started has written anything.
 */
#include <sys/types.h>

/* Both texts must stay valid. Does nothing unless stderr is our terminal. */
void watch_begin(pid_t pid, const char *program, const char *file);

/* Removes the line. */
void watch_end(void);

#endif /* NVTXH_CLI_WATCH_H */
