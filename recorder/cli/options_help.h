/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_CLI_OPTIONS_HELP_H
#define NVTXH_CLI_OPTIONS_HELP_H
/* A table of options as text: for people, and for programs. */
#include "options.h"

void options_print_help(const struct options *o);
void options_print_listing(const struct options *o);

#endif /* NVTXH_CLI_OPTIONS_HELP_H */
