/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_CLI_APART_H
#define NVTXH_CLI_APART_H
/* The recordings of a program whose processes made one each, under a name with fields. */
#include "../format/format.h"

/* Says how many there are, and what to do next. `name` is the name, `absolute` the same from the root on; `ended` is said
 * before. What was there at `begun` does not count. */
void apart_report(const char *name, const char *absolute, const struct rec_sample *begun,
                  const char *program, const char *ended);

#endif /* NVTXH_CLI_APART_H */
