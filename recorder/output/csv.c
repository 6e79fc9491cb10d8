/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* CSV: one row per range, mark or sample, in the order of their beginnings. A row has everything
 * that is known about its range, mark or sample. */
#include "export.h"
#include "../analysis/name.h"
#include "../util/memory.h"
#include "quote.h"

#include <stdlib.h>
#include <string.h>

#define MOST_COLUMNS 1000 /* most columns for fields of payloads; further fields get none */

static const char *const payload_types[] = {"",       "uint64", "int64", "double",
                                            "uint32", "int32",  "float"};

struct writer {
    FILE *out;
    struct source *source;
    char **columns; /* the names of the columns for fields of payloads */
    char **values;  /* for each of `columns`: the current span's value, or NULL */
    size_t count, capacity;
    bool ranks; /* there is a column for ranks */
};

static void add_column(void *arg, const char *schema, const char *field, unsigned number) {
    struct writer *w = arg;
    char digits[16];

    if (w->count >= MOST_COLUMNS) {
        return;
    }
    snprintf(digits, sizeof(digits), "%u", number);
    char *name = must_print("%s.%s", *schema ? schema : "payload", *field ? field : digits);
    for (size_t i = 0; i < w->count; i++) {
        if (!strcmp(w->columns[i], name)) {
            free(name);
            return;
        }
    }
    *ARRAY_NEW(w->columns, w->count, w->capacity) = name;
}

/* Adds a value to its field's column. Spaces separate several values, such as those of an array. */
static void on_field(void *arg, const char *path, const struct value *v) {
    struct writer *w = arg;

    for (size_t i = 0; i < w->count; i++) {
        size_t length = strlen(w->columns[i]);
        char next = strncmp(path, w->columns[i], length) ? 'x' : path[length];
        if (next && next != '[' && next != '.') {
            continue;
        }
        char digits[VALUE_DIGITS];
        size_t size, before = w->values[i] ? strlen(w->values[i]) + 1 : 0;
        const char *text = value_text(v, digits, &size);
        char *both = w->values[i] = must_alloc(w->values[i], before + size + 1, 1);
        if (before) {
            both[before - 1] = ' ';
        }
        memcpy(both + before, text, size);
        both[before + size] = 0;
        return;
    }
}

/* Writes a field that is not the first one of its row. */
static void next_field(FILE *out, const char *text, size_t size) {
    fputc(',', out);
    quote_csv(out, text, size);
}

static void next_string(FILE *out, const char *text) {
    next_field(out, text, strlen(text));
}

static void fields(struct writer *w, const struct span *s) {
    payload_each(w->source, s, on_field, w);
    for (size_t i = 0; i < w->count; i++) {
        next_string(w->out, w->values[i] ? w->values[i] : "");
        free(w->values[i]);
        w->values[i] = NULL;
    }
}

static void row(void *arg, const struct span *s) {
    struct writer *w = arg;
    FILE *out = w->out;
    const struct str *domain = string_table_at(&w->source->strings, s->domain_name);
    const struct str *text = string_table_at(&w->source->strings, s->text);
    struct value payload = value_of_span(s);
    char digits[VALUE_DIGITS];

    fprintf(out, "%lld,%lld,%s", (long long)s->start, (long long)s->end,
            span_style_names[s->style]);
    next_field(out, domain->bytes, domain->size);
    next_field(out, text->bytes, text->size);
    fputc(',', out);
    if (s->has_category) {
        fprintf(out, "%u", s->category);
    }
    next_string(out, s->has_category ? name_of_category(w->source, s) : "");
    fputc(',', out);
    if (s->has_color) {
        fprintf(out, "#%08x", s->color);
    }
    char *fields_text = payload_text(w->source, s, false);
    const char *type = s->payload_type < 7 ? payload_types[s->payload_type] : "";
    fprintf(out, ",%s", fields_text ? "schema" : type);
    next_string(out, fields_text ? fields_text : value_digits(&payload, digits));
    free(fields_text);
    next_string(out, s->process->host);
    fprintf(out, ",%u,%u,%u,", s->process->pid, s->tid, s->end_tid);
    if (s->style == SPAN_PUSH_POP) {
        fprintf(out, "%u", s->depth);
    }
    fprintf(out, ",%d", s->open);
    fputs(w->ranks ? "," : "", out);
    if (w->ranks && s->process->identity.rank != REC_RANK_NONE) {
        fprintf(out, "%u", s->process->identity.rank);
    }
    fields(w, s);
    fputc('\n', out);
}

bool export_csv(const struct export_job *job, struct error *ret_error) {
    struct source *source = job->source;
    FILE *out = job->out;
    struct writer w = {.out = out, .source = source, .ranks = source_has_ranks(source)};

    if (source->kind->fields) {
        source->kind->fields(source, add_column, &w);
    }
    w.values = must_alloc(NULL, w.count, sizeof(*w.values));
    memset(w.values, 0, w.count * sizeof(*w.values));
    fputs("Start (ns),End (ns),Style,Domain,Message,Category,Category Name,Color,Payload Type,"
          "Payload,Host,PID,TID,End TID,Depth,Open",
          out);
    fputs(w.ranks ? ",Rank" : "", out);
    for (size_t i = 0; i < w.count; i++) {
        next_string(out, w.columns[i]);
    }
    fputc('\n', out);
    bool done = spans_in_order(source, row, &w, ret_error);
    for (size_t i = 0; i < w.count; i++) {
        free(w.columns[i]);
    }
    free(w.columns);
    free(w.values);
    return done;
}
