/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_CLI_NOTHING_RECORDED_H
#define NVTXH_CLI_NOTHING_RECORDED_H
/* For a program that used NVTX, but of which nothing was recorded: reports which options of `nvtxh record` (read from
 * the environment) are the reason. False: none of them. */
#include "../read/recording.h"

bool nothing_recorded(const struct recording *r, const char *path);

/* Reports why a recording has no process, if its writer has not said so. `ended` says which signal ended the program,
 * or is empty. */
void nothing_loaded(const char *program, const char *path, const char *ended);

#endif /* NVTXH_CLI_NOTHING_RECORDED_H */
