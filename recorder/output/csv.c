/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* CSV: one row per range, mark or sample, in the order of their beginnings. A row has everything
 * that is known about its range, mark or sample. */
#include "export.h"
#include "../analysis/name.h"
#include "quote.h"

#include <stdlib.h>

static const char *const payload_types[] = {"",       "uint64", "int64", "double",
                                            "uint32", "int32",  "float"};

struct writer {
    FILE *out;
    struct source *source;
    bool ranks; /* there is a column for ranks */
};

static void text_field(const struct writer *w, uint32_t text) {
    const struct str *t = string_table_at(&w->source->strings, text);
    quote_csv(w->out, t->bytes, t->size);
}

static void row(void *arg, const struct span *s) {
    struct writer *w = arg;
    FILE *out = w->out;
    struct value payload = value_of_span(s);
    char digits[VALUE_DIGITS];

    fprintf(out, "%lld,%lld,%s,", (long long)s->start, (long long)s->end,
            span_style_names[s->style]);
    text_field(w, s->domain_name);
    fputc(',', out);
    text_field(w, s->text);
    fputc(',', out);
    if (s->has_category) {
        fprintf(out, "%u", s->category);
    }
    fputc(',', out);
    quote_csv_string(out, s->has_category ? name_of_category(w->source, s) : "");
    fputc(',', out);
    if (s->has_color) {
        fprintf(out, "#%08x", s->color);
    }
    char *fields_text = payload_text(w->source, s, false);
    const char *type = s->payload_type < 7 ? payload_types[s->payload_type] : "";
    fprintf(out, ",%s,", fields_text ? "schema" : type);
    quote_csv_string(out, fields_text ? fields_text : value_digits(&payload, digits));
    free(fields_text);
    fputc(',', out);
    quote_csv_string(out, s->process->host);
    fprintf(out, ",%u,%u,%u,", s->process->pid, s->tid, s->end_tid);
    if (s->style == SPAN_PUSH_POP) {
        fprintf(out, "%u", s->depth);
    }
    fprintf(out, ",%d", s->open);
    if (w->ranks) {
        fputc(',', out);
    }
    if (w->ranks && s->process->identity.rank != REC_RANK_NONE) {
        fprintf(out, "%u", s->process->identity.rank);
    }
    fputc('\n', out);
}

bool export_csv(const struct export_job *job, struct error *ret_error) {
    struct writer w = {job->out, job->source, source_has_ranks(job->source)};

    fprintf(job->out,
            "Start (ns),End (ns),Style,Domain,Message,Category,Category Name,Color,Payload Type,"
            "Payload,Host,PID,TID,End TID,Depth,Open%s\n",
            w.ranks ? ",Rank" : "");
    return spans_in_order(job->source, row, &w, ret_error);
}
