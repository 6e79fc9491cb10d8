/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_REPORT_LEFT_OUT_H
#define NVTXH_REPORT_LEFT_OUT_H
/* What is said of ranges that a recording has left out for being short. */
#include "../read/recording.h"
#include "../read/span.h"

#include <stdio.h>

enum { LEFT_OUT = 128 };

/* "12 ranges shorter than 10.0 us left out"; NULL if there are none. */
const char *left_out_text(const struct recording *r, const struct span_totals *t,
                          char buffer[LEFT_OUT]);

/* Says that, and how much is not in statistics that were made under way. */
void left_out_print(const struct recording *r, const struct span_totals *t, FILE *out);

#endif /* NVTXH_REPORT_LEFT_OUT_H */
