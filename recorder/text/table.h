/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_TEXT_TABLE_H
#define NVTXH_TEXT_TABLE_H
/* Rows of text in columns, for people. */
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* 1234567 -> "1,234,567" */
const char *with_commas(unsigned long long number, char buffer[32]);

struct table {
    size_t columns, count, room;
    char **cells; /* row by row */
    bool *left;   /* by column: flush left */
};

void table_begin(struct table *t, size_t columns);
void table_cell(struct table *t, const char *text); /* copied; row after row */
void table_print(struct table *t, FILE *out);       /* and frees it */

#endif /* NVTXH_TEXT_TABLE_H */
