/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_CLI_SHELL_QUOTE_H
#define NVTXH_CLI_SHELL_QUOTE_H
/* A word as a shell takes it for one, in quotes if it needs them. Free it. */
char *shell_quoted(const char *word);

#endif /* NVTXH_CLI_SHELL_QUOTE_H */
