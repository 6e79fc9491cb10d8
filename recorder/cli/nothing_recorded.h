/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_CLI_NOTHING_RECORDED_H
#define NVTXH_CLI_NOTHING_RECORDED_H
/* Says which options of `nvtxh record` (they are in the environment) left nothing to record of a program that
 * has used NVTX. False: none of them. */
#include "../read/recording.h"

bool nothing_recorded(const struct recording *r, const char *path);

/* Says why there is no process in a recording whose writer has left no word: `ended` says which signal ended the
 * program, or is empty. */
void nothing_loaded(const char *program, const char *path, const char *ended);

#endif /* NVTXH_CLI_NOTHING_RECORDED_H */
