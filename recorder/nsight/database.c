/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "database.h"
#include "../util/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void failed(struct database *d, int result) {
    if ((result & 0xff) == SQLITE_NOMEM) {
        memory_is_out();
    }
    if (!d->error) {
        d->error = (result & 0xff) == SQLITE_FULL ? ENOSPC : EIO;
    }
}

/* Whether the database was left in WAL mode, and nobody has it open: there is no file PATH-wal.
 * Opened as any other, SQLite would make this file and PATH-shm, and leave them there. */
static bool is_resting_wal(const char *path) {
    unsigned char head[20] = {0}; /* byte 19: the version that reads the file; 2: WAL */
    char *wal = must_print("%s-wal", path);
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

    if (fd >= 0) {
        (void)!pread(fd, head, sizeof(head), 0);
        close(fd);
    }
    bool rests = head[19] == 2 && access(wal, F_OK) != 0;
    free(wal);
    return rests;
}

/* A URI of the file, which is not to be changed or locked. Free it. */
static char *immutable_uri(const char *path) {
    char *uri = must_alloc(NULL, 3 * strlen(path) + 32, 1), *to = uri + sprintf(uri, "file:");

    for (; *path; path++) {
        to += sprintf(to, strchr("%?#", *path) ? "%%%02x" : "%c", (unsigned char)*path);
    }
    sprintf(to, "?immutable=1");
    return uri;
}

bool database_open(struct database *d, const char *path, struct error *ret_error) {
    *d = (struct database){0};
    char *uri = is_resting_wal(path) ? immutable_uri(path) : NULL;
    int result = sqlite3_open_v2(
        uri ? uri : path, &d->db,
        SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX | (uri ? SQLITE_OPEN_URI : 0), NULL);
    free(uri);

    if (result == SQLITE_OK) {
        sqlite3_db_config(d->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
        sqlite3_db_config(d->db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
        sqlite3_limit(d->db, SQLITE_LIMIT_LENGTH, 1 << 26); /* bytes; longer strings are an error */
        /* SQLite's sorter keeps as much in memory as the cache may have, here 16 MiB. */
        result = sqlite3_exec(d->db,
                              "PRAGMA cache_size = -16384; PRAGMA cell_size_check = ON; BEGIN; "
                              "SELECT count(*) FROM sqlite_master",
                              NULL, NULL, NULL);
    }
    if (result == SQLITE_OK) {
        return true;
    }
    if (result == SQLITE_BUSY || result == SQLITE_LOCKED) {
        error_set(ret_error, "the database is locked: another program is writing to it");
    } else {
        error_set(ret_error, "cannot read the database: %s",
                  d->db ? sqlite3_errmsg(d->db) : sqlite3_errstr(result));
    }
    database_close(d);
    return false;
}

void database_close(struct database *d) {
    sqlite3_close_v2(d->db);
    d->db = NULL;
}

sqlite3_stmt *database_prepare(struct database *d, char *sql) {
    sqlite3_stmt *statement = NULL;
    int result = sql ? sqlite3_prepare_v2(d->db, sql, -1, &statement, NULL) : SQLITE_NOMEM;

    if (result != SQLITE_OK) {
        failed(d, result);
    }
    sqlite3_free(sql);
    return statement;
}

bool database_step(struct database *d, sqlite3_stmt *statement) {
    int result = statement ? sqlite3_step(statement) : SQLITE_DONE;

    if (result != SQLITE_ROW && result != SQLITE_DONE) {
        failed(d, result);
    }
    return result == SQLITE_ROW;
}

bool database_has(struct database *d, const char *table, const char *column) {
    sqlite3_stmt *find = database_prepare(
        d,
        sqlite3_mprintf(
            "SELECT 1 FROM sqlite_master m, pragma_table_info(m.name) c WHERE m.type = 'table' AND "
            "m.name = %Q AND m.sql NOT LIKE 'CREATE VIRTUAL%%' AND c.name = coalesce(%Q, c.name)",
            table, column));
    bool is_there = database_step(d, find);

    sqlite3_finalize(find);
    return is_there;
}

void database_columns(struct database *d, sqlite3_str *to, const char *table, const char *columns) {
    for (const char *at = columns, *between = ""; *at; between = ",") {
        bool is_time = *at == '#';
        at += is_time;
        size_t size = strcspn(at, " ");
        char *name = must_copy(at, size);
        sqlite3_str_appendall(to, between);
        if (!database_has(d, table, name)) {
            sqlite3_str_appendall(to, "NULL");
        } else {
            sqlite3_str_appendf(to, is_time ? "CAST(\"%w\" AS INTEGER)" : "\"%w\"", name);
        }
        free(name);
        at += size + (at[size] == ' ');
    }
}

sqlite3_stmt *database_select(struct database *d, const char *table, const char *columns,
                              const char *more) {
    if (!database_has(d, table, NULL)) {
        return NULL;
    }
    sqlite3_str *sql = sqlite3_str_new(d->db);
    sqlite3_str_appendall(sql, "SELECT ");
    database_columns(d, sql, table, columns);
    sqlite3_str_appendf(sql, " FROM %s%s", table, more);
    return database_prepare(d, sqlite3_str_finish(sql));
}
