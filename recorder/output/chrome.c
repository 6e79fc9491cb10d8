/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The JSON that about:tracing, the Perfetto UI and speedscope read. Times are microseconds. */
#include "export.h"
#include "../analysis/name.h"
#include "quote.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Prints a time in microseconds, from two integers, because a double would round it. */
static void microseconds(FILE *out, int64_t ns) {
    fprintf(out, "%lld.%03lld", (long long)(ns / 1000), (long long)(ns % 1000));
}

struct writer {
    FILE *out;
    struct source *source;
    struct viewer_rows rows;
    /* process << 32 | tid of a lane (see SOURCE_LANES) -> number of the lane's first span */
    struct map lanes;
    size_t number;             /* number of the current span, from 1 on */
    bool begun;                /* an object was written, so the next needs a comma before it */
    struct unique_names names; /* of the event's arguments, if it has fields of payloads */
    bool has_fields;
    bool argued; /* the event has "args", so the next argument needs a comma before it */
};

static void object(struct writer *w, char phase, const struct source_process *p) {
    fprintf(w->out, "%s{\"ph\":\"%c\",\"pid\":%u", w->begun ? ",\n" : "\n", phase, name_pid(p));
    w->begun = true;
}

static void head(struct writer *w, const struct span *s, char phase, int64_t at, uint32_t tid) {
    object(w, phase, s->process);
    fputs(",\"name\":", w->out);
    const struct str *name = name_of_event(w->source, s),
                     *domain = string_table_at(&w->source->strings, s->domain_name);
    quote_json(w->out, name->bytes, name->size);
    fputs(",\"cat\":", w->out);
    quote_json(w->out, domain->bytes, domain->size);
    fprintf(w->out, ",\"tid\":%u,\"ts\":", tid);
    microseconds(w->out, at);
}

static void argument(struct writer *w, const char *name) {
    fputs(w->argued ? "," : ",\"args\":{", w->out);
    if (w->has_fields) {
        name = unique_name(&w->names, 0, name);
    }
    quote_json(w->out, name, strlen(name));
    fputc(':', w->out);
    w->argued = true;
}

static void field(void *arg, const char *path, const struct value *v) {
    struct writer *w = arg;
    char digits[VALUE_DIGITS];
    size_t size;
    const char *text = value_text(v, digits, &size);

    argument(w, path);
    quote_json(w->out, text, size);
}

static void arguments(struct writer *w, const struct span *s) {
    char digits[VALUE_DIGITS];
    struct value value = value_of_span(s);

    w->argued = false;
    w->has_fields = s->begin.size || s->end_blobs.size;
    if (s->payload_type) {
        /* As text, because a JSON number cannot hold 64 bits, NaN or infinity. */
        argument(w, "payload");
        fprintf(w->out, "\"%s\"", value_digits(&value, digits));
    }
    if (s->has_category) {
        const char *name = name_of_category(w->source, s);
        argument(w, "category");
        fprintf(w->out, "%u", s->category);
        if (*name) {
            argument(w, "category name");
            quote_json(w->out, name, strlen(name));
        }
    }
    if (s->has_color) {
        argument(w, "color");
        fprintf(w->out, "\"#%08x\"", s->color);
    }
    payload_each(w->source, s, field, w);
    unique_names_free(&w->names);
    fputs(w->argued ? "}" : "", w->out); /* speedscope prints empty "args" in the name */
}

static void async(struct writer *w, const struct span *s) {
    FILE *out = w->out;

    head(w, s, 'b', s->start, s->tid);
    fprintf(out, ",\"id\":\"%zu\"", w->number);
    arguments(w, s);
    fputc('}', out);
    head(w, s, 'e', s->end, s->end_tid);
    fprintf(out, ",\"id\":\"%zu\"}", w->number);
}

static void write_name(struct writer *w, const char *what, const struct source_process *p,
                       uint32_t tid, const char *name, size_t size) {
    object(w, 'M', p);
    if (tid) {
        fprintf(w->out, ",\"tid\":%u", tid);
    }
    fprintf(w->out, ",\"name\":\"%s\",\"args\":{\"name\":", what);
    quote_json(w->out, name, size);
    fputs("}}", w->out);
}

static void write_thread(struct writer *w, const struct source_process *p, uint32_t tid) {
    const struct str *given = string_table_at(&w->source->strings, source_thread(p, tid));

    write_name(w, "thread_name", p, tid, given->bytes, given->size);
}

static void write_span(void *arg, const struct span *s) {
    struct writer *w = arg;
    FILE *out = w->out;
    char digits[VALUE_DIGITS];

    w->number++;
    if (s->tid >= SOURCE_LANES &&
        *map_add(&w->lanes, (uint64_t)s->process->number << 32 | s->tid, w->number) == w->number) {
        write_thread(w, s->process, s->tid);
    }
    if (s->style == SPAN_MARK) {
        head(w, s, 'i', s->start, s->tid);
        fputs(",\"s\":\"t\"", out);
        arguments(w, s);
        fputc('}', out);
    } else if (s->style == SPAN_COUNTER) {
        struct value value = value_of_span(s);
        if (isfinite(value_number(s))) {
            head(w, s, 'C', s->start, s->tid);
            fprintf(out, ",\"args\":{\"value\":%s}}", value_digits(&value, digits));
        }
    } else if ((s->style == SPAN_PUSH_POP || s->tid >= SOURCE_LANES) &&
               viewer_rows_nests(&w->rows, (uint64_t)s->process->number << 32 | s->tid, s)) {
        head(w, s, 'X', s->start, s->tid);
        fputs(",\"dur\":", out);
        microseconds(out, s->end - s->start);
        arguments(w, s);
        fputc('}', out);
    } else {
        async(w, s);
    }
}

bool export_chrome(const struct export_job *job, struct error *ret_error) {
    struct source *source = job->source;
    FILE *out = job->out;
    struct writer w = {.out = out, .source = source};

    fputs("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[", out);
    for (size_t i = 0; i < source->process_count; i++) {
        const struct source_process *p = &source->processes[i];
        char *name = name_of_process(source, p);
        write_name(&w, "process_name", p, 0, name, strlen(name));
        free(name);
        for (size_t k = 0; k < p->threads.count; k++) {
            if (p->threads.all[k].id < SOURCE_LANES) {
                write_thread(&w, p, p->threads.all[k].id);
            }
        }
    }
    bool done = spans_in_order(source, write_span, &w, ret_error);
    fputs("\n]}\n", out);
    viewer_rows_free(&w.rows);
    map_free(&w.lanes);
    return done;
}
