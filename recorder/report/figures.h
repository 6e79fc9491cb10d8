/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_REPORT_FIGURES_H
#define NVTXH_REPORT_FIGURES_H
/* Numbers as people read them. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* The units of times. The first one, "auto", means the unit that fits best. */
enum { FIGURE_UNITS = 5 };
extern const char *const figure_units[FIGURE_UNITS];

/* 1234567 -> "1,234,567" */
void figure_number(double number, int decimals, char ret_text[64]);

/* Prints a number for programs. With `decimals` -1: as few digits as make the same number when they are read. */
void figure_digits(double number, int decimals, FILE *out);

/* A counter's value: 12345 -> "12,345", 12345.5 -> "12,345.500", 0.0000123456 -> "1.23e-05" */
void figure_value(double value, char ret_text[64]);

/* `unit` is an index of figure_units. With 0: three digits and the unit that fits best. Else: all digits, without the
 * unit, in ns with `decimals` digits after the point, in other units with three. */
void figure_time(double ns, size_t unit, int decimals, bool utf8, char ret_text[64]);

/* "1.25 MB" */
void figure_size(uint64_t bytes, char ret_text[64]);

#endif /* NVTXH_REPORT_FIGURES_H */
