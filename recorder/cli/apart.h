/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_CLI_APART_H
#define NVTXH_CLI_APART_H
/* The recordings of a program each of whose processes made its own, under a name with fields such as %p. */
#include "../format/format.h"

/* Reports how many recordings there are, and what to do next. `absolute` is `name` as an absolute path; the text `ended`
 * is printed first. Recordings that began before `begun` do not count. */
void apart_report(const char *name, const char *absolute, const struct rec_sample *begun,
                  const char *program, const char *ended);

#endif /* NVTXH_CLI_APART_H */
