/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_CLI_NEAREST_H
#define NVTXH_CLI_NEAREST_H
/* "Did you mean ...?" */
#include <stddef.h>

/* The one of these words that was perhaps meant by a word, or NULL. */
const char *nearest(const char *word, const char *const *words, size_t count);

#endif /* NVTXH_CLI_NEAREST_H */
