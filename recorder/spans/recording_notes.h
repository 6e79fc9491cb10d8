/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_SPANS_RECORDING_NOTES_H
#define NVTXH_SPANS_RECORDING_NOTES_H
/* Messages about what a recording is a part of, what it does not have, and what is wrong with its file. */
#include "../read/recording.h"
#include "../source/span.h"

#include <stdio.h>

enum { RECORDING_LEFT_OUT = 128 };

/* "12 ranges shorter than 10.0 us left out"; NULL if none were left out. */
const char *recording_left_out(const struct recording *r, const struct span_totals *t,
                               char buffer[RECORDING_LEFT_OUT]);

/* Prints one line, with the reason, if recording stopped because the file could not grow. */
void recording_print_stopped(const struct recording *r, FILE *out);

/* See notes and damage of struct source_kind. */
void recording_print_notes(const struct recording *r, const struct span_totals *t, bool is_after,
                           FILE *out);
const char *recording_damage(const struct recording *r, char *buffer, size_t size);

#endif /* NVTXH_SPANS_RECORDING_NOTES_H */
