/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_CLI_TOP_TABLES_H
#define NVTXH_CLI_TOP_TABLES_H
/* What `nvtxh top` shows. */
#include "../live/follow_rows.h"
#include "../report/report.h"

#include <regex.h>

enum { TOP_NOW, TOP_COLUMNS = 12 };
extern const struct report_column top_columns[TOP_COLUMNS];

struct top {
    struct follow_rows rows;
    struct report_style style;
    size_t sort;      /* index of a column */
    const char *name; /* the pattern of the names that are shown; NULL: all */
    regex_t regex;    /* `name`, compiled */
    bool nest;        /* show what is open now, in place of figures */
};

/* Prints the line above the tables: how long the recording has run, how busy it is, how many events were dropped. */
void top_print_head(const struct top *t, FILE *out);

void top_print(const struct top *t, FILE *out);

/* Whether `nvtxh top` can use the whole of a terminal, with keys. It needs ncurses, and a terminal that ncurses knows. */
bool top_screen_is_possible(void);

/* Reads and shows the recording every `seconds` until the user quits. False with a message on failure. */
bool top_screen(struct top *t, double seconds, struct error *ret_error);

#endif /* NVTXH_CLI_TOP_TABLES_H */
