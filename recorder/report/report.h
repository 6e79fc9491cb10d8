/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_REPORT_REPORT_H
#define NVTXH_REPORT_REPORT_H
/* A table that is printed for people, as CSV or as JSON. */
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct report_column {
    const char *head; /* for people and CSV */
    const char *key;  /* in JSON and for sorting */
    enum { REPORT_TEXT, REPORT_NUMBER } kind;
    int decimals;       /* of a number, in CSV and JSON */
    int shown_decimals; /* and for people */
};

struct report {
    const struct report_column *columns;
    size_t column_count;
    struct report_cell {
        bool there;
        int tone; /* 1: good, -1: bad, for a terminal's colours */
        double number;
        char *text;
        size_t size;
    } * cells; /* row by row */
    size_t count, room;
};

enum report_form { REPORT_TABLE, REPORT_CSV, REPORT_JSON };

void report_begin(struct report *r, const struct report_column *columns, size_t column_count);

/* The next cell of the row, from left to right. Texts are copied; NaN is an empty cell. */
void report_number(struct report *r, double number);
void report_text(struct report *r, const char *text, size_t size);
void report_string(struct report *r, const char *text);
void report_tone(struct report *r, int tone); /* of the last one */

/* Sorts rows by a column: numbers from the largest, texts from A; equal rows stay in order. */
void report_sort(struct report *r, size_t column);

/* False: this nvtxh was built without JSON. */
bool report_print(const struct report *r, enum report_form form, FILE *out);
void report_free(struct report *r);

/* Which of two forms goes with a number. */
#define PLURAL(number, one, more) ((number) == 1 ? (one) : (more))

/* Whether a terminal that likes colours is listening. */
bool report_colors(FILE *out);

/* An array of objects, one for each row. False: without json-c at build time. */
bool report_print_json(const struct report *r, FILE *out);

#endif /* NVTXH_REPORT_REPORT_H */
