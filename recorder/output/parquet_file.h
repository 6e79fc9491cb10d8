/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once
/* A Parquet file, written row by row. Only parquet_file.c uses the library carquet. */
#include "export.h"
#include "../util/io.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum parquet_kind {
    PARQUET_TIME,   /* 64-bit integers that grow or differ much: encoded as differences */
    PARQUET_NUMBER, /* 64-bit integers with few different values: encoded by a dictionary */
    PARQUET_REAL,
    PARQUET_TEXT /* UTF-8, encoded by a dictionary */
};

struct parquet_column {
    const char *name;
    enum parquet_kind kind;
    bool optional;
};

struct parquet_file;

/* Creates the file and its directories, and adds `path` to folder->files. On failure NULL with a
 * message. */
struct parquet_file *parquet_file_create(const char *path, struct export_folder *folder,
                                         const struct parquet_column *columns, size_t count,
                                         struct error *ret_error);

/* Each call writes the next cell of the row. The cell after the last column begins the next row. */
void parquet_file_integer(struct parquet_file *f, int64_t value);
void parquet_file_real(struct parquet_file *f, double value);
void parquet_file_none(struct parquet_file *f); /* writes NULL; only for optional columns */
/* Writes NULL, as parquet_file_none does, if `bytes` is NULL. */
void parquet_file_text(struct parquet_file *f, const char *bytes, size_t size);

/* Completes the file, and frees `f`. False with a message if anything was not written. */
bool parquet_file_close(struct parquet_file *f, struct error *ret_error);
