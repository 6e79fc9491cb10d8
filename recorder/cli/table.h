/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_CLI_TABLE_H
#define NVTXH_CLI_TABLE_H
/* Rows of text, for people or for programs. */
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Writes one field of CSV: quoted where it must be, whatever is in it. */
void csv_field(FILE *out, const char *text, size_t size);

/* 1234567 -> "1,234,567" */
const char *with_commas(unsigned long long number, char buffer[32]);

/* Makes a text safe for a terminal and a line: control characters as escapes, long ones cut. Free
 * it. */
char *printable(const char *text, size_t size, size_t longest);

struct table {
    size_t columns, count, room;
    char **cells; /* row by row */
    bool *left;   /* by column: flush left */
};

void table_begin(struct table *t, size_t columns);
void table_cell(struct table *t, const char *text); /* copied; row after row */
void table_print(struct table *t, FILE *out);       /* and frees it */

#endif /* NVTXH_CLI_TABLE_H */
