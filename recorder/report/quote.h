/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_REPORT_QUOTE_H
#define NVTXH_REPORT_QUOTE_H
/* Texts quoted for CSV and JSON. Bytes that are not UTF-8 become U+FFFD. */
#include <stddef.h>
#include <stdio.h>

/* Write a field of CSV, in quotes if it needs them. */
void quote_csv(FILE *out, const char *text, size_t size);
void quote_csv_string(FILE *out, const char *text);

/* From now on, fields that a spreadsheet would read as a formula get an apostrophe in front: those that begin with = +
 * - @, a tab or a carriage return, and are not numbers. */
void quote_csv_guard(void);

void quote_json(FILE *out, const char *text, size_t size);

#endif /* NVTXH_REPORT_QUOTE_H */
