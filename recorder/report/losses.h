/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_REPORT_LOSSES_H
#define NVTXH_REPORT_LOSSES_H
/* Messages about events and names that a source lacks, and about damage to its file. */
#include "../source/source.h"

#include <stdio.h>

/* Prints one line about the calls of the program that a source cannot hold. Prints nothing if there were none. */
void losses_print_unknown(const struct span_totals *t, FILE *out);

/* Prints the line of losses_print_unknown, and the other reasons why a report of the source is incomplete. */
void losses_print_all(const struct source *s, const struct span_totals *t, FILE *out);

/* What is wrong with the file, in one sentence, or NULL. A file that is being written may look damaged for a moment. */
const char *losses_damage(const struct source *s, char *buffer, size_t size);

#endif /* NVTXH_REPORT_LOSSES_H */
