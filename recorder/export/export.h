/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_EXPORT_H
#define NVTXH_EXPORT_H
/* What a recording can be exported to: the list of formats, each with its function, and what
 * several of them share: names, rows of viewers, stacks. */
#include "../base/heap.h"
#include "../base/map.h"
#include "../source/source.h"
#include "../source/span.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* The formats, in the order of --help. Format x is export_x(), in x.c; the macro's other arguments
 * are members of its struct export_format. A build without the library that WITH names has no
 * export_x(). */
/* clang-format off */
#define FORMATS(ALWAYS, WITH)                                                                      \
    WITH(sqlite, "libsqlite3 (Debian: libsqlite3-dev)",                                            \
         .what = "the tables of Nsight Systems: `nsys stats -r nvtxsum OUT.sqlite` reads them",    \
         .open = "read it with nsys stats or sqlite3", .traits = EXPORT_TO_FILE, .suffix = ".sqlite", .reader = "nsys")\
    WITH(perfetto, "protobuf-c (Debian: libprotobuf-c-dev, protobuf-c-compiler)",                  \
         .what = "for the Perfetto UI and its trace processor",                                    \
         .open = "open it in https://ui.perfetto.dev", .traits = EXPORT_BINARY)                    \
    ALWAYS(chrome, .what = "JSON for the Perfetto UI, chrome://tracing, speedscope",               \
         .open = "open it in https://ui.perfetto.dev or https://www.speedscope.app", .unit = "microseconds")           \
    WITH(parquet, "carquet (sh -c '. tests/setup.sh; need_carquet', then build it again)",         \
         .what = "a directory of Parquet files for DuckDB, Spark and the like, of one recording or more",              \
         .open = "docs/ranks.md has queries", .traits = EXPORT_TO_FOLDER)                          \
    WITH(html, "zlib (Debian: zlib1g-dev)",                                                        \
         .what = "the page of `nvtxh view`, for a browser", .open = "open it in a browser")        \
    ALWAYS(speedscope, .what = "the nested ranges of each thread, for speedscope",                 \
         .open = "open it in https://www.speedscope.app")                                          \
    ALWAYS(firefox, .what = "for the Firefox Profiler: ranges as stacks, marks as markers",        \
         .open = "open it in https://profiler.firefox.com")                                        \
    ALWAYS(folded, .what = "self time in ns per path of nested ranges, for flame graphs",          \
         .open = "make a flame graph of it with flamegraph.pl --countname ns, or inferno-flamegraph")                  \
    ALWAYS(csv, .what = "one row per range or mark, with everything that is known of it",          \
         .open = "open it in a spreadsheet or with pandas", .traits = EXPORT_CSV)                  \
    ALWAYS(text, .what = "one line per range or mark, for people: start, duration, thread, name",  \
         .open = "read it with less", .unit = "milliseconds")
/* clang-format on */

/* A format without EXPORT_TO_FILE and EXPORT_TO_FOLDER writes to job.out. */
enum export_trait {
    EXPORT_TO_FILE = 1,   /* writes to job.path */
    EXPORT_TO_FOLDER = 2, /* writes files into job.folder, which several recordings can share */
    EXPORT_BINARY = 4,    /* not for a terminal */
    EXPORT_CSV = 8,       /* quote_csv_guard makes the output safe for spreadsheets */
};

/* A directory of files. Several recordings can be exported to it, one after the other. */
struct export_folder {
    const char *path;
    bool force;          /* replace files that are there */
    struct texts places; /* directories of processes, relative to the directory of a table */
    struct map parts;    /* number of a place in `places` -> how many processes it has so far */
    char **files;        /* the paths of the files that were made */
    size_t count, room;
    uint64_t rows; /* rows written, without those of processes */
};

struct export_job {
    struct source *source;
    const char *name;       /* of the source, for readers of the output; NULL: none */
    struct source *against; /* to compare `source` with, if the format can; NULL: none */
    const char *against_name;
    FILE *out;
    const char *path; /* of an empty file, for EXPORT_TO_FILE */
    struct export_folder *folder;
};

/* Returns false with a message on failure. spans_in_order, spans_by_thread and stacks_each fail if
 * the file could not be read; after spans_each and tree_make the exporter calls source_was_read.
 * The command checks ferror(job->out). A span without a message is shown as "(no message)", unless
 * the format can leave a message out. */
typedef bool export_function(const struct export_job *job, struct error *ret_error);

#define EXPORT_DECLARE(name, ...) export_function export_##name;
#define EXPORT_DECLARE_WEAK(name, ...) __attribute__((weak)) export_function export_##name;
FORMATS(EXPORT_DECLARE, EXPORT_DECLARE_WEAK)

struct export_format {
    const char *name;            /* after --to */
    const char *what;            /* for --help */
    const char *open;            /* for people: what to do with the result */
    const char *unit;            /* of its times; NULL: nanoseconds */
    const char *suffix, *reader; /* not NULL: `reader` wants the file's name to end in `suffix` */
    const char *library;         /* needed for the format; NULL: none */
    unsigned traits;             /* of enum export_trait */
    export_function *write;      /* NULL if nvtxh was built without the format */
};

#define EXPORT_NUMBER(name, ...) EXPORT_##name,
enum { FORMATS(EXPORT_NUMBER, EXPORT_NUMBER) EXPORT_FORMATS };
extern const struct export_format export_formats[EXPORT_FORMATS];

/* Writes a recording in a format. Fails with a message if nvtxh was built without the format's
 * library. */
bool export_write(const struct export_format *format, const struct export_job *job,
                  struct error *ret_error);

/* Removes the files that were made, after the export has failed. Directories remain. */
void export_folder_abandon(const struct export_folder *folder);

void export_folder_free(struct export_folder *folder);

/* --- the names under which viewers show events, processes and categories ---------------------- */

/* An event: its message, or "(no message)". */
const struct text *label_event(const struct source *source, const struct span *s);

/* The name of a span's category, or "". */
const char *label_category(const struct source *source, const struct span *s);

/* A process: its executable, its rank if it has one, and the host if there are several. Free it. */
char *label_process(const struct source *source, const struct source_process *p, size_t *ret_size);

/* A thread: its number and name, and the process if there are several. Free it. */
char *label_thread(const struct source *source, const struct source_process *p, uint32_t tid,
                   size_t *ret_size);

/* A range: domain:message, in the default domain the message alone. Free it. */
char *label_range(const struct source *source, uint32_t domain_name, uint32_t text,
                  size_t *ret_size);

/* The pid. If several processes of the recording had the same pid, each gets a different number. */
uint32_t label_pid(const struct source_process *p);

/* --- rows of viewers -------------------------------------------------------------------------- */

/* Finds a row of a viewer in which a range can be drawn, for ranges in the order of their
 * beginnings. A zeroed struct is the initial state. A key is the number of something that has rows
 * of its own, for example of a thread. */

struct viewer_rows {
    struct map keys;    /* key -> index in `all` */
    struct viewer_row { /* what is known about a key */
        int64_t *ends;  /* for viewer_rows_nests: ends of open ranges, outermost first */
        size_t count, room;
        /* For viewer_rows_empty. busy: rows with an open range, by the range's end; empty: rows
         * without an open range, by number. */
        struct heap busy, empty;
    } * all;
    size_t count, room;
};

/* Whether a range and the earlier ranges of KEY nest, so that one row can show them. Ranges of two
 * domains may overlap without nesting. */
bool viewer_rows_nests(struct viewer_rows *rows, uint64_t key, const struct span *span);

/* The number of a row of this key, from 0, in which no range is open when the span begins. */
uint32_t viewer_rows_empty(struct viewer_rows *rows, uint64_t key, const struct span *span);

void viewer_rows_free(struct viewer_rows *rows);

/* --- stacks ----------------------------------------------------------------------------------- */

/* The push/pop ranges of each thread as frames of one stack, for viewers that only show stacks.
 * Where ranges of two domains overlap, the inner frame is closed at the outer frame's end and
 * opened again, to keep its time. */
struct stack_name {
    uint32_t domain_name, text;
};

struct stacks {
    struct source *source;
    struct map index; /* domain_name << 32 | text -> index in `names` */
    struct stack_name *names;
    size_t name_count, name_room;
    struct stack_open {
        uint32_t name;
        int64_t end, first_end; /* first_end: the earliest end of the frame and its outer frames */
    } * open;                   /* outermost first */
    size_t open_count, open_room;
    const struct source_process *process; /* of the current thread; NULL: no thread so far */
    uint32_t tid;
    const struct stacks_functions *functions;
    void *arg;
};

/* Called thread by thread, in the order of time. `begin` and `end` enclose the calls for a thread.
 * `open` and `close` get the frame stacks.names[name]. */
struct stacks_functions {
    void (*begin)(void *arg, const struct source_process *process, uint32_t tid);
    void (*open)(void *arg, uint32_t name, int64_t at);
    void (*close)(void *arg, uint32_t name, int64_t at);
    void (*other)(void *arg, const struct span *span); /* gets all other spans; may be NULL */
    void (*end)(void *arg);
};

/* Calls `functions` for a whole recording. False with a message. In any case, call stacks_free. */
bool stacks_each(struct stacks *s, struct source *source, const struct stacks_functions *functions,
                 void *arg, struct error *ret_error);

uint32_t stacks_name(struct stacks *s, uint32_t domain_name, uint32_t text);
void stacks_free(struct stacks *s);

#endif /* NVTXH_EXPORT_H */
