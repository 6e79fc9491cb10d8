/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_CLI_LAUNCH_H
#define NVTXH_CLI_LAUNCH_H
/* Runs a program in the foreground and waits for it. Forwards the signals that other processes send to nvtxh; the
 * terminal's signals reach the program directly. Calls `started` when the program runs. Returns 0 and the program's
 * wait status, or the errno of a failed start. Needs no file descriptor. */
#include <signal.h>
#include <sys/types.h>

/* Call launch_keep before launch. The signals in `all` are not forwarded: a signal handler calls `f` for them. */
void launch_keep(sigset_t all, void (*f)(int number));

/* Call launch_ignore before launch: this command ignores the signal, and the program starts with what was set before. */
void launch_ignore(int number);

int launch(char **argv, void (*started)(void *arg, pid_t pid), void *arg, int *ret_status);

#endif /* NVTXH_CLI_LAUNCH_H */
