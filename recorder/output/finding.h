/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_OUTPUT_FINDING_H
#define NVTXH_OUTPUT_FINDING_H
/* Findings in words. */
#include "../analysis/findings.h"

/* A sentence without its full stop, in UTF-8 if `utf8`, else in ASCII but for names. Free it. */
char *finding_text(const struct source *s, const struct finding *f, bool utf8);

#endif /* NVTXH_OUTPUT_FINDING_H */
