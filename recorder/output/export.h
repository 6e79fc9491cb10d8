/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once
/* The formats to which a recording can be exported, and the helpers that several formats share: the
 * names of events, the rows of a viewer. */
#include "../util/heap.h"
#include "../util/map.h"
#include "../analysis/source.h"
#include "../analysis/span.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* The formats, in the order of --help. The function of a format NAME is export_NAME(), in NAME.c.
 * The second argument of WITH is a library that the format needs: a build without this library has
 * no export_NAME(). The other arguments initialize members of struct export_format. */
/* clang-format off */
#define FORMATS(ALWAYS, WITH)                                                                      \
    WITH(sqlite, "libsqlite3 (Debian: libsqlite3-dev)",                                            \
         .what = "the tables of Nsight Systems: `nsys stats -r nvtxsum OUT.sqlite` reads them",    \
         .open = "read it with nsys stats (if its name ends in .sqlite) or sqlite3", .output = EXPORT_TO_FILE)\
    WITH(perfetto, "protobuf-c (Debian: libprotobuf-c-dev, protobuf-c-compiler)",                  \
         .what = "for the Perfetto UI and its trace processor",                                    \
         .open = "open it in https://ui.perfetto.dev", .output = EXPORT_BINARY)                    \
    ALWAYS(chrome, .what = "JSON for the Perfetto UI, chrome://tracing, speedscope",               \
         .open = "open it in https://ui.perfetto.dev or https://www.speedscope.app")               \
    WITH(parquet, "carquet (sh -c '. tests/setup.sh; need_carquet', then build it again)",         \
         .what = "a directory of Parquet files for DuckDB, Spark and the like, of one recording or more",              \
         .open = "docs/ranks.md has queries", .output = EXPORT_TO_FOLDER)                          \
    WITH(html, "zlib (Debian: zlib1g-dev)",                                                        \
         .what = "the page of `nvtxh view`, for a browser", .open = "open it in a browser")        \
    ALWAYS(folded, .what = "self time in ns per path of nested ranges, for flame graphs",          \
         .open = "make a flame graph of it with flamegraph.pl --countname ns, or inferno-flamegraph")                  \
    ALWAYS(csv, .what = "one row per range or mark, with everything that is known of it",          \
         .open = "read it with pandas, or import it into a spreadsheet")
/* clang-format on */

enum export_output {
    EXPORT_TEXT,      /* to the stream job.out */
    EXPORT_BINARY,    /* to job.out, which must not be a terminal */
    EXPORT_TO_FILE,   /* to job.path */
    EXPORT_TO_FOLDER, /* files in job.folder, which several recordings can share */
};

/* The directory of an export. Several recordings can be exported to it, one after the other. */
struct export_folder {
    const char *path;
    bool force; /* replace existing files */
    struct string_table
        places;       /* paths of directories with files, below FOLDER/TABLE/: see parquet.c */
    struct map parts; /* number of a directory in `places` -> how many processes it has */
    char **files;     /* the paths of the files that were created */
    size_t count, capacity;
    uint64_t rows; /* rows that were written, except to the table of processes */
};

struct export_job {
    struct source *source;
    const char *name;       /* name of `source`, which the output shows; or NULL */
    struct source *against; /* only html: a source to compare `source` with; NULL: none */
    const char *against_name;
    FILE *out;
    const char *path; /* for EXPORT_TO_FILE: the path of an empty file */
    struct export_folder *folder;
};

/* The function of a format. Returns false with a message on failure. spans_in_order and
 * spans_by_thread fail if the source could not be read. spans_each and tree_make return void, so
 * the function calls source_was_read after them. The command checks ferror(job->out). In a format
 * that needs a message for each span, a span without one gets "(no message)". */
typedef bool export_function(const struct export_job *job, struct error *ret_error);

#define EXPORT_DECLARE(name, ...) export_function export_##name;
#define EXPORT_DECLARE_WEAK(name, ...) __attribute__((weak)) export_function export_##name;
FORMATS(EXPORT_DECLARE, EXPORT_DECLARE_WEAK)

struct export_format {
    const char *name;    /* the argument of --format */
    const char *what;    /* for --help */
    const char *open;    /* for people: how to open the output */
    const char *library; /* the library that the format needs; NULL: none */
    enum export_output output;
    export_function *write; /* NULL if nvtxh was built without the format */
};

#define EXPORT_NUMBER(name, ...) EXPORT_##name,
enum { FORMATS(EXPORT_NUMBER, EXPORT_NUMBER) EXPORT_FORMATS };
extern const struct export_format export_formats[EXPORT_FORMATS];

/* Writes a recording in a format. Fails with a message if nvtxh was built without the format's
 * library. */
bool export_write(const struct export_format *format, const struct export_job *job,
                  struct error *ret_error);

/* Removes the files that a failed export has created. Directories remain. */
void export_folder_abandon(const struct export_folder *folder);

void export_folder_free(struct export_folder *folder);

/* --- rows of viewers -------------------------------------------------------------------------- */

/* Finds rows of a viewer in which ranges can be drawn. The ranges must come in the order of their
 * beginnings. A zeroed struct is the initial state. A key is the caller's number for something that
 * has rows of its own, for example for a thread. */

struct viewer_rows {
    struct map keys;    /* key -> index in `all` */
    struct viewer_row { /* the rows of a key */
        int64_t *ends;  /* for viewer_rows_nests: the ends of open ranges, outermost first */
        size_t count, capacity;
        /* For viewer_rows_empty. `busy` has the rows with an open range, ordered by the range's
         * end; `empty` has the rows without an open range, ordered by their number. */
        struct heap busy, empty;
    } * all;
    size_t count, capacity;
};

/* Returns whether a range nests with the ranges that `key` has so far, so that one row can show all
 * of them. If so, adds the range. Ranges of two domains may overlap without nesting. */
bool viewer_rows_nests(struct viewer_rows *rows, uint64_t key, const struct span *span);

/* Adds `span` to a row of `key` that has no open range. Returns the row's number, from 0 on. */
uint32_t viewer_rows_empty(struct viewer_rows *rows, uint64_t key, const struct span *span);

void viewer_rows_free(struct viewer_rows *rows);
