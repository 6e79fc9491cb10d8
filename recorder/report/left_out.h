/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_REPORT_LEFT_OUT_H
#define NVTXH_REPORT_LEFT_OUT_H
/* Messages about what a recording does not have, although it was recorded without errors. */
#include "../read/recording.h"
#include "../spans/span.h"

#include <stdio.h>

enum { LEFT_OUT = 128 };

/* "12 ranges shorter than 10.0 us left out"; NULL if none were left out. */
const char *left_out_text(const struct recording *r, const struct span_totals *t,
                          char buffer[LEFT_OUT]);

/* Prints that text, and for a recording made with --stats-only about how many events are not counted in it. */
void left_out_print(const struct recording *r, const struct span_totals *t, FILE *out);

#endif /* NVTXH_REPORT_LEFT_OUT_H */
