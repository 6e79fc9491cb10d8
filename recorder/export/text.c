/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A text for people: one line per range, mark or sample, in the order in which they begin. */
#include "export.h"
#include "../report/quote.h"

#include <stdlib.h>
#include <string.h>

static char *shown(const struct source *source, uint32_t text) {
    const struct text *t = texts_at(&source->texts, text);
    return printable(t->bytes, t->size, 400);
}

static void line(void *arg, const struct span *s) {
    const struct export_job *job = arg;
    const struct text *name = label_event(job->source, s);
    char *message = printable(name->bytes, name->size, 400),
         *domain = shown(job->source, s->domain_name);
    struct value payload = value_of_span(s);
    char digits[VALUE_DIGITS];

    fprintf(job->out, "%14.6f ms  ", (double)s->start / 1e6);
    if (s->style == SPAN_MARK || s->style == SPAN_COUNTER) {
        fprintf(job->out, "%17s", s->style == SPAN_MARK ? "mark" : "counter");
    } else {
        fprintf(job->out, "%14.6f ms", (double)(s->end - s->start) / 1e6);
    }
    if (s->tid < SOURCE_LANES) {
        fprintf(job->out, "  %7u", s->tid);
    } else {
        char *lane = shown(job->source, source_thread(s->process, s->tid));
        fprintf(job->out, "  %7s", lane);
        free(lane);
    }
    if (s->process->identity.rank != REC_RANK_NONE) {
        fprintf(job->out, "  rank %u", s->process->identity.rank);
    }
    fprintf(job->out, "  %*s%s%s%s", s->style == SPAN_PUSH_POP ? 2 * (int)(s->depth % 64) : 0, "",
            domain, *domain ? ":" : "", message);
    if (s->payload_type) {
        char *unit = shown(job->source, s->style == SPAN_COUNTER ? s->unit : 0);
        fprintf(job->out, "  = %s%s%s", value_digits(&payload, digits), *unit ? " " : "", unit);
        free(unit);
    }
    char *fields = payload_text(job->source, s, false);
    if (fields) {
        char *safe = printable(fields, strlen(fields), 4000);
        fprintf(job->out, "  = %s", safe);
        free(safe);
        free(fields);
    }
    if (s->has_category) {
        const char *category = label_category(job->source, s);
        char *safe = printable(category, strlen(category), 400);
        if (*safe) {
            fprintf(job->out, "  [%s]", safe);
        } else {
            fprintf(job->out, "  [category %u]", s->category);
        }
        free(safe);
    }
    if (s->has_color) {
        fprintf(job->out, "  #%08x", s->color);
    }
    fputs(s->open ? "  (no end)\n" : "\n", job->out);
    free(message);
    free(domain);
}

bool export_text(const struct export_job *job, struct error *ret_error) {
    struct export_job own = *job;

    return spans_in_order(job->source, line, &own, ret_error);
}
