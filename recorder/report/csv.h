/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_REPORT_CSV_H
#define NVTXH_REPORT_CSV_H
/* Writes one field of CSV: quoted where it must be, in UTF-8 whatever is in it. */
#include <stddef.h>
#include <stdio.h>

void csv_field(FILE *out, const char *text, size_t size);
void csv_string(FILE *out, const char *text);

#endif /* NVTXH_REPORT_CSV_H */
