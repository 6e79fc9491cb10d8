/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_EXPORT_H
#define NVTXH_EXPORT_H
/* What a recording can be exported to: one function per format, and the table of them. */
#include "../read/recording.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Each returns false with a message on failure, also if nvtxh was built without the format. */
bool export_chrome(struct recording *r, FILE *out, char *ret_error, size_t error_size);
bool export_csv(struct recording *r, FILE *out, char *ret_error, size_t error_size);
bool export_firefox(struct recording *r, FILE *out, char *ret_error, size_t error_size);
bool export_folded(struct recording *r, FILE *out, char *ret_error, size_t error_size);
bool export_html(struct recording *r, FILE *out, char *ret_error, size_t error_size);
bool export_perfetto(struct recording *r, FILE *out, char *ret_error, size_t error_size);
bool export_speedscope(struct recording *r, FILE *out, char *ret_error, size_t error_size);
bool export_sqlite(struct recording *r, const char *path, char *ret_error, size_t error_size);
bool export_text(struct recording *r, FILE *out, char *ret_error, size_t error_size);

struct export_format {
    const char *name; /* after --to */
    const char *what; /* for --help */
    const char *open; /* what to do with the file; NULL: print nothing */
    bool (*write)(struct recording *r, FILE *out, char *ret_error, size_t error_size);
    /* In place of `write` for a format that needs a file of its own: `path` is an empty file. */
    bool (*write_file)(struct recording *r, const char *path, char *ret_error, size_t error_size);
    /* In place of both: parquet.h makes a directory of files from one recording or more. */
    bool directory;
    const char *suffix, *reader; /* not NULL: `reader` wants the file's name to end in `suffix` */
};

enum {
    EXPORT_SQLITE,
    EXPORT_PERFETTO,
    EXPORT_CHROME,
    EXPORT_PARQUET,
    EXPORT_HTML,
    EXPORT_SPEEDSCOPE,
    EXPORT_FIREFOX,
    EXPORT_FOLDED,
    EXPORT_CSV,
    EXPORT_TEXT,
    EXPORT_FORMATS
};
extern const struct export_format export_formats[EXPORT_FORMATS]; /* in the order of --help */

/* Copies recordings, chunk by chunk, into the new one that is open at `fd`. A recording whose file is closed is
 * opened by its path while it is copied. False with errno. */
bool merge_recordings(struct recording *parts, char *const *paths, size_t count, int fd);

#endif /* NVTXH_EXPORT_H */
