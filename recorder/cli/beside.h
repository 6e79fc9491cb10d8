/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_CLI_BESIDE_H
#define NVTXH_CLI_BESIDE_H
/* NVTX tools that get a program's calls in addition to the recorder. */
#include <stdbool.h>

/* Takes the value of --also, the path of a tool's library or "usdt", and puts the tool first in *chain, the future
 * NVTXH_CHAIN; NULL stands for the inherited NVTXH_CHAIN. Free *chain. Returns an exit status, errors reported. */
int beside_also(const char *tool, char **chain);

/* Sets NVTX_INJECTION64_PATH to `library`, the recorder. Its previous tool goes to NVTXH_CHAIN, before the tools of
 * `chain` or, if that is NULL, of the inherited NVTXH_CHAIN. `preload`: a library to preload, or "". With Nsight (see
 * beside_nsight), preloads the recorder, too, because Nsight sets the variable in programs that it runs. */
void beside_set(const char *chain, const char *library, const char *preload, const char *program);

/* Whether `program` is Nsight's own command, or Nsight has started this process. */
bool beside_nsight(const char *program);

#endif /* NVTXH_CLI_BESIDE_H */
