/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* One row per range, mark or sample, by time, with everything that is known of it. */
#include "export.h"
#include "../text/csv.h"

static const char *const styles[] = {"PushPop", "StartEnd", "Mark", "Counter"};
static const char *const payload_types[] = {"",       "uint64", "int64", "double",
                                            "uint32", "int32",  "float"};

struct writer {
    FILE *out;
    const struct recording *recording;
};

static void field(FILE *out, const struct recording *r, uint32_t text)
{
    if (text) {
        csv_field(out, r->texts.all[text].bytes, r->texts.all[text].size);
    }
}

static void row(void *arg, const struct span *s)
{
    const struct writer *w = arg;
    FILE *out = w->out;
    char payload[40];

    fprintf(out, "%lld,%lld,%s,", (long long)s->start, (long long)s->end, styles[s->style]);
    field(out, w->recording, s->domain_name);
    fputc(',', out);
    field(out, w->recording, s->text);
    fputc(',', out);
    if (s->has_category) {
        fprintf(out, "%u", s->category);
    }
    fputc(',', out);
    csv_string(out, s->has_category ? category_name(w->recording, s) : "");
    fputc(',', out);
    if (s->has_color) {
        fprintf(out, "#%08x", s->color);
    }
    fprintf(out, ",%s,%s,%u,%u,%u,", s->payload_type < 7 ? payload_types[s->payload_type] : "",
            payload_text(s, payload), s->process->info.pid, s->tid, s->end_tid);
    if (s->style == SPAN_PUSH_POP) {
        fprintf(out, "%u", s->depth);
    }
    fprintf(out, ",%d\n", s->open);
}

bool export_csv(struct recording *r, FILE *out, char *ret_error, size_t error_size)
{
    struct writer w = {out, r};
    struct span_totals totals;

    fputs("Start (ns),End (ns),Style,Domain,Message,Category,Category Name,Color,Payload Type,"
          "Payload,PID,TID,End TID,Depth,Open\n",
          out);
    return spans_in_order(r, row, &w, &totals) || export_failed(ret_error, error_size);
}
