/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Parquet files for query engines: FOLDER/TABLE/job=JOB/host=HOST/rank=RANK/part-N.parquet, one
 * file for each table and process. */
#include "export.h"
#include "parquet_file.h"
#include "../util/memory.h"
#include "quote.h"

#include <stdlib.h>
#include <string.h>

enum table { RANGES, MARKS, COUNTERS, PROCESSES, TABLES };

static const char *const table_names[TABLES] = {"ranges", "marks", "counters", "processes"};

/* Columns that are also in the table NVTX_EVENTS of Nsight Systems have the same names as there. */
enum { R = 1 << RANGES, M = 1 << MARKS, C = 1 << COUNTERS, P = 1 << PROCESSES };
static const struct {
    unsigned tables; /* bits: the tables that have the column */
    struct parquet_column column;
} columns[] = {
    {R, {"id", PARQUET_TIME, false}},
    {R | M | C, {"start", PARQUET_TIME, false}},
    {R, {"end", PARQUET_TIME, false}},
    {R, {"duration", PARQUET_TIME, false}},
    {R, {"self", PARQUET_TIME, true}},
    {R, {"depth", PARQUET_NUMBER, true}},
    {R, {"parent", PARQUET_TIME, true}},
    {R, {"launch", PARQUET_TIME, true}},
    {R, {"launchThread", PARQUET_NUMBER, true}},
    {R, {"style", PARQUET_TEXT, false}},
    {R, {"open", PARQUET_NUMBER, false}},
    {R | M | C | P, {"pid", PARQUET_NUMBER, false}},
    {R | M | C, {"thread", PARQUET_NUMBER, false}},
    {R | M, {"threadName", PARQUET_TEXT, true}},
    {R | M | C, {"domain", PARQUET_TEXT, true}},
    {R | M, {"category", PARQUET_NUMBER, true}},
    {R | M, {"categoryName", PARQUET_TEXT, true}},
    {R | M, {"color", PARQUET_NUMBER, true}},
    {R | M | C, {"text", PARQUET_TEXT, true}},
    {R | M, {"payload", PARQUET_TEXT, true}},
    {C, {"value", PARQUET_REAL, true}},
    {P, {"ppid", PARQUET_NUMBER, false}},
    {P, {"name", PARQUET_TEXT, false}},
    {P, {"localRank", PARQUET_NUMBER, true}},
    {P, {"worldSize", PARQUET_NUMBER, true}},
    {P, {"epoch", PARQUET_TIME, false}}, /* time 0, in ns since 1970 */
};
enum { COLUMNS = sizeof(columns) / sizeof(columns[0]) };

struct writer {
    struct source *source;
    struct export_folder *folder;
    const struct source_process *process;
    struct parquet_file *files[TABLES];
    int64_t id; /* the next range gets this number */
    /* Push/pop ranges that may contain a later one: they are nested, and the innermost is last. */
    struct outer {
        int64_t id, end;
        uint32_t tid;
    } * outer;
    size_t outer_count, outer_capacity;
    struct error *error;
    bool failed;
};

enum { PARQUET_PLACE = 640 };

/* Copies a value for a path. Special characters become %XX, which query engines decode. */
static void put_value(char *to, size_t size, const char *value) {
    size_t used = 0;

    for (; *value && used + 4 < size; value++) {
        bool plain =
            (unsigned char)*value > ' ' && *value != 127 && !strchr("\"#%'*/:=?\\{}[]^", *value);
        used += (size_t)snprintf(to + used, size - used, plain ? "%c" : "%%%02X",
                                 (unsigned char)*value);
    }
    to[used] = 0;
}

/* The directory of a process, below that of a table: job=JOB/host=HOST/rank=RANK. Query engines
 * turn such names into columns. */
static void parquet_place(const struct source_process *p, char ret[PARQUET_PLACE]) {
    char job[256], host[256], rank[32] = "-1";

    put_value(job, sizeof(job), p->identity.job);
    put_value(host, sizeof(host), p->host);
    if (p->identity.rank != REC_RANK_NONE) {
        snprintf(rank, sizeof(rank), "%u", p->identity.rank);
    }
    snprintf(ret, PARQUET_PLACE, "job=%s/host=%s/rank=%s", *job ? job : "none",
             *host ? host : "none", rank);
}

static void fail_export(struct writer *w) {
    w->failed = w->source->enough = true;
}

/* The file of a table for the current process, created at the first call. NULL on failure. */
static struct parquet_file *file_of(struct writer *w, enum table table) {
    char place[PARQUET_PLACE], path[PATH_MAX];

    if (w->files[table] || w->failed) {
        return w->files[table];
    }
    parquet_place(w->process, place);
    uint32_t number = string_table_add(&w->folder->places, place, strlen(place));
    uint64_t part = *map_find(&w->folder->parts, number) - 1;
    struct parquet_column own[COLUMNS];
    size_t count = 0;
    for (size_t i = 0; i < COLUMNS; i++) {
        if (columns[i].tables >> table & 1) {
            own[count++] = columns[i].column;
        }
    }
    if (snprintf(path, sizeof(path), "%s/%s/%s/part-%llu.parquet", w->folder->path,
                 table_names[table], place, (unsigned long long)part) >= PATH_MAX) {
        error_set(w->error, "its path would be too long");
    } else {
        w->files[table] = parquet_file_create(path, w->folder, own, count, w->error);
    }
    if (!w->files[table]) {
        fail_export(w);
    }
    return w->files[table];
}

static void text(const struct writer *w, struct parquet_file *f, uint32_t number) {
    const struct str *t = string_table_at(&w->source->strings, number);

    parquet_file_text(f, number ? t->bytes : NULL, t->size);
}

static void number_if(struct parquet_file *f, bool there, int64_t number) {
    if (there) {
        parquet_file_integer(f, number);
    } else {
        parquet_file_none(f);
    }
}

static void close_process(struct writer *w) {
    for (enum table i = 0; i < TABLES; i++) {
        if (w->files[i] && !parquet_file_close(w->files[i], w->error)) {
            fail_export(w);
        }
        w->files[i] = NULL;
    }
}

static void begin_process(struct writer *w, const struct source_process *p) {
    char place[PARQUET_PLACE];

    close_process(w);
    w->process = p;
    w->id = 0;
    w->outer_count = 0;
    parquet_place(p, place);
    ++*map_add(&w->folder->parts, string_table_add(&w->folder->places, place, strlen(place)), 0);
    struct parquet_file *f = file_of(w, PROCESSES);
    if (f) {
        parquet_file_integer(f, p->pid);
        parquet_file_integer(f, p->ppid);
        parquet_file_text(f, string_table_get(&w->source->strings, p->exe),
                          string_table_at(&w->source->strings, p->exe)->size);
        number_if(f, p->identity.local_rank != REC_RANK_NONE, p->identity.local_rank);
        number_if(f, p->identity.world != REC_RANK_NONE, p->identity.world);
        parquet_file_integer(f, (int64_t)w->source->start);
    }
}

/* Adds `s` to w->outer. Returns the id of the innermost push/pop range, of the same thread and any
 * domain, that contains `s`; -1: none. */
static int64_t parent_of(struct writer *w, const struct span *s) {
    while (w->outer_count) {
        const struct outer *last = &w->outer[w->outer_count - 1];
        if (last->tid == s->tid && last->end >= s->end && last->end > s->start) {
            break;
        }
        w->outer_count--; /* a later range in it is also in `s` */
    }
    int64_t parent = w->outer_count ? w->outer[w->outer_count - 1].id : -1;
    *ARRAY_NEW(w->outer, w->outer_count, w->outer_capacity) = (struct outer){w->id, s->end, s->tid};
    return parent;
}

static void range_cells(struct writer *w, struct parquet_file *f, const struct span *s) {
    bool nests = s->style == SPAN_PUSH_POP;
    int64_t parent = nests && !s->on_gpu ? parent_of(w, s) : -1; /* operations do not nest */
    bool is_launch_known = s->on_gpu && s->launch > INT64_MIN;

    parquet_file_integer(f, w->id++);
    parquet_file_integer(f, s->start);
    parquet_file_integer(f, s->end);
    parquet_file_integer(f, s->end - s->start);
    number_if(f, nests, s->self);
    number_if(f, nests, s->depth);
    number_if(f, parent >= 0, parent);
    number_if(f, is_launch_known, s->launch);
    number_if(f, is_launch_known, s->end_tid);
    parquet_file_text(f, span_style_names[s->style], strlen(span_style_names[s->style]));
    parquet_file_integer(f, s->open);
}

static void payload_cell(const struct writer *w, struct parquet_file *f, const struct span *s) {
    char *fields = payload_text(w->source, s, true), digits[VALUE_DIGITS];
    struct value value = value_of_span(s);
    const char *shown = fields ? fields : value_digits(&value, digits);

    parquet_file_text(f, *shown ? shown : NULL, strlen(shown));
    free(fields);
}

static void row(void *arg, const struct span *s) {
    struct writer *w = arg;
    enum table table = s->style == SPAN_MARK ? MARKS : s->style == SPAN_COUNTER ? COUNTERS : RANGES;

    while (w->process != s->process && !w->failed) { /* also begins processes without spans */
        begin_process(w, w->process ? w->process + 1 : w->source->processes);
    }
    struct parquet_file *f = file_of(w, table);
    if (!f || w->failed) {
        return;
    }
    w->folder->rows++;
    if (table == RANGES) {
        range_cells(w, f, s);
    } else {
        parquet_file_integer(f, s->start);
    }
    parquet_file_integer(f, s->process->pid);
    parquet_file_integer(f, s->tid);
    if (table == COUNTERS) {
        text(w, f, s->domain_name);
        text(w, f, s->text);
        if (value_of_span(s).kind == VALUE_NOTHING) {
            parquet_file_none(f);
        } else {
            parquet_file_real(f, value_number(s));
        }
        return;
    }
    text(w, f, source_thread(s->process, s->tid));
    text(w, f, s->domain_name);
    number_if(f, s->has_category, s->category);
    text(w, f, s->has_category ? source_category(s->process, s->domain, s->category) : 0);
    number_if(f, s->has_color, s->color);
    text(w, f, s->text);
    payload_cell(w, f, s);
}

bool export_parquet(const struct export_job *job, struct error *ret_error) {
    struct source *source = job->source;
    struct writer w = {.source = source, .folder = job->folder, .error = ret_error};

    source->launches = true;
    bool done = spans_by_thread(source, row, &w, ret_error);
    source->launches = false;

    for (size_t next = w.process ? (size_t)(w.process - source->processes) + 1 : 0;
         done && !w.failed && next < source->process_count; next++) {
        begin_process(&w, &source->processes[next]);
    }
    close_process(&w);
    free(w.outer);
    return done && !w.failed;
}
