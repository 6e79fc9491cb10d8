/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Replaces the file that the fuzzers would write: counts cells, and reads their contents. */
#include "../../recorder/output/parquet_file.h"

#include <stdlib.h>
#include <string.h>

struct parquet_file {
    size_t count, next;
    uint64_t sum;
    struct parquet_column columns[];
};

static const struct parquet_column *cell(struct parquet_file *f) {
    return &f->columns[f->next++ % f->count];
}

static void check(bool right) {
    if (!right) {
        abort();
    }
}

struct parquet_file *parquet_file_create(const char *path, struct export_folder *folder,
                                         const struct parquet_column *columns, size_t count,
                                         struct error *ret_error) {
    (void)folder;
    (void)ret_error;
    struct parquet_file *f = calloc(1, sizeof(*f) + count * sizeof(*columns));
    check(f && *path && count);
    f->count = count;
    memcpy(f->columns, columns, count * sizeof(*columns));
    return f;
}

void parquet_file_integer(struct parquet_file *f, int64_t value) {
    const struct parquet_column *c = cell(f);

    check(c->kind == PARQUET_TIME || c->kind == PARQUET_NUMBER);
    f->sum += (uint64_t)value;
}

void parquet_file_real(struct parquet_file *f, double value) {
    check(cell(f)->kind == PARQUET_REAL);
    f->sum += value > 0;
}

void parquet_file_text(struct parquet_file *f, const char *bytes, size_t size) {
    const struct parquet_column *c = cell(f);

    check(c->kind == PARQUET_TEXT && (bytes || (c->optional && !size)));
    for (size_t i = 0; i < size; i++) {
        f->sum += (unsigned char)bytes[i];
    }
}

void parquet_file_none(struct parquet_file *f) {
    check(cell(f)->optional);
}

bool parquet_file_close(struct parquet_file *f, struct error *ret_error) {
    (void)ret_error;
    check(f->next % f->count == 0);
    free(f);
    return true;
}
