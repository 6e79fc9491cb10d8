/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "parquet_file.h"
#include "../util/memory.h"
#include "../format/create.h"
#include "quote.h"

#include <carquet/carquet.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* BATCH: rows that are passed to the library at once. GROUP: rows of a row group; queries can skip
 * whole groups. */
enum { BATCH = 8192, GROUP = 16 * BATCH };

struct column {
    enum parquet_kind kind;
    bool optional;
    int16_t there[BATCH]; /* by row: 1 if the cell has a value, 0 if it is NULL */
    size_t count;         /* how many values the column has in the batch; NULL is no value */
    union {
        int64_t integers[BATCH];
        double reals[BATCH];
        carquet_byte_array_t strings[BATCH];
    };
    size_t starts[BATCH]; /* by value: offset of its text in `bytes`, which moves as it grows */
    char *bytes;
    size_t used, capacity;
};

struct parquet_file {
    const char *path;
    FILE *out;
    carquet_writer_t *writer;
    struct column *columns;
    size_t column_count;
    size_t next;  /* the column of the next cell */
    size_t rows;  /* complete rows in the batch */
    size_t group; /* rows in the row group, not counting the batch */
    char error[256];
};

static void fail_file(struct parquet_file *f, const char *why) {
    if (!*f->error) {
        snprintf(f->error, sizeof(f->error), "%s", why);
    }
}

static void check_status(struct parquet_file *f, carquet_status_t status) {
    if (status != CARQUET_OK) {
        fail_file(f, errno ? strerror(errno) : carquet_status_string(status));
    }
}

static carquet_schema_t *make_schema(const struct parquet_column *columns, size_t count) {
    static const carquet_logical_type_t string = {.id = CARQUET_LOGICAL_STRING};
    carquet_schema_t *schema = carquet_schema_create(NULL);
    bool done = schema != NULL;

    for (size_t i = 0; done && i < count; i++) {
        enum parquet_kind kind = columns[i].kind;
        done = carquet_schema_add_column(schema, columns[i].name,
                                         kind == PARQUET_TEXT   ? CARQUET_PHYSICAL_BYTE_ARRAY
                                         : kind == PARQUET_REAL ? CARQUET_PHYSICAL_DOUBLE
                                                                : CARQUET_PHYSICAL_INT64,
                                         kind == PARQUET_TEXT ? &string : NULL,
                                         columns[i].optional ? CARQUET_REPETITION_OPTIONAL
                                                             : CARQUET_REPETITION_REQUIRED,
                                         0, 0) == CARQUET_OK;
    }
    if (!done) {
        carquet_schema_free(schema);
    }
    return done ? schema : NULL;
}

static bool begin_rows(struct parquet_file *f, const struct parquet_column *columns, size_t count) {
    carquet_schema_t *schema = make_schema(columns, count);
    carquet_writer_options_t options;

    carquet_writer_options_init(&options);
    options.compression = CARQUET_COMPRESSION_ZSTD;
    options.compression_level = 3;
    options.row_group_size = INT64_MAX; /* no bound in bytes; write_batch bounds the rows */
    options.created_by = "nvtxh";
    options.async_io = false;
    f->writer = schema ? carquet_writer_create_file(f->out, schema, &options, NULL) : NULL;
    carquet_schema_free(schema);
    f->columns = must_alloc(NULL, count, sizeof(*f->columns));
    f->column_count = count;
    for (size_t i = 0; i < count; i++) {
        struct column *c = &f->columns[i];
        *c = (struct column){.kind = columns[i].kind, .optional = columns[i].optional};
        carquet_encoding_t encoding = c->kind == PARQUET_TIME ? CARQUET_ENCODING_DELTA_BINARY_PACKED
                                      : c->kind == PARQUET_REAL ? CARQUET_ENCODING_PLAIN
                                                                : CARQUET_ENCODING_RLE_DICTIONARY;
        if (f->writer) {
            check_status(f, carquet_writer_set_column_encoding(f->writer, (int32_t)i, encoding));
        }
    }
    return f->writer != NULL;
}

static void *allocate(size_t size, void *unused) {
    (void)unused;
    return must_alloc(NULL, size, 1);
}

static void *reallocate(void *old, size_t size, void *unused) {
    (void)unused;
    return must_alloc(old, size, 1);
}

static void release_memory(void *memory, void *unused) {
    (void)unused;
    free(memory);
}

struct parquet_file *parquet_file_create(const char *path, struct export_folder *folder,
                                         const struct parquet_column *columns, size_t count,
                                         struct error *ret_error) {
    /* These functions never return NULL, because in many places the library does not check for
     * NULL, and would write an unreadable file. */
    static const carquet_allocator_t memory = {allocate, reallocate, release_memory, NULL};
    bool made = output_name_make_directories(path);

    carquet_set_allocator(&memory);
    ARRAY_ADD(folder->files, folder->count, folder->capacity);
    char *copy = folder->files[folder->count] = must_copy(path, PATH_MAX);
    struct parquet_file *f = must_alloc(NULL, 1, sizeof(*f));
    if (folder->force) {
        unlink(path);
    }
    int fd = !made ? -1 : open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    folder->count += fd >= 0;
    FILE *out = fd < 0 ? NULL : fdopen(fd, "wb");
    if (!out) {
        error_set(ret_error, "%s: %s", path, strerror(errno));
        free(fd < 0 ? copy : NULL);
        free(f);
        return NULL;
    }
    *f = (struct parquet_file){.path = copy, .out = out};
    errno = 0;
    if (!begin_rows(f, columns, count)) {
        fail_file(f, "out of memory");
        parquet_file_close(f, ret_error);
        return NULL;
    }
    return f;
}

static void write_batch(struct parquet_file *f) {
    for (size_t i = 0; i < f->column_count; i++) {
        struct column *c = &f->columns[i];
        for (size_t k = 0; c->kind == PARQUET_TEXT && k < c->count; k++) {
            c->strings[k].data = (uint8_t *)c->bytes + c->starts[k];
        }
        errno = 0;
        if (!*f->error) {
            int16_t *there = c->optional ? c->there : NULL;
            check_status(f, carquet_writer_write_batch(f->writer, (int32_t)i, c->integers,
                                                       (int64_t)f->rows, there, NULL));
        }
        c->count = c->used = 0;
    }
    f->group += f->rows;
    f->rows = 0;
    if (f->group >= GROUP && !*f->error) {
        check_status(f, carquet_writer_new_row_group(f->writer));
        f->group = 0;
    }
}

/* Begins the next cell. Returns its column. *ret_place: the index of its value in the column. */
static struct column *cell(struct parquet_file *f, bool there, size_t *ret_place) {
    if (f->next == f->column_count) {
        f->next = 0;
        if (++f->rows == BATCH) {
            write_batch(f);
        }
    }
    struct column *c = &f->columns[f->next++];
    c->there[f->rows] = there;
    *ret_place = c->count;
    c->count += there;
    return c;
}

void parquet_file_integer(struct parquet_file *f, int64_t value) {
    size_t place;
    struct column *c = cell(f, true, &place);

    c->integers[place] = value;
}

void parquet_file_real(struct parquet_file *f, double value) {
    size_t place;
    struct column *c = cell(f, true, &place);

    c->reals[place] = value;
}

void parquet_file_text(struct parquet_file *f, const char *bytes, size_t size) {
    size_t place;
    struct column *c = cell(f, bytes != NULL, &place);
    if (!bytes) {
        return;
    }
    char *valid = utf8_is(bytes, size) ? NULL : utf8_copy(bytes, size, &size);

    if (c->used + size >= c->capacity) { /* also for an empty text: c->bytes must not be NULL */
        c->capacity = 2 * (c->used + size) + 4096;
        c->bytes = must_alloc(c->bytes, c->capacity, 1);
    }
    memcpy(c->bytes + c->used, valid ? valid : bytes, size);
    c->strings[place].length = (int32_t)size; /* fits: see REC_TEXT_MAX */
    c->starts[place] = c->used;
    c->used += size;
    free(valid);
}

void parquet_file_none(struct parquet_file *f) {
    parquet_file_text(f, NULL, 0);
}

bool parquet_file_close(struct parquet_file *f, struct error *ret_error) {
    if (!*f->error && f->next == f->column_count) {
        f->rows++;
        write_batch(f);
    }
    errno = 0;
    if (*f->error && f->writer) {
        carquet_writer_abort(f->writer);
    } else if (f->writer) {
        check_status(f, carquet_writer_close(f->writer));
    }
    if (fclose(f->out) != 0) {
        fail_file(f, strerror(errno));
    }
    bool done = !*f->error;
    if (!done) {
        error_set(ret_error, "%s: %s", f->path, f->error);
    }
    for (size_t i = 0; i < f->column_count; i++) {
        free(f->columns[i].bytes);
    }
    free(f->columns);
    free(f);
    return done;
}
