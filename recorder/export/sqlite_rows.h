/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_EXPORT_SQLITE_ROWS_H
#define NVTXH_EXPORT_SQLITE_ROWS_H
/* Writes rows to an SQLite file; those of NVTX_EVENTS many at once. */
#include "../read/map.h"
#include "../read/recording.h"

#include <sqlite3.h>

/* The columns of NVTX_EVENTS that are ever written. */
enum event_column {
    START = 1,
    END,
    EVENT_TYPE,
    RANGE_ID,
    CATEGORY,
    COLOR,
    TEXT,
    GLOBAL_TID,
    END_GLOBAL_TID,
    DOMAIN_ID,
    UINT64_VALUE, /* payloads stand in the order of enum rec_payload */
    INT64_VALUE,
    DOUBLE_VALUE,
    UINT32_VALUE,
    INT32_VALUE,
    FLOAT_VALUE,
    JSON_TEXT,
    COLUMNS
};

/* A row of NVTX_EVENTS. */
struct event_row {
    unsigned has; /* a bit for each column that is not NULL */
    int64_t integers[COLUMNS];
    double real;
    uint32_t text;
    char *json; /* from malloc */
};

/* Rows per statement: older versions of sqlite allow 999 parameters. That takes half the time of one row each. */
enum { EVENT_ROWS = 999 / (COLUMNS - 1) };

struct sqlite_rows {
    struct recording *recording;
    sqlite3 *db;
    struct event_row waiting[EVENT_ROWS];
    size_t count;       /* that wait */
    struct map inserts; /* how many rows, and the columns that any of them has -> statement */
    /* The first failure. Without a journal, what sqlite says of later ones is wrong. */
    char error[200];
    bool failed; /* nothing is written any more, and the recording is not read on */
};

/* The database's last error becomes that of the export. */
void sqlite_rows_fail(struct sqlite_rows *s);

/* Any statement, run once. */
void sqlite_rows_step(struct sqlite_rows *s, sqlite3_stmt *statement);

/* Binds a text as UTF-8, which readers want. It must stay where it is until the statement has run. */
void sqlite_rows_bind(sqlite3_stmt *to, int parameter, const char *text, size_t size);

/* A row of NVTX_EVENTS, written now or with later ones. */
void sqlite_rows_put(struct sqlite_rows *s, const struct event_row *row);

/* Writes the rows that wait. */
void sqlite_rows_flush(struct sqlite_rows *s);
void sqlite_rows_free(struct sqlite_rows *s);

#endif /* NVTXH_EXPORT_SQLITE_ROWS_H */
