/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "metadata.h"
#include "../format/create.h"
#include "../output/quote.h"
#include "../output/report.h"
#include "../util/memory.h"

#include <stdlib.h>
#include <string.h>

static bool has_row(struct database *d, const char *query) {
    sqlite3_stmt *row = database_prepare(d, sqlite3_mprintf("%s", query));
    bool is_there = database_step(d, row);

    sqlite3_finalize(row);
    return is_there;
}

bool metadata_is_report(struct database *d) {
    return has_row(d, "SELECT 1 FROM sqlite_master WHERE type = 'table' AND (name IN "
                      "('META_DATA_EXPORT', 'META_DATA_CAPTURE', 'EXPORT_META_DATA', 'StringIds', "
                      "'ANALYSIS_DETAILS', 'NVTX_EVENTS') OR name GLOB 'TARGET_INFO_*' OR name "
                      "GLOB 'CUPTI_ACTIVITY_KIND_*' OR name GLOB 'MPI_*_EVENTS')");
}

bool metadata_is_export(struct database *d) {
    return database_has(d, "NVTXH_PROCESSES", NULL);
}

/* --- the environment of nsys ------------------------------------------------------------------ */

/* Variables as NAME=VALUE, each with a NUL at its end, then an empty one. The first of a name
 * counts. */
struct variables {
    char *all;
    size_t size;
};

static void add_variables(struct variables *v, const char *text, size_t size) {
    v->all = must_alloc(v->all, v->size + size + 2, 1);
    memcpy(v->all + v->size, text, size);
    v->size += size;
    v->all[v->size++] = 0;
    v->all[v->size] = 0;
}

static void add_rows(struct variables *v, struct database *d, const char *table, const char *more) {
    sqlite3_stmt *row = database_select(d, table, "value", more);

    while (database_step(d, row)) {
        const char *text = (const char *)sqlite3_column_text(row, 0), *equals, *end;
        size_t size = (size_t)sqlite3_column_bytes(row, 0);
        if (!size) {
            continue;
        }
        equals = memchr(text, '=', size);
        end = text + size - 1;
        if (equals && equals + 1 < end && equals[1] == '"' && *end == '"') { /* RANK="3" */
            add_variables(v, text, (size_t)(equals + 1 - text));
            v->size--;
            add_variables(v, equals + 2, (size_t)(end - equals - 2));
        } else {
            add_variables(v, text, size);
        }
    }
    sqlite3_finalize(row);
}

static const char *variable(const void *arg, const char *name) {
    const struct variables *v = arg;
    size_t size = strlen(name);

    for (const char *at = v->all; at && at < v->all + v->size; at += strlen(at) + 1) {
        if (!strncmp(at, name, size) && at[size] == '=') {
            return at + size + 1;
        }
    }
    return NULL;
}

void metadata_identity(struct database *d, bool several, struct rec_identity *ret) {
    struct variables v = {0};

    add_rows(&v, d, "META_DATA_CAPTURE", " WHERE name = 'PROCESS_0:ENVIRONMENT_VARIABLE'");
    add_rows(&v, d, "TARGET_INFO_SYSTEM_ENV", " WHERE name = 'DeviceEnvironment'");
    identity_read_from(&(struct identity_environment){variable, &v}, several, ret);
    free(v.all);
}

/* --- warnings --------------------------------------------------------------------------------- */

void metadata_print_warnings(struct database *d, FILE *out) {
    enum { MOST = 5, WARNING = 2 /* the severity; errors have higher ones */ };
    sqlite3_stmt *row = NULL;
    unsigned long long count = 0;

    if (database_has(d, "DIAGNOSTIC_EVENT", "severity") &&
        database_has(d, "DIAGNOSTIC_EVENT", "text")) {
        row = database_prepare(
            d, sqlite3_mprintf("SELECT text, count(*) FROM DIAGNOSTIC_EVENT WHERE severity >= %d "
                               "GROUP BY text ORDER BY max(severity) DESC, min(rowid)",
                               WARNING));
    }
    for (; database_step(d, row); count++) {
        if (count < MOST && sqlite3_column_bytes(row, 0)) {
            const char *text = (const char *)sqlite3_column_text(row, 0);
            char *safe = printable(text, (size_t)sqlite3_column_bytes(row, 0), 300);
            long long times = sqlite3_column_int64(row, 1);
            fprintf(out, "nvtxh: Nsight Systems warned: %s", safe);
            if (times > 1) {
                fprintf(out, " (%lld times)", times);
            }
            fputc('\n', out);
            free(safe);
        }
    }
    if (count > MOST) {
        fprintf(out, "nvtxh: Nsight Systems gave %llu more %s: see its table DIAGNOSTIC_EVENT\n",
                count - MOST, PLURAL(count - MOST, "warning", "warnings"));
    }
    sqlite3_finalize(row);
}
