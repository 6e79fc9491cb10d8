/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_CLI_APART_H
#define NVTXH_CLI_APART_H
/* The recordings of a program whose processes made one each, under a name with fields. */
#include "../format/format.h"

/* Reports how many there are, and what to do next. `absolute` is `name` as an absolute path; the text `ended` is
 * printed first. Files that are no newer than `begun` do not count. */
void apart_report(const char *name, const char *absolute, const struct rec_sample *begun,
                  const char *program, const char *ended);

#endif /* NVTXH_CLI_APART_H */
