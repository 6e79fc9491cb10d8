/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_REPORT_LOSSES_H
#define NVTXH_REPORT_LOSSES_H
/* Messages about events and names that a recording lacks, and about damage to its file. */
#include "../read/recording.h"
#include "../spans/span.h"

#include <stdio.h>

/* Prints one line about the calls of the program that a recording cannot hold. Prints nothing if there were none. */
void losses_print_unknown(const struct span_totals *t, FILE *out);

/* Prints one line, with the reason, if recording stopped because the file could not grow. */
void losses_print_stopped(const struct recording *r, FILE *out);

/* Prints the lines of the functions above, and other reasons why a report of this recording is incomplete. */
void losses_print_all(const struct recording *r, const struct span_totals *t, FILE *out);

/* What is wrong with the file, in one sentence, or NULL. The end of a file that is being written may be missing for a
 * moment. */
const char *losses_damage(const struct recording *r, char *buffer, size_t size);

#endif /* NVTXH_REPORT_LOSSES_H */
