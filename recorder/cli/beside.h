/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_CLI_BESIDE_H
#define NVTXH_CLI_BESIDE_H
/* NVTX tools that get a program's calls in addition to the recorder. */
#include "options.h"

#include <stdbool.h>

/* Takes the value of --also: the path of a tool's library, or "usdt" for libnvtxh-usdt.so. Adds it to NVTXH_CHAIN, the
 * tools that the recorder loads. */
int beside_also(const struct cli_option *option, const char *tool);

/* Sets NVTX_INJECTION64_PATH to the recorder's library. The tool that the variable named before, if any, is added to
 * NVTXH_CHAIN. With Nsight (see beside_nsight), the library is preloaded, too, because Nsight sets the variable to its
 * own tool in the programs that it runs. */
void beside_set(const char *library, const char *program);

/* Whether `program` is Nsight's own command, or Nsight has started this process. */
bool beside_nsight(const char *program);

#endif /* NVTXH_CLI_BESIDE_H */
