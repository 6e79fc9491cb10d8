/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_CLI_RECORD_OPTIONS_H
#define NVTXH_CLI_RECORD_OPTIONS_H
/* The options of `nvtxh record` that are passed to the program, as variables of format/environment.h. */
#include "options.h"

enum { RECORD_OPTIONS = 10 };

/* Fills in their rows of the table, and unsets the variables. */
void record_options_fill(struct cli_option all[RECORD_OPTIONS]);

#endif /* NVTXH_CLI_RECORD_OPTIONS_H */
