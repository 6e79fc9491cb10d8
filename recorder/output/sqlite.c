/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The tables that the reports of Nsight Systems read. */
#include "export.h"
#include "sqlite_rows.h"
#include "../util/memory.h"
#include "quote.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    TYPE_CATEGORY = 33,
    TYPE_MARK = 34,
    TYPE_THREAD = 39,
    TYPE_PUSH_POP = 59,
    TYPE_START_END = 60,
    TYPE_DOMAIN = 75,
    TYPE_DOMAIN_GONE = 76
};

/* Schema 3.0 of Nsight Systems 2022.4. Tables NVTXH_* have data for which Nsight has no tables. */
static const char schema[] =
    "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA locking_mode = EXCLUSIVE;CREATE "
    "TABLE StringIds (id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL);CREATE TABLE "
    "NVTX_EVENTS (start INTEGER NOT NULL, end INTEGER, eventType INTEGER NOT NULL, rangeId "
    "INTEGER, category INTEGER, color INTEGER, text TEXT, globalTid INTEGER, endGlobalTid INTEGER, "
    "textId INTEGER, domainId INTEGER, uint64Value INTEGER, int64Value INTEGER, doubleValue REAL, "
    "uint32Value INTEGER, int32Value INTEGER, floatValue REAL, jsonTextId INTEGER, jsonText "
    "TEXT);CREATE TABLE ENUM_NSYS_EVENT_TYPE (id INTEGER NOT NULL PRIMARY KEY, name TEXT, label "
    "TEXT);INSERT INTO ENUM_NSYS_EVENT_TYPE SELECT column1, column2, column2 FROM (VALUES (33, "
    "'NvtxCategory'), (34, 'NvtxMark'), (39, 'NvtxThread'), (59, 'NvtxPushPopRange'), (60, "
    "'NvtxStartEndRange'), (75, 'NvtxDomainCreate'), (76, 'NvtxDomainDestroy'));CREATE TABLE "
    "PROCESSES (globalPid INTEGER, pid INTEGER, name TEXT);CREATE TABLE ThreadNames (nameId "
    "INTEGER NOT NULL, priority INTEGER, globalTid INTEGER);CREATE TABLE ProcessStreams (globalPid "
    "INTEGER NOT NULL, filenameId INTEGER NOT NULL, contentId INTEGER NOT NULL);CREATE TABLE "
    "TARGET_INFO_SESSION_START_TIME (utcEpochNs INTEGER, utcTime TEXT, localTime TEXT);CREATE "
    "TABLE ANALYSIS_DETAILS (globalVid INTEGER NOT NULL, duration INTEGER NOT NULL, startTime "
    "INTEGER NOT NULL, stopTime INTEGER NOT NULL);CREATE TABLE EXPORT_META_DATA (name TEXT NOT "
    "NULL, value TEXT);INSERT INTO EXPORT_META_DATA VALUES ('EXPORT_PRODUCT_NAME', 'nvtxh'), "
    "('EXPORT_SCHEMA_VERSION', '3.0.0'), ('EXPORT_SCHEMA_VERSION_MAJOR', '3'), "
    "('EXPORT_SCHEMA_VERSION_MINOR', '0'), ('EXPORT_SCHEMA_VERSION_MICRO', '0');CREATE TABLE "
    "NVTXH_PROCESSES (globalPid INTEGER, host TEXT, rank INTEGER, localRank INTEGER, worldSize "
    "INTEGER, job TEXT);CREATE TABLE NVTXH_COUNTERS (timestamp INTEGER NOT NULL, globalTid "
    "INTEGER, domainId INTEGER, name TEXT, value REAL, unit TEXT);CREATE TABLE NVTXH_RESOURCES "
    "(timestamp INTEGER NOT NULL, globalPid INTEGER, type TEXT, identifier INTEGER, name "
    "TEXT);BEGIN;";

/* Only of a recording with context switches. */
static const char switches_schema[] = "CREATE TABLE SCHED_EVENTS (start INTEGER NOT NULL, cpu "
                                      "INTEGER NOT NULL, isSchedIn INTEGER NOT "
                                      "NULL, globalTid INTEGER);";

enum {
    STRINGS,
    THREADS,
    PROCESSES,
    IDENTITIES,
    COUNTERS,
    RESOURCES,
    SESSION,
    DETAILS,
    SWITCHES,
    TABLES
};

struct sink {
    struct sqlite_rows rows;
    struct sqlite_table tables[TABLES];
    struct map domains;  /* domain name -> number, the same in all processes: reports group by it */
    struct map declared; /* keys: pid << 32 | number of a domain that this pid has a row for */
    struct map threads;  /* globalTid -> number of the text that names the thread */
    struct map strings;  /* keys: numbers of the texts that go to StringIds */
    struct source_definition *definitions; /* sorted by time */
    size_t definition_count, definition_capacity;
    size_t next;         /* index of the next definition to write */
    int64_t last_thread; /* the last globalTid that add_thread got; it is in `threads` */
    int64_t range;       /* the last rangeId that was used */
    int64_t end;         /* the latest end of a span; ns */
};

static int64_t global(const struct source_process *p, uint32_t tid) {
    /* Upper 16 bits: in Nsight the machine; here they tell apart processes of the same pid. */
    return (int64_t)(1 + p->again) << 48 | (int64_t)(p->pid & 0xffffff) << 24 | (tid & 0xffffff);
}

static void set_column(struct event_row *row, int column, int64_t value) {
    row->has |= 1U << column;
    row->integers[column] = value;
}

/* A registered text goes to StringIds, its id to the row. Others go to the row if not empty. */
static void set_text(struct sink *s, struct event_row *row, uint32_t text, bool is_registered) {
    row->text = text;
    if (is_registered && text) {
        row->has |= 1U << TEXT_ID;
        map_add(&s->strings, text, 0);
    } else if (string_table_at(&s->rows.source->strings, text)->size) {
        row->has |= 1U << TEXT;
    }
}

/* --- domains, categories, names of threads ---------------------------------------------------- */

static void name_row(struct sink *s, const struct source_process *p, int64_t at, int type,
                     uint32_t text, uint32_t domain, int64_t category, uint32_t tid) {
    struct event_row row = {0};

    set_column(&row, START, at);
    set_column(&row, EVENT_TYPE, type);
    if (category >= 0) {
        set_column(&row, CATEGORY, category);
    }
    set_text(s, &row, text, false);
    set_column(&row, GLOBAL_TID, global(p, tid));
    set_column(&row, DOMAIN_ID, domain);
    sqlite_rows_put(&s->rows, &row);
}

static uint32_t domain_number(struct sink *s, const struct source_process *p, int64_t at,
                              uint32_t name) {
    if (!name) {
        return 0;
    }
    uint32_t found = (uint32_t)*map_add(&s->domains, name, s->domains.count + 1);
    /* One row for each pair of pid and domain, even if several processes had the pid. Reports join
     * ranges with domains by pid and number, and would count each range twice with two rows. */
    size_t before = s->declared.count;
    map_add(&s->declared, (uint64_t)(p->pid & 0xffffff) << 32 | found, 0);
    if (s->declared.count != before) {
        name_row(s, p, at, TYPE_DOMAIN, name, found, -1, p->pid);
    }
    return found;
}

static void definition_row(struct sink *s, const struct source_definition *d) {
    const struct source_process *p = d->process;
    uint32_t domain = 0;

    if (d->kind == SOURCE_RESOURCE) {
        const struct str *name = string_table_at(&s->rows.source->strings, d->name);
        sqlite_rows_add(&s->rows, &s->tables[RESOURCES], "iitit", d->at, global(p, 0),
                        d->resource.type, strlen(d->resource.type), (int64_t)d->resource.identifier,
                        name->bytes, name->size);
        return;
    }
    if (d->kind != SOURCE_THREAD) {
        domain = domain_number(s, p, d->at, source_domain(p, d->domain));
    }
    if (d->kind == SOURCE_DOMAIN_GONE) {
        name_row(s, p, d->at, TYPE_DOMAIN_GONE, 0, domain, -1, p->pid);
    } else if (d->kind == SOURCE_CATEGORY) {
        name_row(s, p, d->at, TYPE_CATEGORY, d->name, domain, d->id, p->pid);
    } else if (d->kind == SOURCE_THREAD) {
        name_row(s, p, d->at, TYPE_THREAD, d->name, 0, -1, d->id);
    }
}

static void collect(void *arg, const struct source_definition *d) {
    struct sink *s = arg;

    *ARRAY_NEW(s->definitions, s->definition_count, s->definition_capacity) = *d;
}

ARRAY_ORDER(by_time, struct source_definition,
            ORDER(x->at, y->at) ?: ORDER(x->process, y->process) ?: ORDER(x->kind, y->kind)
            ?: ORDER(x->domain, y->domain) ?: ORDER(x->id, y->id))

/* --- spans ------------------------------------------------------------------------------------ */

static void set_payload(struct event_row *row, const struct span *span) {
    struct value v = value_of_span(span);

    if (v.kind != VALUE_NOTHING) {
        set_column(row, UINT64_VALUE + (int)span->payload_type - REC_PAYLOAD_U64, v.i);
        row->real = v.d;
    }
}

/* Nsight's tables have no counters, so counters have a table of their own. */
static void counter_row(struct sink *s, const struct span *span) {
    const struct str *t = string_table_at(&s->rows.source->strings, span->text);
    const struct str *unit = string_table_at(&s->rows.source->strings, span->unit);

    sqlite_rows_add(
        &s->rows, &s->tables[COUNTERS], "iiitrt", span->start, global(span->process, span->tid),
        (int64_t)domain_number(s, span->process, span->start, span->domain_name), t->bytes, t->size,
        value_number(span), span->unit ? unit->bytes : NULL, unit->size);
}

static void switch_rows(void *arg, const struct span *span) {
    struct sink *s = arg;

    for (int64_t is_in = 1; is_in >= 0 && span->place == SWITCHES_ON; is_in--) {
        sqlite_rows_add(&s->rows, &s->tables[SWITCHES], "iiii", is_in ? span->start : span->end,
                        (int64_t)span->payload, is_in, global(span->process, span->tid));
    }
}

/* Adds a thread to s->threads, and its context switches. A thread without a name gets the program's
 * name, as in Linux. */
static void add_thread(struct sink *s, const struct source_process *p, uint32_t tid) {
    struct string_table *strings = &s->rows.source->strings;
    int64_t number = global(p, tid);

    if (number != s->last_thread && !map_find(&s->threads, (uint64_t)number)) {
        const char *program = source_program(s->rows.source, p);
        uint32_t name = source_thread(p, tid);
        name = name ? name : string_table_add(strings, program, strlen(program));
        map_add(&s->threads, (uint64_t)number, name);
        map_add(&s->strings, name, 0);
        spans_of_switches(s->rows.source, p, tid, switch_rows, s);
    }
    s->last_thread = number;
}

static void span_row(void *arg, const struct span *span) {
    static const int types[] = {TYPE_PUSH_POP, TYPE_START_END, TYPE_MARK};
    struct sink *s = arg;
    struct event_row row = {0};

    while (s->next < s->definition_count && s->definitions[s->next].at <= span->start) {
        definition_row(s, &s->definitions[s->next++]);
    }
    if (s->rows.failed) {
        return;
    }
    add_thread(s, span->process, span->tid);
    s->end = span->end > s->end ? span->end : s->end;
    if (span->style == SPAN_COUNTER) {
        counter_row(s, span);
        return;
    }
    set_column(&row, START, span->start);
    set_column(&row, EVENT_TYPE, types[span->style]);
    if (span->style != SPAN_MARK) {
        set_column(&row, END, span->end);
    }
    if (span->style == SPAN_START_END) {
        set_column(&row, RANGE_ID, ++s->range);
    }
    if (span->end_tid != span->tid) {
        set_column(&row, END_GLOBAL_TID, global(span->process, span->end_tid));
    }
    if (span->has_category) {
        set_column(&row, CATEGORY, span->category);
    }
    if (span->has_color) {
        set_column(&row, COLOR, span->color);
    }
    set_text(s, &row, span->text, span->is_registered);
    set_column(&row, GLOBAL_TID, global(span->process, span->tid));
    set_column(&row, DOMAIN_ID, domain_number(s, span->process, span->start, span->domain_name));
    set_payload(&row, span);
    row.json = payload_text(s->rows.source, span, true);
    row.has |= row.json ? 1U << JSON_TEXT : 0;
    sqlite_rows_put(&s->rows, &row);
}

/* --- the other tables ------------------------------------------------------------------------- */

static int64_t known(uint32_t rank) {
    return rank == REC_RANK_NONE ? SQLITE_ROWS_NULL : rank;
}

static void processes(struct sink *s) {
    for (size_t i = 0; i < s->rows.source->process_count; i++) {
        const struct source_process *p = &s->rows.source->processes[i];
        const struct rec_identity *id = &p->identity;
        const char *exe = string_table_get(&s->rows.source->strings, p->exe);
        sqlite_rows_add(&s->rows, &s->tables[PROCESSES], "iit", global(p, 0), (int64_t)p->pid, exe,
                        strlen(exe));
        sqlite_rows_add(&s->rows, &s->tables[IDENTITIES], "itiiit", global(p, 0), p->host,
                        strlen(p->host), known(id->rank), known(id->local_rank), known(id->world),
                        *id->job ? id->job : NULL, strlen(id->job));
        for (size_t k = 0; k < p->threads.count; k++) {
            if (p->threads.all[k].id < SOURCE_LANES) { /* a lane is added with its first span */
                add_thread(s, p, p->threads.all[k].id);
            }
        }
    }
}

static void threads(struct sink *s) {
    struct map_slot *all = map_sorted(&s->threads);

    for (size_t i = 0; i < s->threads.count; i++) {
        sqlite_rows_add(&s->rows, &s->tables[THREADS], "iii", (int64_t)all[i].value,
                        SQLITE_ROWS_NULL, (int64_t)all[i].key);
    }
    free(all);
}

static void strings(struct sink *s) {
    struct map_slot *all = map_sorted(&s->strings);

    for (size_t i = 0; i < s->strings.count; i++) {
        const struct str *t = string_table_at(&s->rows.source->strings, (uint32_t)all[i].key);
        sqlite_rows_add(&s->rows, &s->tables[STRINGS], "it", (int64_t)all[i].key, t->bytes,
                        t->size);
    }
    free(all);
}

/* Writes when the recording began and ended. localTime is NULL: the time zone is not known. */
static void session(struct sink *s) {
    char utc[32] = "", *local = NULL;
    time_t seconds = (time_t)(s->rows.source->start / 1000000000);
    struct tm tm;

    if (gmtime_r(&seconds, &tm)) {
        strftime(utc, sizeof(utc), "%Y-%m-%dT%H:%M:%S", &tm);
    }
    sqlite_rows_add(&s->rows, &s->tables[SESSION], "itt", (int64_t)s->rows.source->start, utc,
                    strlen(utc), local, (size_t)0);
    sqlite_rows_add(&s->rows, &s->tables[DETAILS], "iiii", INT64_C(1) << 48, s->end, INT64_C(0),
                    s->end);
}

static void write_all(struct sink *s, struct error *ret_error) {
    struct source *source = s->rows.source;

    if (source->kind->definitions) {
        source->kind->definitions(source, collect, s);
    }
    ARRAY_SORT(s->definitions, s->definition_count, by_time);
    processes(s);
    if (!spans_in_order(source, span_row, s, ret_error)) {
        s->rows.error = s->rows.failed ? s->rows.error : *ret_error;
        s->rows.failed = true;
        return;
    }
    while (s->next < s->definition_count) {
        definition_row(s, &s->definitions[s->next++]);
    }
    sqlite_rows_flush(&s->rows);
    threads(s);
    strings(s);
    session(s);
}

bool export_sqlite(const struct export_job *job, struct error *ret_error) {
    struct sink s = {.rows = {.source = job->source},
                     .tables = {[STRINGS] = {.name = "StringIds"},
                                [THREADS] = {.name = "ThreadNames"},
                                [PROCESSES] = {.name = "PROCESSES"},
                                [IDENTITIES] = {.name = "NVTXH_PROCESSES"},
                                [COUNTERS] = {.name = "NVTXH_COUNTERS"},
                                [RESOURCES] = {.name = "NVTXH_RESOURCES"},
                                [SESSION] = {.name = "TARGET_INFO_SESSION_START_TIME"},
                                [DETAILS] = {.name = "ANALYSIS_DETAILS"},
                                [SWITCHES] = {.name = "SCHED_EVENTS"}}};
    bool done = sqlite3_open_v2(job->path, &s.rows.db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX,
                                NULL) == SQLITE_OK &&
                sqlite3_exec(s.rows.db, schema, NULL, NULL, NULL) == SQLITE_OK &&
                (!source_has_switches(job->source) ||
                 sqlite3_exec(s.rows.db, switches_schema, NULL, NULL, NULL) == SQLITE_OK);

    if (done) {
        write_all(&s, ret_error);
        done = !s.rows.failed && sqlite3_exec(s.rows.db, "COMMIT", NULL, NULL, NULL) == SQLITE_OK;
    }
    if (!done) {
        sqlite_rows_fail(&s.rows);
        *ret_error = s.rows.error;
    }
    sqlite_rows_free(&s.rows);
    for (size_t i = 0; i < TABLES; i++) {
        sqlite3_finalize(s.tables[i].insert);
    }
    sqlite3_close(s.rows.db);
    map_free(&s.domains);
    map_free(&s.declared);
    map_free(&s.threads);
    map_free(&s.strings);
    free(s.definitions);
    return done;
}
