/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A database of Nsight Systems as a source. The database lists ranges by their starts, but a source
 * hands them out by their ends. Databases differ in tables and columns: see docs/gpu.md. */
#include "database.h"
#include "json.h"
#include "metadata.h"
#include "nsight_kind.h"
#include "../util/heap.h"
#include "../util/memory.h"
#include "../analysis/filter.h"
#include "../analysis/nesting.h"
#include "../output/report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TYPE_MARK = 34, TYPE_PUSH_POP = 59, TYPE_START_END = 60 };
enum { TYPE_CATEGORY = 33, TYPE_THREAD = 39, TYPE_DOMAIN = 75 };

#define EVENT_COLUMNS                                                                              \
    "#start #end eventType globalTid endGlobalTid domainId category color rangeId text textId "    \
    "uint64Value int64Value doubleValue uint32Value int32Value floatValue"
#define PAYLOAD_COLUMNS "jsonText jsonTextId binaryData"
enum { START, END, TYPE, TID, END_TID, DOMAIN, CATEGORY, COLOR, RANGE, TEXT, TEXT_ID, VALUES };
/* Columns. TABLE: index in event_tables; 0: an NVTX event; else an MPI call. ROWID: set if the row
 * has a payload in PAYLOAD_COLUMNS. */
enum { TABLE = VALUES + 6, ROWID };

struct table {
    const char *name, *columns, *more;
    const char *payloads; /* columns for ROWID; NULL: there is no ROWID */
};

/* An MPI call that waits for several requests has a row for each request; ONCE takes one row. */
#define MPI_COLUMNS "#start #end - globalTid - - - - - - textId - - - - - -"
#define ONCE " GROUP BY 1, 2, 4, 11"
static const struct table event_tables[] = {{"NVTX_EVENTS", EVENT_COLUMNS, "", PAYLOAD_COLUMNS},
                                            {"MPI_P2P_EVENTS", MPI_COLUMNS, ONCE, "-"},
                                            {"MPI_COLLECTIVES_EVENTS", MPI_COLUMNS, ONCE, "-"},
                                            {"MPI_START_WAIT_EVENTS", MPI_COLUMNS, ONCE, "-"},
                                            {"MPI_OTHER_EVENTS", MPI_COLUMNS, ONCE, "-"}};

/* Columns of operations of GPUs. OP_NAME: a kernel's StringIds.id, a copy's kind, a graph's number.
 * OP_TID, OP_LAUNCH: thread and time of the launch; NULL: not known, or not asked for. */
enum { OP_PID = 2, OP_DEVICE, OP_CONTEXT, OP_STREAM, OP_CALL, OP_BYTES, OP_NAME };
enum { OP_TABLE = OP_NAME + 1, OP_TID, OP_LAUNCH };
#define OPERATION_COLUMNS "#start #end globalPid deviceId contextId streamId correlationId bytes "
static const struct table operation_tables[] = {
    {"CUPTI_ACTIVITY_KIND_KERNEL", OPERATION_COLUMNS "demangledName", "", NULL},
    {"CUPTI_ACTIVITY_KIND_MEMCPY", OPERATION_COLUMNS "copyKind", "", NULL},
    {"CUPTI_ACTIVITY_KIND_MEMSET", OPERATION_COLUMNS "-", "", NULL},
    {"CUPTI_ACTIVITY_KIND_GRAPH_TRACE", OPERATION_COLUMNS "graphId", "", NULL}};
enum { KERNEL, MEMCPY, MEMSET, GRAPH };

enum { LANES_MOST = 64 }; /* most lanes of a stream; it gets several if its operations overlap */
/* These stand in place of a domainId for operations of GPUs and calls of MPI. */
#define GPU_DOMAIN INT64_MIN
#define MPI_DOMAIN (INT64_MIN + 1)

/* One of the files of a source. */
struct part {
    struct database db;
    struct map strings;    /* StringIds.id -> text */
    sqlite3_stmt *string;  /* the query for the text of a StringIds.id */
    sqlite3_stmt *payload; /* the query for the PAYLOAD_COLUMNS of a row */
    bool is_sorted;        /* the rows of events() are in the order that spans_of_part needs */
    int64_t first, last;   /* ns; first and last time in all tables; first is 0 or negative */
    /* Time 0 of the file. epoch: ns since 1970; 0: not known. shift: ns since source.start. */
    int64_t epoch, shift;
    bool has_ranges;   /* it has ranges or marks */
    uint64_t identity; /* a hash, by which align() recognizes a file that is given twice */
};

struct nsight {
    struct source source;
    size_t process_capacity;
    struct part *parts, *at; /* at: the part that is being read */
    size_t part_count, part_capacity;
    struct map processes; /* part << 40 | globalTid >> 24 -> index in source.processes */
    struct map again;     /* pid -> how many processes had this pid, less 1 */
    struct map domains;   /* hash of process and domainId -> number in the process */
    struct map named;     /* hash of part, pid and domainId -> text: the domain's last name */
    /* hash of process, device, context, stream, lane in the stream -> index in lane_ends */
    struct map lanes;
    int64_t *lane_ends; /* ns: the end of each lane's last operation */
    size_t lane_count, lane_capacity;
    uint32_t gpu_text;     /* "GPU" */
    bool has_own_gpu;      /* the program has a domain "GPU", too */
    bool is_export;        /* nvtxh export made a file */
    uint64_t rows;         /* number of rows of events and operations */
    uint64_t bad, bad_ops; /* numbers of events and operations with impossible times */
    bool lacks_calls;      /* source.by_launch was set, but a file lacks calls of CUDA */
};

static int64_t integer(sqlite3_stmt *row, int column) {
    return sqlite3_column_int64(row, column);
}

static bool has(sqlite3_stmt *row, int column) {
    return sqlite3_column_type(row, column) != SQLITE_NULL;
}

static struct nsight *nsight_of(const struct source *s) {
    return (struct nsight *)((char *)(uintptr_t)s - offsetof(struct nsight, source));
}

/* --- processes, domains, strings, lanes ------------------------------------------------------- */

/* Finds the process of a globalTid or globalPid, or adds it if `add`. Returns its index, or -1. */
static int64_t process_of(struct nsight *n, int64_t global, bool add) {
    struct source *s = &n->source;
    uint64_t key = (uint64_t)(n->at - n->parts) << 40 | (uint64_t)global >> 24;
    uint64_t *found = map_find(&n->processes, key);

    if (found || !add) {
        return found ? (int64_t)*found : -1;
    }
    ARRAY_ADD(s->processes, s->process_count, n->process_capacity);
    s->processes[s->process_count] = (struct source_process){
        .number = (uint32_t)s->process_count,
        .pid = key & 0xffffff,
        .again = (uint32_t)(*map_add(&n->again, key & 0xffffff, UINT64_MAX) += 1),
        .host = "",
        .identity = {.rank = REC_RANK_NONE, .local_rank = REC_RANK_NONE, .world = REC_RANK_NONE}};
    map_add(&n->processes, key, s->process_count);
    return (int64_t)s->process_count++;
}

static uint32_t add_text(struct nsight *n, const char *text) {
    return string_table_add(&n->source.strings, text, strlen(text));
}

/* Returns a pointer to a domain's name, a text; 0: none was read yet. Processes with the same pid
 * share the name, because nvtxh export writes a domain's row once for each pid. */
static uint64_t *name_of_domain(struct nsight *n, const struct source_process *p, int64_t id) {
    uint64_t key = map_mix(map_mix((uint64_t)(n->at - n->parts), p->pid), (uint64_t)id);

    return map_add(&n->named, key, 0);
}

/* A domain's number in its process. A domain without a name gets the name "domain ID". */
static uint32_t domain_of(struct nsight *n, int64_t process, int64_t id) {
    struct source_process *p = &n->source.processes[process];
    uint32_t number = (uint32_t)p->domains.count + 1;
    char name[32];

    if (!id) {
        return 0;
    }
    uint64_t key = map_mix(map_mix(0, (uint64_t)process), (uint64_t)id);
    uint32_t known = (uint32_t)*map_add(&n->domains, key, number);
    if (known == number) {
        uint64_t given = *name_of_domain(n, p, id);
        snprintf(name, sizeof(name), "domain %lld", (long long)id);
        const char *text = id == GPU_DOMAIN ? "GPU" : id == MPI_DOMAIN ? "MPI" : name;
        map_add(&p->domains, number, given ? given : add_text(n, text));
    }
    return known;
}

static uint32_t text_of_column(struct nsight *n, sqlite3_stmt *row, int column) {
    const unsigned char *bytes = sqlite3_column_text(row, column);
    size_t size = (size_t)sqlite3_column_bytes(row, column);

    return bytes ? string_table_add(&n->source.strings, (const char *)bytes, size) : 0;
}

/* The text whose StringIds.id is in a column. */
static uint32_t string_of(struct nsight *n, sqlite3_stmt *row, int column) {
    if (!has(row, column)) {
        return 0;
    }
    uint64_t id = (uint64_t)integer(row, column), *known = map_find(&n->at->strings, id);
    if (known || !n->at->string) {
        return known ? (uint32_t)*known : 0;
    }
    sqlite3_bind_int64(n->at->string, 1, (int64_t)id);
    uint32_t text =
        database_step(&n->at->db, n->at->string) ? text_of_column(n, n->at->string, 0) : 0;
    sqlite3_reset(n->at->string);
    map_add(&n->at->strings, id, text);
    return text;
}

static uint32_t message_of(struct nsight *n, sqlite3_stmt *row) {
    return has(row, TEXT) ? text_of_column(n, row, TEXT) : string_of(n, row, TEXT_ID);
}

static void name_lane(struct nsight *n, sqlite3_stmt *row, int64_t process, int among) {
    char name[128], context[40] = "";
    long long device = integer(row, OP_DEVICE), stream = integer(row, OP_STREAM);

    if (integer(row, OP_CONTEXT) > 1) {
        snprintf(context, sizeof(context), "context %lld, ", (long long)integer(row, OP_CONTEXT));
    }
    int size = snprintf(name, sizeof(name), "GPU %lld, %sstream %lld", device, context, stream);
    if (among) {
        snprintf(name + size, sizeof(name) - (size_t)size, " (%d)", among + 1);
    }
    source_name_add(&n->source.processes[process].threads, 0,
                    SOURCE_LANES + (uint32_t)n->lane_count, add_text(n, name));
}

/* The first lane of an operation's stream that is free at `start`, or the last if none is free. */
static size_t lane_of(struct nsight *n, sqlite3_stmt *row, int64_t process, int64_t start) {
    uint64_t hash = map_mix(0, (uint64_t)process);
    size_t lane = 0;

    for (int i = OP_DEVICE; i <= OP_STREAM; i++) {
        hash = map_mix(hash, (uint64_t)integer(row, i));
    }
    for (int i = 0; i < LANES_MOST; i++) {
        lane = (size_t)*map_add(&n->lanes, map_mix(hash, (uint64_t)i), n->lane_count);
        if (lane == n->lane_count) {
            name_lane(n, row, process, i);
            *ARRAY_NEW(n->lane_ends, n->lane_count, n->lane_capacity) = INT64_MIN;
        }
        if (n->lane_ends[lane] <= start) {
            break;
        }
    }
    return lane;
}

#define TIME_MOST "2305843009213693951" /* 2^61 - 1 ns: sums of a few times do not overflow */

static bool is_time(int64_t start, int64_t end) {
    int64_t most = INT64_MAX / 4;
    return start >= -most && end <= most && start <= end;
}

/* Compiles a query of the rows of all `tables`. `names`: what the query calls these rows and their
 * columns; the one after those of `tables` is the index of the row's table. NULL: no such table, or
 * error. */
static sqlite3_stmt *query_tables(struct nsight *n, const struct table *tables, size_t count,
                                  const char *names, const char *query) {
    sqlite3_str *sql = sqlite3_str_new(n->at->db.db);

    for (size_t i = 0; i < count; i++) {
        if (database_has(&n->at->db, tables[i].name, "start")) {
            sqlite3_str_appendf(
                sql, sqlite3_str_length(sql) ? " UNION ALL SELECT " : "WITH %s AS (SELECT ", names);
            database_columns(&n->at->db, sql, tables[i].name, tables[i].columns);
            sqlite3_str_appendf(sql, ",%d", (int)i);
            if (tables[i].payloads) {
                sqlite3_str_appendall(sql, ",CASE WHEN coalesce(NULL,");
                database_columns(&n->at->db, sql, tables[i].name, tables[i].payloads);
                sqlite3_str_appendall(sql, ") IS NOT NULL THEN rowid END");
            }
            sqlite3_str_appendf(sql, " FROM %s%s", tables[i].name, tables[i].more);
        }
    }
    if (sqlite3_str_length(sql) || sqlite3_str_errcode(sql)) {
        sqlite3_str_appendf(sql, ") %s", query);
        return database_prepare(&n->at->db, sqlite3_str_finish(sql));
    }
    sqlite3_free(sqlite3_str_finish(sql));
    return NULL;
}

/* Compiles a query, in which `e` stands for the rows of all event_tables. */
static sqlite3_stmt *events(struct nsight *n, const char *query) {
    return query_tables(n, event_tables, sizeof(event_tables) / sizeof(event_tables[0]),
                        "e(start,end,type,tid,end_tid,domain,category,color,range,text,text_id,"
                        "u64,i64,f64,u32,i32,f32,t,payload)",
                        query);
}

/* Compiles a query, in which `o` stands for the rows of all operation_tables. */
static sqlite3_stmt *operations(struct nsight *n, const char *query) {
    return query_tables(n, operation_tables, sizeof(operation_tables) / sizeof(operation_tables[0]),
                        "o(start,end,pid,device,context,stream,call,bytes,name,kind)", query);
}

/* --- ranges that are open --------------------------------------------------------------------- */

struct process_range {
    struct span span;
    size_t thread;
};

struct thread {
    const struct source_process *process;
    uint32_t tid;
    struct nesting nesting; /* its open pushes */
    struct heap ends;       /* the ends of these pushes; an item is the push's domain */
};

struct pass {
    struct nsight *n;
    span_function *f;
    span_enter *enter;
    void *arg;
    struct span_totals totals;
    struct thread *threads;
    size_t thread_count, thread_capacity;
    struct map thread_index; /* globalTid -> index */
    struct heap ends;        /* ends of process ranges of all threads; item: pointer to the range */
};

/* Of ranges with the same end, the range that began last ends first, because usually it is nested
 * in the others. */
static void add_end(const struct pass *p, struct heap *ends, int64_t end, uint64_t item) {
    heap_add(ends, (struct heap_entry){
                       .key = end, .number = UINT64_MAX - p->totals.events, .item = item});
}

static void end_pushes(struct pass *p, struct thread *t, int64_t now) {
    for (struct heap_entry first; heap_pop(&t->ends, now, &first);) {
        uint32_t i = nesting_pop(&t->nesting, (uint32_t)first.item, first.key);
        p->f(p->arg, &t->nesting.all[i].span);
        nesting_free_push(&t->nesting, i);
    }
}

static void end_ranges(struct pass *p, int64_t now) {
    for (struct heap_entry first; heap_pop(&p->ends, now, &first);) {
        struct process_range *range = (struct process_range *)(uintptr_t)first.item;
        end_pushes(p, &p->threads[range->thread], first.key);
        p->f(p->arg, &range->span);
        free(range);
    }
}

/* --- rows of NVTX ----------------------------------------------------------------------------- */

static size_t number_of_thread(struct pass *p, int64_t global, int64_t process) {
    size_t i = (size_t)*map_add(&p->thread_index, (uint64_t)global, p->thread_count);

    if (i == p->thread_count) {
        struct thread *t = ARRAY_NEW(p->threads, p->thread_count, p->thread_capacity);
        *t = (struct thread){.process = &p->n->source.processes[process],
                             .tid = (uint32_t)global & 0xffffff,
                             .nesting = {.filter = p->n->source.filter}};
        nesting_clear(&t->nesting);
    }
    return i;
}

static void set_payload(struct span *span, sqlite3_stmt *row) {
    for (int i = VALUES; i < VALUES + 6; i++) {
        double real = sqlite3_column_double(row, i);
        float narrow = (float)real;
        if (!has(row, i)) {
            continue;
        }
        span->payload_type = (enum rec_payload)(REC_PAYLOAD_U64 + i - VALUES);
        span->payload = (uint64_t)integer(row, i) &
                        (span->payload_type < REC_PAYLOAD_U32 ? UINT64_MAX : UINT32_MAX);
        if (span->payload_type == REC_PAYLOAD_F64) {
            memcpy(&span->payload, &real, sizeof(real));
        } else if (span->payload_type == REC_PAYLOAD_F32) {
            span->payload = 0;
            memcpy(&span->payload, &narrow, sizeof(narrow));
        }
    }
}

/* struct span_blobs.place of a row: the index of its file, and its rowid. */
enum { ROWID_BITS = 40 };

static void set_fields(const struct nsight *n, struct span *span, sqlite3_stmt *row) {
    int64_t rowid = integer(row, ROWID);

    if (rowid > 0 && rowid < INT64_C(1) << ROWID_BITS) {
        span->begin.place = (uint64_t)(n->at - n->parts) << ROWID_BITS | (uint64_t)rowid;
        span->begin.size = 1;
    }
}

/* Visits JSON as fields. Other text, and binary data, is one field. */
static void visit_text(struct payload_visitor *v, const char *name, const char *text, size_t size) {
    struct value value = {.kind = VALUE_TEXT, .text = text, .size = size};

    if (!strcmp(name, "binaryData") || !json_visit(text, size, "payload", v)) {
        v->value(v->arg, name, &value);
    }
}

static void payload(struct source *s, const struct span *span, struct payload_visitor *v) {
    struct nsight *n = nsight_of(s);
    struct part *before = n->at;

    n->at = &n->parts[span->begin.place >> ROWID_BITS];
    sqlite3_stmt *row = n->at->payload;
    sqlite3_bind_int64(row, 1, (int64_t)(span->begin.place & ((UINT64_C(1) << ROWID_BITS) - 1)));
    if (database_step(&n->at->db, row)) {
        const struct str *json = string_table_at(&s->strings, string_of(n, row, 1));
        int column = has(row, 0) ? 0 : 2;
        if (!has(row, 0) && json->size) {
            visit_text(v, "jsonText", json->bytes, json->size);
        } else if (has(row, column)) {
            const char *text = (const char *)sqlite3_column_text(row, column);
            visit_text(v, column ? "binaryData" : "jsonText", text ? text : "",
                       (size_t)sqlite3_column_bytes(row, column));
        }
    }
    sqlite3_reset(row);
    s->error = s->error ? s->error : n->at->db.error;
    n->at = before;
}

/* Whether a range would outlive the range around it. Such a range cannot be a push/pop range. */
static bool overlaps(const struct thread *t, uint32_t domain, int64_t end) {
    uint32_t i = domain < t->nesting.domains ? t->nesting.innermost[domain] : NESTING_NONE;
    return i != NESTING_NONE && t->nesting.all[i].span.end < end;
}

static void begin_range(struct pass *p, size_t thread, const struct span *span) {
    struct process_range *range = must_alloc(NULL, 1, sizeof(*range));

    *range = (struct process_range){*span, thread};
    range->span.style = SPAN_START_END;
    if (p->enter && p->n->source.by_launch) {
        range->span.place = p->enter(p->arg, &range->span, NULL) & SPAN_PLACE;
    }
    add_end(p, &p->ends, span->end, (uintptr_t)range);
}

static void begin_push(struct pass *p, size_t thread, const struct span *span) {
    struct thread *t = &p->threads[thread];
    uint32_t i = nesting_new(&t->nesting);
    struct open_push *push = &t->nesting.all[i];

    add_end(p, &t->ends, span->end, span->domain);
    push->span = *span;
    push->span.range = 0;
    nesting_push(&t->nesting, i, p->enter, p->arg);
}

static bool is_range(sqlite3_stmt *row) {
    int64_t type = integer(row, TYPE);

    return integer(row, TABLE) > 0 || type == TYPE_PUSH_POP || type == TYPE_START_END ||
           type == TYPE_MARK;
}

static void on_event(struct pass *p, sqlite3_stmt *row) {
    struct nsight *n = p->n;
    bool is_mpi = integer(row, TABLE) > 0;
    int64_t type = is_mpi ? TYPE_PUSH_POP : integer(row, TYPE), tid = integer(row, TID);
    int64_t start = integer(row, START), process = process_of(n, tid, false);
    bool is_open = !has(row, END) && type != TYPE_MARK;
    int64_t end = is_open ? n->at->last : type == TYPE_MARK ? start : integer(row, END);

    if (process < 0 || (!start && !has(row, START)) || !is_time(start, end) ||
        (type != TYPE_PUSH_POP && type != TYPE_START_END && type != TYPE_MARK)) {
        return;
    }
    size_t thread = number_of_thread(p, tid, process);
    struct thread *t = &p->threads[thread];
    bool has_end_tid = has(row, END_TID);
    struct span span = {.process = t->process,
                        .tid = t->tid,
                        .end_tid =
                            has_end_tid ? (uint32_t)integer(row, END_TID) & 0xffffff : t->tid,
                        .start = start + n->at->shift,
                        .end = end + n->at->shift,
                        .text = message_of(n, row),
                        .domain = domain_of(n, process, is_mpi ? MPI_DOMAIN : integer(row, DOMAIN)),
                        .stream = t->tid,
                        .range = (uint64_t)integer(row, RANGE),
                        .color = (uint32_t)integer(row, COLOR),
                        .category = (uint32_t)integer(row, CATEGORY),
                        .has_color = has(row, COLOR),
                        .has_category = has(row, CATEGORY),
                        .open = is_open,
                        .is_registered = !has(row, TEXT)};
    span.domain_name = source_domain(t->process, span.domain);
    set_payload(&span, row);
    set_fields(n, &span, row);
    end_ranges(p, span.start);
    end_pushes(p, t, span.start);
    p->totals.events += type == TYPE_MARK ? 1 : 2;
    if (is_open) {
        span_totals_open(&p->totals, &span);
    }
    if (type == TYPE_MARK) {
        span.style = SPAN_MARK;
        p->f(p->arg, &span);
    } else if (type == TYPE_START_END || overlaps(t, span.domain, span.end)) {
        begin_range(p, thread, &span);
    } else {
        begin_push(p, thread, &span);
    }
}

/* --- operations of GPUs ----------------------------------------------------------------------- */

static uint32_t operation_name(struct nsight *n, sqlite3_stmt *row) {
    static const char *const copies[] = {
        "",      " HtoD", " DtoH", " HtoA", " AtoH",         " AtoA",         " AtoD",
        " DtoA", " DtoD", " HtoH", " PtoP", " Unified HtoD", " Unified DtoH", " Unified DtoD"};
    long long id = integer(row, OP_NAME), most = sizeof(copies) / sizeof(copies[0]) - 1;
    char name[64] = "[CUDA memset]";

    switch (integer(row, OP_TABLE)) {
    case KERNEL:
        return string_of(n, row, OP_NAME);
    case MEMCPY:
        snprintf(name, sizeof(name), "[CUDA memcpy%s]", copies[id > 0 && id <= most ? id : 0]);
        break;
    case GRAPH:
        snprintf(name, sizeof(name), "[CUDA graph %lld]", id);
        break;
    }
    return add_text(n, name);
}

/* Hands out an operation as a child of the range that launched it. */
static void add_launch(struct pass *p, sqlite3_stmt *row, struct span *span) {
    const struct span *outer = NULL;

    if (span->launch > INT64_MIN) {
        size_t thread = number_of_thread(p, integer(row, OP_TID), (int64_t)span->process->number);
        struct thread *t = &p->threads[thread];
        end_ranges(p, span->launch);
        end_pushes(p, t, span->launch);
        outer = t->nesting.top != NESTING_NONE ? &t->nesting.all[t->nesting.top].span : NULL;
    }
    span->place = p->enter ? p->enter(p->arg, span, outer) & SPAN_PLACE : 0;
    p->f(p->arg, span);
}

static void on_operation(struct pass *p, sqlite3_stmt *row) {
    struct nsight *n = p->n;
    bool launches = n->source.by_launch;
    int64_t start = integer(row, START), end = integer(row, END);
    int64_t process = process_of(n, integer(row, OP_PID), false);

    /* Nsight Systems gives both times as 0 if it could not collect them. */
    if (process < 0 || !has(row, START) || !is_time(start, end) || start < n->at->first ||
        (!start && !end)) {
        n->bad_ops++;
        return;
    }
    size_t lane = lane_of(n, row, process, launches ? INT64_MAX : start);
    uint32_t tid = SOURCE_LANES + (uint32_t)lane;
    struct span span = {.process = &n->source.processes[process],
                        .tid = tid,
                        .end_tid = tid,
                        .stream = tid,
                        .start = start + n->at->shift,
                        .end = end + n->at->shift,
                        .text = operation_name(n, row),
                        .domain = domain_of(n, process, GPU_DOMAIN),
                        .domain_name = n->gpu_text,
                        .on_gpu = true,
                        .style = !launches && n->lane_ends[lane] > start ? SPAN_START_END
                                                                         : SPAN_PUSH_POP};
    if (sqlite3_column_int(row, OP_TABLE) == MEMCPY) {
        span.payload_type = REC_PAYLOAD_U64;
        span.payload = (uint64_t)integer(row, OP_BYTES);
    }
    span.self = filter_within(n->source.filter, span.start, span.end);
    span.busy = span.inclusive = span.self;
    p->totals.events += 2;
    if (n->source.launches || launches) {
        span.launch = has(row, OP_LAUNCH) ? integer(row, OP_LAUNCH) + n->at->shift : INT64_MIN;
        span.end_tid = has(row, OP_LAUNCH) ? (uint32_t)integer(row, OP_TID) & 0xffffff : tid;
    }
    if (launches) {
        add_launch(p, row, &span);
        return;
    }
    n->lane_ends[lane] = end > n->lane_ends[lane] ? end : n->lane_ends[lane];
    if (p->enter && span.style == SPAN_PUSH_POP) {
        uint32_t place = p->enter(p->arg, &span, NULL);
        span.place = place & SPAN_PLACE;
        span.is_hidden = place & SPAN_HIDDEN;
    }
    p->f(p->arg, &span);
}

/* --- a pass ----------------------------------------------------------------------------------- */

/* Several calls may have the same correlationId: for example, a call of the runtime and the call of
 * the driver within it. The first of these calls counts as the launch. */
#define LAUNCHES                                                                                   \
    "SELECT o.*, c.globalTid, c.at FROM o LEFT JOIN (SELECT globalTid >> 24 AS pid, "              \
    "correlationId AS call, "                                                                      \
    "globalTid, min(CAST(start AS INTEGER)) AS at FROM CUPTI_ACTIVITY_KIND_RUNTIME WHERE "         \
    "CAST(start AS INTEGER) BETWEEN -" TIME_MOST " AND " TIME_MOST                                 \
    " GROUP BY 1, 2) c ON c.pid = o.pid >> 24 AND c.call = o.call ORDER BY "

static void free_pass(struct pass *p) {
    p->n->source.error = p->n->source.error ? p->n->source.error : p->n->at->db.error;
    for (size_t i = 0; i < p->thread_count; i++) {
        free(p->threads[i].ends.all);
        nesting_free(&p->threads[i].nesting);
    }
    for (size_t i = 0; i < p->ends.count; i++) {
        free((void *)(uintptr_t)p->ends.all[i].item);
    }
    free(p->ends.all);
    free(p->threads);
    map_free(&p->thread_index);
}

/* A pass over the file n->at. `done`: how many rows the previous files have. Returns `done` plus
 * the number of rows of this file. */
static uint64_t spans_of_part(struct pass *p, uint64_t done) {
    struct nsight *n = p->n;
    struct source *s = &n->source;
    int time = s->by_launch ? OP_LAUNCH : START;
    bool has_calls = true;

    for (size_t i = 0; i < 3; i++) {
        static const char *const needed[] = {"correlationId", "globalTid", "start"};
        has_calls = has_calls && database_has(&n->at->db, "CUPTI_ACTIVITY_KIND_RUNTIME", needed[i]);
    }
    n->lacks_calls |= s->by_launch && !has_calls;
    const char *in_order =
        s->launches && has_calls ? LAUNCHES "1" : "SELECT *, NULL, NULL FROM o ORDER BY 1";
    sqlite3_stmt *ops = operations(n, !s->by_launch ? in_order
                                      : has_calls   ? LAUNCHES "at"
                                                    : "SELECT *, NULL, NULL FROM o");
    sqlite3_stmt *rows =
        events(n, n->at->is_sorted ? "SELECT * FROM e"
                                   : "SELECT * FROM e ORDER BY start, end IS NULL DESC, end DESC");

    bool has_event = database_step(&n->at->db, rows), has_op = database_step(&n->at->db, ops);
    for (; (has_event || has_op) && !s->enough; done++) {
        if (s->progress && done % 65536 == 0) {
            s->progress("reading", done, n->rows);
        }
        /* A range that starts at the time of a launch is taken before the operation, because this
         * range counts as the one that launched it. Operations without a launch come first. */
        if (!has_op ||
            (has_event && has(ops, time) && integer(rows, START) <= integer(ops, time))) {
            on_event(p, rows);
            has_event = database_step(&n->at->db, rows);
        } else {
            on_operation(p, ops);
            has_op = database_step(&n->at->db, ops);
        }
    }
    if (!s->enough) {
        end_ranges(p, INT64_MAX);
    }
    for (size_t i = 0; i < p->thread_count && !s->enough; i++) {
        end_pushes(p, &p->threads[i], INT64_MAX);
    }
    sqlite3_finalize(rows);
    sqlite3_finalize(ops);
    return done;
}

static void spans(struct source *s, span_function *f, span_enter *enter, void *arg,
                  struct span_totals *ret_totals) {
    struct nsight *n = nsight_of(s);
    uint64_t done = 0;

    *ret_totals = (struct span_totals){.threads = s->by_launch ? 0 : n->lane_count};
    s->enough = false;
    for (size_t i = 0; i < n->lane_count; i++) {
        n->lane_ends[i] = INT64_MIN;
    }
    n->bad_ops = 0;
    n->lacks_calls &= s->is_again;
    for (size_t i = 0; i < n->part_count && !s->enough; i++) {
        struct pass p = {.n = n, .f = f, .enter = enter, .arg = arg, .totals = *ret_totals};
        n->at = &n->parts[i];
        done = spans_of_part(&p, done);
        *ret_totals = p.totals;
        ret_totals->threads += p.thread_count;
        free_pass(&p);
        if (n->part_count > 1) {
            sqlite3_db_release_memory(n->at->db.db); /* otherwise every file keeps its cache */
        }
    }
}

/* --- opening ---------------------------------------------------------------------------------- */

/* "MPI Rank 3" is how Nsight Systems names the main threads of MPI programs. */
static void parse_rank(struct source_process *p, const char *name) {
    char *end;
    unsigned long rank =
        strncmp(name, "MPI Rank ", 9) ? REC_RANK_NONE : strtoul(name + 9, &end, 10);

    p->identity.rank =
        rank < REC_RANK_NONE && end > name + 9 && !*end ? (uint32_t)rank : p->identity.rank;
}

static void on_name(struct nsight *n, sqlite3_stmt *row, int64_t process, int64_t type) {
    uint32_t domain = domain_of(n, process, integer(row, DOMAIN));
    uint32_t text = message_of(n, row);
    struct source_process *p = &n->source.processes[process];

    if (type == TYPE_DOMAIN && domain) {
        *map_add(&p->domains, domain, text) = text;
        *name_of_domain(n, p, integer(row, DOMAIN)) = text;
        n->has_own_gpu |= text == n->gpu_text;
    } else if (type == TYPE_CATEGORY) {
        source_name_add(&p->categories, domain, (uint32_t)integer(row, CATEGORY), text);
    } else if (type == TYPE_THREAD) {
        source_name_add(&p->threads, 0, (uint32_t)integer(row, TID) & 0xffffff, text);
        parse_rank(p, string_table_get(&n->source.strings, text));
    }
}

static void see(struct nsight *n, int64_t start, int64_t end) {
    n->at->first = start < n->at->first ? start : n->at->first;
    n->at->last = end > n->at->last ? end : n->at->last;
}

/* Finds processes, times and names. */
static void scan_events(struct nsight *n) {
    sqlite3_stmt *row = events(n, "SELECT * FROM e");
    int64_t before = INT64_MIN, before_end = 0;

    n->at->is_sorted = true;
    for (; database_step(&n->at->db, row); n->rows++) {
        bool is_open = !has(row, END);
        int64_t start = integer(row, START);
        int64_t end = is_open ? start : integer(row, END);
        int64_t process = process_of(n, integer(row, TID), true);
        if ((!start && !has(row, START)) || !is_time(start, end)) {
            n->bad++;
            continue;
        }
        n->at->has_ranges = n->at->has_ranges || is_range(row);
        see(n, start, end);
        end = is_open ? INT64_MAX : end;
        n->at->is_sorted &= start > before || (start == before && end <= before_end);
        before = start;
        before_end = end;
        on_name(n, row, process, integer(row, TYPE));
    }
    sqlite3_finalize(row);
}

/* Finds processes, times and lanes. */
static void scan_operations(struct nsight *n) {
    sqlite3_stmt *row = operations(
        n, "SELECT min(start),max(end),pid,device,context,stream,count(*) FROM o WHERE start >= "
           "-" TIME_MOST " AND start <= end AND end <= " TIME_MOST
           " AND (start <> 0 OR end <> 0) GROUP BY 3,4,5,6");

    while (database_step(&n->at->db, row)) {
        int64_t process = process_of(n, integer(row, OP_PID), true);
        n->rows += (uint64_t)integer(row, OP_STREAM + 1);
        see(n, integer(row, START), integer(row, END));
        domain_of(n, process, GPU_DOMAIN);
        n->source.has_operations = true;
        lane_of(n, row, process, INT64_MAX);
    }
    sqlite3_finalize(row);
}

/* Takes the system's name of a thread that has no other name. Does not take the program's name,
 * because each thread has that name at first. */
static void on_thread_name(struct nsight *n, sqlite3_stmt *row, struct source_process *p) {
    uint32_t tid = (uint32_t)integer(row, 0) & 0xffffff, name = string_of(n, row, 1);
    const char *text = string_table_get(&n->source.strings, name);

    if (!source_thread(p, tid) && strncmp(text, source_program(&n->source, p), 15) != 0) {
        source_name_add(&p->threads, 0, tid, name);
    }
}

static void on_mpi_rank(struct nsight *n, sqlite3_stmt *row, struct source_process *p) {
    (void)n;
    p->identity.rank = has(row, 1) ? (uint32_t)integer(row, 1) : p->identity.rank;
}

static void on_program(struct nsight *n, sqlite3_stmt *row, struct source_process *p) {
    p->exe = text_of_column(n, row, 1);
}

/* Takes a row of NVTXH_PROCESSES, a table that nvtxh export writes. */
static void on_identity(struct nsight *n, sqlite3_stmt *row, struct source_process *p) {
    uint32_t *to[] = {&p->identity.rank, &p->identity.local_rank, &p->identity.world};

    p->host = string_table_get(&n->source.strings, text_of_column(n, row, 1));
    for (int i = 0; i < 3; i++) {
        bool is_known = has(row, 2 + i);
        *to[i] = is_known ? (uint32_t)integer(row, 2 + i) : *to[i];
    }
    snprintf(p->identity.job, sizeof(p->identity.job), "%s",
             string_table_get(&n->source.strings, text_of_column(n, row, 5)));
}

/* Calls f for each row about a process with events. Column 0 must be a globalPid or globalTid. */
static void scan(struct nsight *n, const char *table, const char *columns,
                 void (*f)(struct nsight *n, sqlite3_stmt *row, struct source_process *p)) {
    sqlite3_stmt *row = database_select(&n->at->db, table, columns, "");

    while (database_step(&n->at->db, row)) {
        int64_t process = process_of(n, integer(row, 0), false);
        if (process >= 0) {
            f(n, row, &n->source.processes[process]);
        }
    }
    sqlite3_finalize(row);
}

/* Takes the time when the session began. Sets the host of the file's processes that have none. */
static void scan_session(struct nsight *n, size_t processes_before) {
    struct source *s = &n->source;
    sqlite3_stmt *start =
        database_select(&n->at->db, "TARGET_INFO_SESSION_START_TIME", "utcEpochNs", "");
    sqlite3_stmt *host =
        database_select(&n->at->db, "TARGET_INFO_SYSTEM_ENV", "value", " WHERE name = 'Hostname'");
    n->at->epoch = database_step(&n->at->db, start) ? integer(start, 0) : 0;
    uint32_t name = database_step(&n->at->db, host) ? text_of_column(n, host, 0) : 0;

    for (size_t i = processes_before; i < s->process_count; i++) {
        struct source_process *p = &s->processes[i];
        p->host = *p->host ? p->host : string_table_get(&s->strings, name);
        s->hosts_differ |= strcmp(p->host, s->processes[0].host) != 0;
    }
    sqlite3_finalize(start);
    sqlite3_finalize(host);
}

/* Puts the times of all files on one axis, by the times at which their sessions began. False with a
 * message if that is not possible. */
static bool align(struct nsight *n, struct error *ret_error) {
    struct source *s = &n->source;
    uint64_t identity = s->strings.count;

    s->start = UINT64_MAX;
    for (size_t i = 0; i < n->part_count; i++) {
        uint64_t start = (uint64_t)n->parts[i].epoch + (uint64_t)n->parts[i].first;
        s->start = start < s->start ? start : s->start;
        identity = map_mix(identity, n->parts[i].identity);
    }
    for (size_t i = 0; i < n->part_count; i++) {
        struct part *p = &n->parts[i];
        p->shift = (int64_t)((uint64_t)p->epoch - s->start);
        if (p != n->at && p->identity == n->at->identity) {
            return error_set(ret_error, "it is given twice, or is a copy of another file");
        }
        if (n->part_count > 1 && (!p->epoch || !is_time(0, p->shift))) {
            return error_set(
                ret_error,
                "no time that all files count from: TARGET_INFO_SESSION_START_TIME of this file or "
                "another one does not say when it was recorded");
        }
    }
    memcpy(s->session, (uint64_t[]){s->start, identity}, sizeof(s->session));
    return true;
}

static void close_source(struct source *s) {
    struct nsight *n = nsight_of(s);

    for (size_t i = 0; i < n->part_count; i++) {
        sqlite3_finalize(n->parts[i].string);
        sqlite3_finalize(n->parts[i].payload);
        database_close(&n->parts[i].db);
        map_free(&n->parts[i].strings);
    }
    free(n->parts);
    map_free(&n->processes);
    map_free(&n->again);
    map_free(&n->domains);
    map_free(&n->named);
    map_free(&n->lanes);
    free(n->lane_ends);
    source_free(s);
    free(n);
}

static const char *damage(const struct source *s, char *buffer, size_t size) {
    const struct nsight *n = nsight_of(s);
    uint64_t bad = n->bad + n->bad_ops;
    size_t lacking = 0;

    *buffer = 0;
    if (bad) {
        text_append(
            buffer, size, "; ", "%llu %s left out", (unsigned long long)bad,
            PLURAL(bad, "row with impossible times was", "rows with impossible times were"));
    }
    if (n->lacks_calls && s->has_operations) {
        text_append(buffer, size, "; ",
                    "which range launched an operation is not known: the file lacks calls of "
                    "CUDA, which nsys profile --trace=cuda records");
    }
    for (size_t i = 0; i < n->part_count; i++) {
        lacking += !n->parts[i].has_ranges;
    }
    if (lacking) {
        char of[64] = "";
        if (n->part_count > 1) {
            snprintf(of, sizeof(of), " in %zu of the %zu files", lacking, n->part_count);
        }
        text_append(buffer, size, "; ", "no NVTX ranges were recorded%s%s", of,
                    n->is_export ? "" : "; nsys profile --trace=nvtx records them");
    }
    return *buffer ? buffer : NULL;
}

static void notes(const struct source *s, bool is_after, FILE *out) {
    struct nsight *n = nsight_of(s);

    for (size_t i = 0; is_after && i < n->part_count; i++) {
        metadata_print_warnings(&n->parts[i].db, out);
    }
}

/* Sets rank and job of a file's processes, from the environment of nsys, if none has a rank. */
static void scan_identity(struct nsight *n, size_t processes_before) {
    struct source *s = &n->source;
    struct rec_identity found;

    for (size_t i = processes_before; i < s->process_count; i++) {
        if (s->processes[i].identity.rank != REC_RANK_NONE) {
            return;
        }
    }
    metadata_identity(&n->at->db, s->process_count - processes_before > 1, &found);
    for (size_t i = processes_before; i < s->process_count; i++) {
        s->processes[i].identity = found;
    }
}

static bool add_file(struct source *s, const char *path, struct error *ret_error) {
    struct nsight *n = nsight_of(s);
    size_t processes = s->process_count;
    uint64_t rows = n->rows;

    n->at = ARRAY_NEW(n->parts, n->part_count, n->part_capacity);
    *n->at = (struct part){0};
    if (!database_open(&n->at->db, path, ret_error)) {
        return false;
    }
    bool is_report = metadata_is_report(&n->at->db);
    n->at->string = database_select(&n->at->db, "StringIds", "value", " WHERE id = ?");
    n->at->payload =
        database_select(&n->at->db, "NVTX_EVENTS", PAYLOAD_COLUMNS, " WHERE rowid = ?");
    scan_events(n);
    scan_operations(n);
    scan(n, "PROCESSES", "globalPid name", on_program);
    scan(n, "MPI_RANKS", "globalTid rank", on_mpi_rank);
    scan(n, "NVTXH_PROCESSES", "globalPid host rank localRank worldSize job", on_identity);
    scan(n, "ThreadNames", "globalTid nameId", on_thread_name);
    scan_session(n, processes);
    n->is_export |= metadata_is_export(&n->at->db);
    if (!n->is_export) {
        scan_identity(n, processes);
    }
    uint64_t numbers[] = {n->rows - rows, (uint64_t)n->at->first, (uint64_t)n->at->last,
                          (uint64_t)n->at->epoch};
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
        n->at->identity = map_mix(n->at->identity, numbers[i]);
    }
    s->is_empty = !s->process_count;
    /* names of kernels are shortened, unless the program has a domain "GPU", too */
    s->functions = n->has_own_gpu ? 0 : n->gpu_text;
    if (n->at->db.error) {
        return error_set(ret_error, "cannot read the database: %s", sqlite3_errmsg(n->at->db.db));
    }
    if (!is_report) {
        return error_set(ret_error, "an SQLite database, but not of Nsight Systems: it has none of "
                                    "the tables of nsys export --type sqlite");
    }
    return align(n, ret_error);
}

static const struct source_kind kind = {.add = add_file,
                                        .close = close_source,
                                        .spans = spans,
                                        .payload = payload,
                                        .notes = notes,
                                        .damage = damage};

struct source *nsight_open(const char *path, struct error *ret_error) {
    struct nsight *n = must_alloc(NULL, 1, sizeof(*n));

    *n = (struct nsight){
        .source = {
            .kind = &kind, .command = "", .from = INT64_MIN, .to = INT64_MAX, .is_over = true}};
    n->gpu_text = add_text(n, "GPU");
    if (!add_file(&n->source, path, ret_error)) {
        close_source(&n->source);
        return NULL;
    }
    return &n->source;
}
