/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once
/* An SQLite database of unknown origin, whose tables may lack columns. */
#include "../util/io.h"

#include <sqlite3.h>
#include <stdbool.h>

struct database {
    sqlite3 *db;
    int error; /* errno of the first failure after database_open; 0: none */
};

/* Opens a file for reading. Until database_close, reads do not see what other programs change in
 * it. False with a message on failure. */
bool database_open(struct database *d, const char *path, struct error *ret_error);
void database_close(struct database *d);

/* Whether the database has this table and, if `column` is not NULL, the table has this column.
 * Views and virtual tables do not count as tables. */
bool database_has(struct database *d, const char *table, const char *column);

/* Appends columns, given as "a b c", to a query: "a",NULL,"c" if the table has no column b. #a is
 * the column a converted to an integer, so that SQL compares and sorts by the numbers that are
 * read, whatever the type of the column. */
void database_columns(struct database *d, sqlite3_str *to, const char *table, const char *columns);

/* Compiles a statement; frees `sql`, which may be NULL. NULL on failure. */
sqlite3_stmt *database_prepare(struct database *d, char *sql);

/* Reads the next row. False: no row is left, or reading failed. `statement` may be NULL. */
bool database_step(struct database *d, sqlite3_stmt *statement);

/* Compiles SELECT columns FROM table, then `more`: "" or " WHERE ...". NULL: no table, or error. */
sqlite3_stmt *database_select(struct database *d, const char *table, const char *columns,
                              const char *more);
