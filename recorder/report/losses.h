/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_REPORT_LOSSES_H
#define NVTXH_REPORT_LOSSES_H
/* What is said of events and names that a recording does not have, and of damage to its file. */
#include "../read/recording.h"
#include "../read/span.h"

#include <stdio.h>

/* One line that names what the program did and a recording has no place for; nothing if there is none. */
void losses_print_unknown(const struct span_totals *t, FILE *out);

/* One line if the file could not grow any more; else nothing. */
void losses_print_stopped(const struct recording *r, FILE *out);

/* All of these, and what else keeps a report of this recording from being complete. */
void losses_print_all(const struct recording *r, const struct span_totals *t, FILE *out);

/* What is wrong with the file, in one sentence, or NULL. A file that is being written may be without its end for
 * a moment. */
const char *losses_damage(const struct recording *r, char *buffer, size_t size);

#endif /* NVTXH_REPORT_LOSSES_H */
