/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_CLI_WATCH_H
#define NVTXH_CLI_WATCH_H
/*
 * A line on the terminal that says what is recorded, while a program runs for more than a second. It shall not come
 * between what the program prints: if that goes to the terminal, too, the line is given up as soon as the program or
 * one that it started has written anything.
 */
#include <sys/types.h>

/* Both texts must stay. Nothing happens if stderr is no terminal of ours. */
void watch_begin(pid_t pid, const char *program, const char *file);

/* Takes the line away. */
void watch_end(void);

#endif /* NVTXH_CLI_WATCH_H */
