/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_REPORT_LEFT_OUT_H
#define NVTXH_REPORT_LEFT_OUT_H
/* Messages about what a recording has left out on purpose. */
#include "../read/recording.h"
#include "../read/span.h"

#include <stdio.h>

enum { LEFT_OUT = 128 };

/* "12 ranges shorter than 10.0 us left out"; NULL if there are none. */
const char *left_out_text(const struct recording *r, const struct span_totals *t,
                          char buffer[LEFT_OUT]);

/* Prints that text, and about how many events are missing in statistics. */
void left_out_print(const struct recording *r, const struct span_totals *t, FILE *out);

#endif /* NVTXH_REPORT_LEFT_OUT_H */
