/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The tables that the reports of Nsight Systems read. */
#include "export.h"
#include "sqlite_rows.h"
#include "../report/payload_text.h"
#include "../source/spans.h"
#include "../source/value.h"

#include <sqlite3.h>
#include <string.h>

enum {
    TYPE_CATEGORY = 33,
    TYPE_MARK = 34,
    TYPE_THREAD = 39,
    TYPE_PUSH_POP = 59,
    TYPE_START_END = 60,
    TYPE_DOMAIN = 75
};

static const char schema[] =
    "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA locking_mode = EXCLUSIVE;"
    "CREATE TABLE StringIds (id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL);"
    "CREATE TABLE NVTX_EVENTS (start INTEGER NOT NULL, end INTEGER, eventType INTEGER NOT NULL, "
    "rangeId INTEGER, category INTEGER, color INTEGER, text TEXT, globalTid INTEGER, "
    "endGlobalTid INTEGER, textId INTEGER, domainId INTEGER, uint64Value INTEGER, "
    "int64Value INTEGER, doubleValue REAL, uint32Value INTEGER, int32Value INTEGER, "
    "floatValue REAL, jsonTextId INTEGER, jsonText TEXT);"
    "CREATE TABLE ENUM_NSYS_EVENT_TYPE (id INTEGER NOT NULL PRIMARY KEY, name TEXT, label TEXT);"
    "INSERT INTO ENUM_NSYS_EVENT_TYPE VALUES (33, 'NvtxCategory', 'NVTX category'), "
    "(34, 'NvtxMark', 'NVTX mark'), (39, 'NvtxThread', 'NVTX thread'), "
    "(59, 'NvtxPushPopRange', 'NVTX push/pop range'), "
    "(60, 'NvtxStartEndRange', 'NVTX start/end range'), "
    "(75, 'NvtxDomainCreate', 'NVTX domain create');"
    "CREATE TABLE PROCESSES (globalPid INTEGER, pid INTEGER, name TEXT, host TEXT, "
    "rank INTEGER, localRank INTEGER, worldSize INTEGER, job TEXT);"
    "CREATE TABLE NVTXH_COUNTERS (timestamp INTEGER NOT NULL, globalTid INTEGER, "
    "domainId INTEGER, name TEXT, value REAL);"
    "BEGIN;";

static const char insert_sample[] = "INSERT INTO NVTXH_COUNTERS VALUES (?1, ?2, ?3, ?4, ?5)";

struct sink {
    struct sqlite_rows rows;
    sqlite3_stmt *sample;
    struct map domains; /* name -> number, the same in all processes: reports add up their ranges */
    struct map declared; /* pid << 32 | number of a domain, for those that have a row */
};

static sqlite3_int64 global(const struct source_process *p, uint32_t tid)
{
    /* In Nsight's files, the upper 16 bits are the machine. Here they tell processes with the same pid apart. */
    return (sqlite3_int64)(1 + p->again) << 48 | (sqlite3_int64)(p->pid & 0xffffff) << 24 |
           (tid & 0xffffff);
}

static void set(struct event_row *row, int column, int64_t value)
{
    row->has |= 1U << column;
    row->integers[column] = value;
}

static void set_text(struct event_row *row, uint32_t text)
{
    row->has |= text ? 1U << TEXT : 0;
    row->text = text;
}

static void name_row(struct sink *s, const struct source_process *p, int type, uint32_t text,
                     uint32_t domain, int64_t category, uint32_t tid)
{
    struct event_row row = {0};

    set(&row, START, 0);
    set(&row, EVENT_TYPE, type);
    if (category >= 0) {
        set(&row, CATEGORY, category);
    }
    set_text(&row, text);
    set(&row, GLOBAL_TID, global(p, tid));
    set(&row, DOMAIN_ID, domain);
    sqlite_rows_put(&s->rows, &row);
}

static uint32_t domain_number(struct sink *s, const struct source_process *p, uint32_t name)
{
    if (!name) {
        return 0;
    }
    uint32_t found = (uint32_t)*map_add(&s->domains, name, s->domains.count + 1);
    /* Reports join by pid and domain, without the upper 16 bits of globalTid. If two processes with the same pid had
     * a row each, reports would count every range twice. */
    size_t before = s->declared.count;
    map_add(&s->declared, (uint64_t)(p->pid & 0xffffff) << 32 | found, 0);
    if (s->declared.count != before) {
        name_row(s, p, TYPE_DOMAIN, name, found, -1, p->pid);
    }
    return found;
}

static void set_payload(struct event_row *row, const struct span *span)
{
    struct value v = value_of_span(span);

    if (v.kind != VALUE_NOTHING) {
        set(row, UINT64_VALUE + (int)span->payload_type - REC_PAYLOAD_U64, v.i);
        row->real = v.d;
    }
}

/* Nsight's tables have no counters, so counters are in a table of their own. */
static void counter_row(struct sink *s, const struct span *span)
{
    const struct text *t = texts_at(&s->rows.source->texts, span->text);
    uint32_t domain = domain_number(s, span->process, span->domain_name);
    struct value value = value_of_span(span);

    sqlite3_bind_int64(s->sample, 1, span->start);
    sqlite3_bind_int64(s->sample, 2, global(span->process, span->tid));
    sqlite3_bind_int64(s->sample, 3, domain);
    sqlite_rows_bind(s->sample, 4, t->bytes, t->size);
    sqlite3_bind_double(s->sample, 5, value_number(&value));
    sqlite_rows_step(&s->rows, s->sample);
}

static void span_row(void *arg, const struct span *span)
{
    static const int types[] = {TYPE_PUSH_POP, TYPE_START_END, TYPE_MARK};
    struct sink *s = arg;
    struct event_row row = {0};

    if (s->rows.failed) {
        return;
    }
    if (span->style == SPAN_COUNTER) {
        counter_row(s, span);
        return;
    }
    set(&row, START, span->start);
    set(&row, EVENT_TYPE, types[span->style]);
    if (span->style != SPAN_MARK) {
        set(&row, END, span->end);
    }
    if (span->style == SPAN_START_END) {
        set(&row, RANGE_ID, (int64_t)span->range);
        set(&row, END_GLOBAL_TID, global(span->process, span->end_tid));
    }
    if (span->has_category) {
        set(&row, CATEGORY, span->category);
    }
    if (span->has_color) {
        set(&row, COLOR, span->color);
    }
    set_text(&row, span->text);
    set(&row, GLOBAL_TID, global(span->process, span->tid));
    set(&row, DOMAIN_ID, domain_number(s, span->process, span->domain_name));
    set_payload(&row, span);
    row.json = payload_json(s->rows.source, span);
    row.has |= row.json ? 1U << JSON_TEXT : 0;
    sqlite_rows_put(&s->rows, &row);
}

static void bind_rank(sqlite3_stmt *to, int column, uint32_t rank)
{
    if (rank != REC_RANK_NONE) {
        sqlite3_bind_int64(to, column, rank);
    }
}

static void processes(struct sink *s)
{
    sqlite3_stmt *insert_process = NULL;

    sqlite3_prepare_v2(s->rows.db, "INSERT INTO PROCESSES VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
                       -1, &insert_process, NULL);
    for (size_t i = 0; insert_process && i < s->rows.source->process_count; i++) {
        const struct source_process *p = &s->rows.source->processes[i];
        const char *exe = texts_get(&s->rows.source->texts, p->exe);
        sqlite3_bind_int64(insert_process, 1, global(p, 0));
        sqlite3_bind_int64(insert_process, 2, p->pid);
        sqlite_rows_bind(insert_process, 3, exe, strlen(exe));
        sqlite_rows_bind(insert_process, 4, p->host, strlen(p->host));
        bind_rank(insert_process, 5, p->identity.rank);
        bind_rank(insert_process, 6, p->identity.local_rank);
        bind_rank(insert_process, 7, p->identity.world);
        if (*p->identity.job) {
            sqlite_rows_bind(insert_process, 8, p->identity.job, strlen(p->identity.job));
        }
        sqlite_rows_step(&s->rows, insert_process);
        sqlite3_clear_bindings(insert_process);
    }
    if (!insert_process) {
        sqlite_rows_fail(&s->rows);
    }
    sqlite3_finalize(insert_process);
}

static void names(struct sink *s)
{
    for (size_t i = 0; i < s->rows.source->process_count; i++) {
        const struct source_process *p = &s->rows.source->processes[i];
        for (size_t k = 0; k < p->domains.room; k++) { /* some slots are empty */
            if (p->domains.slots[k].taken) {
                domain_number(s, p, (uint32_t)p->domains.slots[k].value);
            }
        }
        for (size_t k = 0; k < p->categories.count; k++) {
            const struct source_name *c = &p->categories.all[k];
            name_row(s, p, TYPE_CATEGORY, c->name, domain_number(s, p, source_domain(p, c->domain)),
                     c->id, p->pid);
        }
        for (size_t k = 0; k < p->threads.count; k++) {
            name_row(s, p, TYPE_THREAD, p->threads.all[k].name, 0, -1, p->threads.all[k].id);
        }
    }
}

bool export_sqlite(const struct export_job *job, struct error *ret_error)
{
    struct source *source = job->source;
    struct sink s = {.rows = {.source = source}};
    struct span_totals totals;
    bool done = sqlite3_open_v2(job->path, &s.rows.db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX,
                                NULL) == SQLITE_OK &&
                sqlite3_exec(s.rows.db, schema, NULL, NULL, NULL) == SQLITE_OK &&
                sqlite3_prepare_v2(s.rows.db, insert_sample, -1, &s.sample, NULL) == SQLITE_OK;

    if (done) {
        processes(&s);
        names(&s);
        if (!s.rows.failed) {
            spans_each(source, span_row, &s, &totals);
            sqlite_rows_flush(&s.rows);
        }
        done = !s.rows.failed && sqlite3_exec(s.rows.db, "COMMIT", NULL, NULL, NULL) == SQLITE_OK;
    }
    if (!done) {
        sqlite_rows_fail(&s.rows);
        *ret_error = s.rows.error;
    }
    done = done && source_was_read(source, ret_error);
    sqlite_rows_free(&s.rows);
    sqlite3_finalize(s.sample);
    sqlite3_close(s.rows.db);
    map_free(&s.domains);
    map_free(&s.declared);
    return done;
}
