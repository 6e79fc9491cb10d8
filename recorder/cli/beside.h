/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_CLI_BESIDE_H
#define NVTXH_CLI_BESIDE_H
/* NVTX tools that get a program's calls in addition to the recorder. */
#include <stdbool.h>

/* Takes the value of --also: the path of a tool's library, or "usdt" for libnvtxh-usdt.so. Puts the tool first in
 * *chain, the future value of NVTXH_CHAIN; *chain NULL stands for the inherited NVTXH_CHAIN. Free *chain. Returns an
 * exit status; errors have been reported. */
int beside_also(const char *tool, char **chain);

/* Sets NVTX_INJECTION64_PATH to the recorder's library, and NVTXH_CHAIN to `chain` unless that is NULL. `preload`: a
 * library to preload, or "". The tool that NVTX_INJECTION64_PATH named before, if any, comes first in NVTXH_CHAIN. With
 * Nsight (see beside_nsight), preloads the recorder's library, too, because Nsight sets NVTX_INJECTION64_PATH to its
 * own tool in the programs that it runs. */
void beside_set(const char *chain, const char *library, const char *preload, const char *program);

/* Whether `program` is Nsight's own command, or Nsight has started this process. */
bool beside_nsight(const char *program);

#endif /* NVTXH_CLI_BESIDE_H */
