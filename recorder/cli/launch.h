/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_CLI_LAUNCH_H
#define NVTXH_CLI_LAUNCH_H
/*
 * Runs a program in the foreground and waits for it. Signals sent to us are handed on; those of the
 * terminal reach it anyway. Calls `started` when it runs. Returns 0 with its wait status, or the
 * errno that kept it from starting. Needs no file descriptor.
 */
#include <signal.h>
#include <sys/types.h>

/* Before: these signals are not handed on, but given to `f`, in a signal handler. */
void launch_keep(sigset_t all, void (*f)(int number));

int launch(char **argv, void (*started)(void *arg, pid_t pid), void *arg, int *ret_status);

#endif /* NVTXH_CLI_LAUNCH_H */
