/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_CLI_EXPLAIN_H
#define NVTXH_CLI_EXPLAIN_H
#include "../read/recording.h"

/* Says which of the options of `nvtxh record`, as the environment has them, left nothing to record
 * of a program that has used NVTX. False: none of them. */
bool explain_nothing(const struct recording *r, const char *path);

#endif /* NVTXH_CLI_EXPLAIN_H */
