/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_CLI_BESIDE_H
#define NVTXH_CLI_BESIDE_H
/* Tools of NVTX that are to get a program's calls beside the recorder. */
#include <stdbool.h>

/* Adds one to the environment's chain: a file, or the name of one of ours ("usdt"). False: there is none, and that was
 * said. */
bool beside_add(const char *tool);

/* Sets the environment for the recorder's library, and chains the tool that stood there. Where a program would put
 * another tool back at every exec, the library is preloaded too. */
void beside_set(const char *library, const char *program);

/* Whether this is Nsight's own command, or one that it runs. */
bool beside_nsight(const char *program);

#endif /* NVTXH_CLI_BESIDE_H */
