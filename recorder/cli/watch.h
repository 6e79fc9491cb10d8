/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_CLI_WATCH_H
#define NVTXH_CLI_WATCH_H
/* A line on the terminal that says, after a second, what is recorded. It must not mix with the program's output: if
 * stdout is a terminal, too, the line is removed as soon as the program or a descendant has written to any file. */
#include <sys/types.h>

/* `program` and `file`, shown in the line, must stay valid. Does nothing unless stderr is our foreground terminal. */
void watch_begin(pid_t pid, const char *program, const char *file);
void watch_end(void);

#endif /* NVTXH_CLI_WATCH_H */
