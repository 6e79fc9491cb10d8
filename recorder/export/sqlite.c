/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The tables Nsight Systems' own reports read. */
#include "export.h"
#include "../read/registry.h"
#include "../read/spans.h"
#include "../read/value.h"
#include "../report/payload_text.h"
#include "../report/utf8.h"

#include <sqlite3.h>
#include <stdlib.h>
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

static const char insert[] =
    "INSERT INTO NVTX_EVENTS (start, end, eventType, rangeId, category, color, text, globalTid, "
    "endGlobalTid, domainId, uint64Value, int64Value, doubleValue, uint32Value, int32Value, "
    "floatValue, jsonText)"
    " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17)";

static const char insert_sample[] = "INSERT INTO NVTXH_COUNTERS VALUES (?1, ?2, ?3, ?4, ?5)";

struct sink {
    struct recording *recording;
    sqlite3_stmt *insert, *sample;
    struct map domains;  /* name -> number: one for all processes, so that reports add them up */
    struct map declared; /* pid and domain that have a row: reports join ranges with it by both */
    /* Of the first failure: without a journal sqlite is mistaken about what comes after it. */
    char error[200];
    bool failed; /* nothing is written any more */
};

static sqlite3_int64 global(const struct process *p, uint32_t tid)
{
    /* The topmost bits are the machine's: processes with the same pid are told apart by them. */
    return (sqlite3_int64)(1 + p->again) << 48 | (sqlite3_int64)(p->info.pid & 0xffffff) << 24 |
           (tid & 0xffffff);
}

static void fail(struct sink *s, sqlite3 *db)
{
    if (!s->failed) {
        snprintf(s->error, sizeof(s->error), "%s", db ? sqlite3_errmsg(db) : "out of memory");
        s->failed = s->recording->enough = true;
    }
}

static void step(struct sink *s, sqlite3_stmt *statement)
{
    if (!s->failed && sqlite3_step(statement) != SQLITE_DONE) {
        fail(s, sqlite3_db_handle(statement));
    }
    sqlite3_reset(statement);
}

/* Columns count from 1; what is not bound is NULL. Readers want UTF-8 and nothing else. */
static void bind(sqlite3_stmt *to, int column, const char *text, size_t size)
{
    if (utf8_is(text, size)) {
        sqlite3_bind_text64(to, column, text, size, SQLITE_STATIC, SQLITE_UTF8);
    } else {
        char *valid = utf8_copy(text, size, &size);
        sqlite3_bind_text64(to, column, valid, size, free, SQLITE_UTF8);
    }
}

static void bind_text(struct sink *s, uint32_t text)
{
    if (text) {
        const struct text *t = texts_at(&s->recording->texts, text);
        bind(s->insert, 7, t->bytes, t->size);
    }
}

static void store(struct sink *s)
{
    step(s, s->insert);
    sqlite3_clear_bindings(s->insert);
}

static void name_row(struct sink *s, const struct process *p, int type, uint32_t text,
                     uint32_t domain, int64_t category, uint32_t tid)
{
    sqlite3_bind_int64(s->insert, 1, 0);
    sqlite3_bind_int(s->insert, 3, type);
    if (category >= 0) {
        sqlite3_bind_int64(s->insert, 5, category);
    }
    bind_text(s, text);
    sqlite3_bind_int64(s->insert, 8, global(p, tid));
    sqlite3_bind_int64(s->insert, 10, domain);
    store(s);
}

static uint32_t domain_number(struct sink *s, const struct process *p, uint32_t name)
{
    if (!name) {
        return 0;
    }
    uint32_t found = (uint32_t)*map_add(&s->domains, name, s->domains.count + 1);
    /* Reports join by the pid alone: a second row for the same pid would double every range. */
    size_t before = s->declared.count;
    map_add(&s->declared, (uint64_t)(p->info.pid & 0xffffff) << 32 | found, 0);
    if (s->declared.count != before) {
        name_row(s, p, TYPE_DOMAIN, name, found, -1, p->info.pid);
    }
    return found;
}

/* The columns of the types stand in the order of enum rec_payload. */
static void bind_payload(struct sink *s, const struct span *span)
{
    struct value v = value_of_span(span);
    int column = 10 + (int)span->payload_type;

    if (v.kind == VALUE_REAL) {
        sqlite3_bind_double(s->insert, column, v.d);
    } else if (v.kind != VALUE_NOTHING) {
        /* sqlite's integers are signed; the bits are the program's */
        sqlite3_bind_int64(s->insert, column, v.i);
    }
}

/* Nsight of this schema has no counters: they have a table of their own. */
static void counter_row(struct sink *s, const struct span *span)
{
    const struct text *t = texts_at(&s->recording->texts, span->text);
    uint32_t domain = domain_number(s, span->process, span->domain_name);
    struct value value = value_of_span(span);

    sqlite3_bind_int64(s->sample, 1, span->start);
    sqlite3_bind_int64(s->sample, 2, global(span->process, span->tid));
    sqlite3_bind_int64(s->sample, 3, domain);
    bind(s->sample, 4, t->bytes, t->size);
    sqlite3_bind_double(s->sample, 5, value_number(&value));
    step(s, s->sample);
}

static void row(void *arg, const struct span *span)
{
    static const int types[] = {TYPE_PUSH_POP, TYPE_START_END, TYPE_MARK};
    struct sink *s = arg;

    if (s->failed) {
        return;
    }
    if (span->style == SPAN_COUNTER) {
        counter_row(s, span);
        return;
    }
    uint32_t domain = domain_number(s, span->process, span->domain_name);

    sqlite3_bind_int64(s->insert, 1, span->start);
    sqlite3_bind_int(s->insert, 3, types[span->style]);
    if (span->style != SPAN_MARK) {
        sqlite3_bind_int64(s->insert, 2, span->end);
    }
    if (span->style == SPAN_START_END) {
        sqlite3_bind_int64(s->insert, 4, (sqlite3_int64)span->range);
        sqlite3_bind_int64(s->insert, 9, global(span->process, span->end_tid));
    }
    if (span->has_category) {
        sqlite3_bind_int64(s->insert, 5, span->category);
    }
    if (span->has_color) {
        sqlite3_bind_int64(s->insert, 6, span->color);
    }
    bind_text(s, span->text);
    sqlite3_bind_int64(s->insert, 8, global(span->process, span->tid));
    sqlite3_bind_int64(s->insert, 10, domain);
    bind_payload(s, span);
    char *json = payload_json(s->recording, span);
    if (json) {
        sqlite3_bind_text(s->insert, 17, json, -1, free);
    }
    store(s);
}

static void bind_rank(sqlite3_stmt *to, int column, uint32_t rank)
{
    if (rank != REC_RANK_NONE) {
        sqlite3_bind_int64(to, column, rank);
    }
}

static void processes(struct sink *s, sqlite3 *db)
{
    sqlite3_stmt *insert_process = NULL;

    sqlite3_prepare_v2(db, "INSERT INTO PROCESSES VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)", -1,
                       &insert_process, NULL);
    for (size_t i = 0; insert_process && i < s->recording->process_count; i++) {
        const struct process *p = &s->recording->processes[i];
        const char *exe = texts_get(&s->recording->texts, p->exe);
        sqlite3_bind_int64(insert_process, 1, global(p, 0));
        sqlite3_bind_int64(insert_process, 2, p->info.pid);
        bind(insert_process, 3, exe, strlen(exe));
        bind(insert_process, 4, p->info.host, strlen(p->info.host));
        bind_rank(insert_process, 5, p->identity.rank);
        bind_rank(insert_process, 6, p->identity.local_rank);
        bind_rank(insert_process, 7, p->identity.world);
        if (*p->identity.job) {
            bind(insert_process, 8, p->identity.job, strlen(p->identity.job));
        }
        step(s, insert_process);
        sqlite3_clear_bindings(insert_process);
    }
    if (!insert_process) {
        fail(s, db);
    }
    sqlite3_finalize(insert_process);
}

static void names(struct sink *s)
{
    for (size_t i = 0; i < s->recording->process_count; i++) {
        const struct process *p = &s->recording->processes[i];
        for (size_t k = 0; k < p->domains.room; k++) { /* of which some may never be used */
            if (p->domains.slots[k].taken) {
                domain_number(s, p, (uint32_t)p->domains.slots[k].value);
            }
        }
        for (size_t k = 0; k < p->categories.count; k++) {
            const struct named_id *c = &p->categories.all[k];
            name_row(s, p, TYPE_CATEGORY, c->name,
                     domain_number(s, p, registry_domain(p, c->domain)), c->id, p->info.pid);
        }
        for (size_t k = 0; k < p->threads.count; k++) {
            name_row(s, p, TYPE_THREAD, p->threads.all[k].name, 0, -1, p->threads.all[k].id);
        }
    }
}

bool export_sqlite(struct recording *r, const char *path, char *ret_error, size_t error_size)
{
    struct sink s = {.recording = r};
    struct span_totals totals;
    sqlite3 *db = NULL;
    bool done = sqlite3_open_v2(path, &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL) ==
                    SQLITE_OK &&
                sqlite3_exec(db, schema, NULL, NULL, NULL) == SQLITE_OK &&
                sqlite3_prepare_v2(db, insert, -1, &s.insert, NULL) == SQLITE_OK &&
                sqlite3_prepare_v2(db, insert_sample, -1, &s.sample, NULL) == SQLITE_OK;

    if (done) {
        processes(&s, db);
        names(&s);
        if (!s.failed) {
            spans_each(r, row, &s, &totals);
        }
        done = !s.failed && sqlite3_exec(db, "COMMIT", NULL, NULL, NULL) == SQLITE_OK;
    }
    if (!done) {
        fail(&s, db);
        snprintf(ret_error, error_size, "%s", s.error);
    }
    sqlite3_finalize(s.insert);
    sqlite3_finalize(s.sample);
    sqlite3_close(db);
    map_free(&s.domains);
    map_free(&s.declared);
    return done;
}
