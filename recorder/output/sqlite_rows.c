/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "sqlite_rows.h"
#include "quote.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define EVENT_COLUMN_NAME(number, name) name,
static const char *const column_names[COLUMNS] = {EVENT_COLUMNS(EVENT_COLUMN_NAME)};

void sqlite_rows_fail(struct sqlite_rows *s) {
    if (!s->failed) {
        error_set(&s->error, "%s", s->db ? sqlite3_errmsg(s->db) : "out of memory");
        s->failed = s->source->enough = true;
    }
}

static void step_statement(struct sqlite_rows *s, sqlite3_stmt *statement) {
    if (!s->failed && sqlite3_step(statement) != SQLITE_DONE) {
        sqlite_rows_fail(s);
    }
    sqlite3_reset(statement);
}

/* Binds a text, made valid UTF-8. `text` must stay in memory until the statement has run. */
static void bind_text(sqlite3_stmt *to, int parameter, const char *text, size_t size) {
    if (utf8_is(text, size)) {
        sqlite3_bind_text64(to, parameter, text, size, SQLITE_STATIC, SQLITE_UTF8);
    } else {
        char *valid = utf8_copy(text, size, &size);
        sqlite3_bind_text64(to, parameter, valid, size, free, SQLITE_UTF8);
    }
}

/* Compiles and frees `sql`. Returns the statement; NULL on failure. */
static sqlite3_stmt *prepare(struct sqlite_rows *s, sqlite3_str *sql) {
    sqlite3_stmt *statement = NULL;
    char *text = sqlite3_str_finish(sql);

    if (!text || sqlite3_prepare_v2(s->db, text, -1, &statement, NULL) != SQLITE_OK) {
        sqlite_rows_fail(s);
    }
    sqlite3_free(text);
    return statement;
}

static void prepare_table(struct sqlite_rows *s, struct sqlite_table *t, size_t columns) {
    sqlite3_str *sql = sqlite3_str_new(s->db);

    sqlite3_str_appendf(sql, "INSERT INTO %s VALUES (?", t->name);
    for (size_t i = 1; i < columns; i++) {
        sqlite3_str_appendall(sql, ",?");
    }
    sqlite3_str_appendall(sql, ")");
    t->insert = prepare(s, sql);
}

void sqlite_rows_add(struct sqlite_rows *s, struct sqlite_table *t, const char *kinds, ...) {
    va_list values;

    if (!t->insert && !s->failed) {
        prepare_table(s, t, strlen(kinds));
    }
    va_start(values, kinds);
    for (int i = 1; kinds[i - 1] && !s->failed; i++) {
        if (kinds[i - 1] == 'i') {
            int64_t value = va_arg(values, int64_t);
            if (value == SQLITE_ROWS_NULL) {
                sqlite3_bind_null(t->insert, i);
            } else {
                sqlite3_bind_int64(t->insert, i, value);
            }
        } else if (kinds[i - 1] == 'r') {
            sqlite3_bind_double(t->insert, i, va_arg(values, double));
        } else {
            const char *text = va_arg(values, const char *);
            bind_text(t->insert, i, text, va_arg(values, size_t));
        }
    }
    va_end(values);
    step_statement(s, t->insert);
}

/* The statement that inserts `rows` rows with the columns whose bits are set in `columns`. */
static sqlite3_stmt *insert_of(struct sqlite_rows *s, unsigned columns, size_t rows) {
    uint64_t *known = map_find(&s->inserts, (uint64_t)rows << 32 | columns);

    if (known) {
        return (sqlite3_stmt *)(uintptr_t)*known;
    }
    sqlite3_str *sql = sqlite3_str_new(s->db);
    const char *before = "INSERT INTO NVTX_EVENTS (";
    for (unsigned left = columns; left; left &= left - 1, before = ",") {
        sqlite3_str_appendf(sql, "%s%s", before, column_names[__builtin_ctz(left)]);
    }
    before = ") VALUES (";
    for (size_t i = 0; i < rows; i++, before = "),(") {
        for (unsigned left = columns; left; left &= left - 1, before = ",") {
            sqlite3_str_appendf(sql, "%s?", before);
        }
    }
    sqlite3_str_appendall(sql, ")");
    sqlite3_stmt *statement = prepare(s, sql);
    if (statement) {
        map_add(&s->inserts, (uint64_t)rows << 32 | columns, (uint64_t)(uintptr_t)statement);
    }
    return statement;
}

static void bind_row(struct sqlite_rows *s, sqlite3_stmt *to, int parameter, unsigned columns,
                     struct event_row *row) {
    for (; columns; columns &= columns - 1, parameter++) {
        int column = __builtin_ctz(columns);
        if (!(row->has >> column & 1)) {
            sqlite3_bind_null(to, parameter);
        } else if (column == TEXT) {
            const struct str *text = string_table_at(&s->source->strings, row->text);
            bind_text(to, parameter, text->bytes, text->size);
        } else if (column == TEXT_ID) {
            sqlite3_bind_int64(to, parameter, row->text);
        } else if (column == JSON_TEXT) {
            sqlite3_bind_text(to, parameter, row->json, -1, free);
            row->json = NULL;
        } else if (column == DOUBLE_VALUE || column == FLOAT_VALUE) {
            sqlite3_bind_double(to, parameter, row->real);
        } else {
            sqlite3_bind_int64(to, parameter, row->integers[column]);
        }
    }
}

static void write_rows(struct sqlite_rows *s, struct event_row *rows, size_t count) {
    unsigned columns = 0;

    for (size_t i = 0; i < count; i++) {
        columns |= rows[i].has;
    }
    sqlite3_stmt *insert = insert_of(s, columns, count);
    for (size_t i = 0; insert && i < count; i++) {
        bind_row(s, insert, 1 + (int)i * __builtin_popcount(columns), columns, &rows[i]);
    }
    step_statement(s, insert);
}

void sqlite_rows_flush(struct sqlite_rows *s) {
    if (s->count == EVENT_ROWS) {
        write_rows(s, s->waiting, EVENT_ROWS);
    } else {
        for (size_t i = 0; i < s->count; i++) {
            write_rows(s, &s->waiting[i], 1);
        }
    }
    for (size_t i = 0; i < s->count; i++) {
        free(s->waiting[i].json); /* NULL if it was bound, since SQLite frees it then */
    }
    s->count = 0;
}

void sqlite_rows_put(struct sqlite_rows *s, const struct event_row *row) {
    s->waiting[s->count++] = *row;
    if (s->count == EVENT_ROWS) {
        sqlite_rows_flush(s);
    }
}

void sqlite_rows_free(struct sqlite_rows *s) {
    for (size_t i = 0; i < s->inserts.capacity; i++) {
        if (s->inserts.slots[i].taken) {
            sqlite3_finalize((sqlite3_stmt *)(uintptr_t)s->inserts.slots[i].value);
        }
    }
    map_free(&s->inserts);
}
