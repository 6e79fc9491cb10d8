/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once
/* Writes rows to an SQLite file. One statement writes many rows of the table NVTX_EVENTS. */
#include "../util/io.h"
#include "../util/map.h"
#include "../analysis/source.h"

#include <sqlite3.h>

/* The columns of NVTX_EVENTS that the export fills. The columns from UINT64_VALUE to FLOAT_VALUE
 * are in the order of enum rec_payload. */
#define EVENT_COLUMNS(COLUMN)                                                                      \
    COLUMN(START, "start")                                                                         \
    COLUMN(END, "end")                                                                             \
    COLUMN(EVENT_TYPE, "eventType")                                                                \
    COLUMN(RANGE_ID, "rangeId")                                                                    \
    COLUMN(CATEGORY, "category")                                                                   \
    COLUMN(COLOR, "color")                                                                         \
    COLUMN(TEXT, "text")                                                                           \
    COLUMN(TEXT_ID, "textId")                                                                      \
    COLUMN(GLOBAL_TID, "globalTid")                                                                \
    COLUMN(END_GLOBAL_TID, "endGlobalTid")                                                         \
    COLUMN(DOMAIN_ID, "domainId")                                                                  \
    COLUMN(UINT64_VALUE, "uint64Value")                                                            \
    COLUMN(INT64_VALUE, "int64Value")                                                              \
    COLUMN(DOUBLE_VALUE, "doubleValue")                                                            \
    COLUMN(UINT32_VALUE, "uint32Value")                                                            \
    COLUMN(INT32_VALUE, "int32Value")                                                              \
    COLUMN(FLOAT_VALUE, "floatValue")                                                              \
    COLUMN(JSON_TEXT, "jsonText")
#define EVENT_COLUMN_NUMBER(number, name) number,
enum event_column { EVENT_COLUMNS(EVENT_COLUMN_NUMBER) COLUMNS };

struct event_row {
    unsigned has; /* a bit for each column that is not NULL */
    int64_t integers[COLUMNS];
    double real;   /* for DOUBLE_VALUE or FLOAT_VALUE */
    uint32_t text; /* for TEXT or TEXT_ID: a number in source.strings */
    char *json;    /* for JSON_TEXT; from malloc */
};

/* Rows that one statement writes; a statement for each row would take twice as long. Older versions
 * of SQLite allow at most 999 parameters in a statement. */
enum { EVENT_ROWS = 999 / COLUMNS };

struct sqlite_rows {
    struct source *source;
    sqlite3 *db;
    struct event_row waiting[EVENT_ROWS]; /* rows that are not written yet */
    size_t count;                         /* of rows in `waiting` */
    struct map inserts;                   /* number of rows << 32 | bits of columns -> statement */
    /* The message of the first failure. Without a journal, SQLite cannot undo what failed, so its
     * later messages would mislead. */
    struct error error;
    bool failed; /* after a failure: nothing more is written, and reading stops */
};

/* Keeps the database's last error as the error of the export, if the export has not failed yet. */
void sqlite_rows_fail(struct sqlite_rows *s);

/* A table that is written a row at a time. */
struct sqlite_table {
    const char *name;
    sqlite3_stmt *insert; /* made at the first row */
};

/* Adds a row. `kinds` has a letter for each column: the type of its value. i: int64_t, with
 * SQLITE_ROWS_NULL for NULL. r: double. t: two arguments, const char * (may be NULL) and size_t. */
#define SQLITE_ROWS_NULL INT64_MIN
void sqlite_rows_add(struct sqlite_rows *s, struct sqlite_table *t, const char *kinds, ...);

/* Adds a row of NVTX_EVENTS: writes it now or with later rows, and frees row->json after that. */
void sqlite_rows_put(struct sqlite_rows *s, const struct event_row *row);
void sqlite_rows_flush(struct sqlite_rows *s);
void sqlite_rows_free(struct sqlite_rows *s);
