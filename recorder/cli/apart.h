/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_CLI_APART_H
#define NVTXH_CLI_APART_H
/* `nvtxh record -o NAME` if NAME has fields such as %p: each process of the program makes its own recording. */
#include "../format/format.h"

/* Reports how many recordings there are, and what to do next. `absolute` is `name` as an absolute path. The report
 * begins with `ended`, which says which signal ended the program, or is empty. Recordings that began before `begun` do
 * not count. */
void apart_report(const char *name, const char *absolute, const struct rec_sample *begun,
                  const char *program, const char *ended);

#endif /* NVTXH_CLI_APART_H */
