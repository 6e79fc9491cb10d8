/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_CLI_BESIDE_H
#define NVTXH_CLI_BESIDE_H
/* NVTX tools that get a program's calls in addition to the recorder. */
#include "options.h"

#include <stdbool.h>

/* Takes an option's value: a library, or "usdt" for ours with static probes. Adds it to the environment's chain. */
int beside_also(const struct cli_option *option, const char *tool);

/* Sets the environment so that NVTX loads the recorder's library, which then loads the tool that was named there. Where
 * a program would name another tool at every exec, the library is preloaded, too. */
void beside_set(const char *library, const char *program);

/* Whether this is Nsight's own command, or a program that it runs. */
bool beside_nsight(const char *program);

#endif /* NVTXH_CLI_BESIDE_H */
