/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* One line per range or mark, by time: comma-separated values, and text for people. */
#include "export.h"
#include "../cli/table.h"

#include <stdlib.h>

static const char *const styles[] = {"PushPop", "StartEnd", "Mark"};
static const char *const payload_types[] = {"",       "uint64", "int64", "double",
                                            "uint32", "int32",  "float"};

static void field(FILE *out, const struct recording *r, uint32_t text)
{
    if (text) {
        csv_field(out, r->texts.all[text].bytes, r->texts.all[text].size);
    }
}

bool export_csv(struct recording *r, FILE *out, char *ret_error, size_t error_size)
{
    struct span_list list;
    char payload[40];

    (void)ret_error;
    (void)error_size;
    span_list_make(&list, r);
    fputs("Start (ns),End (ns),Style,Domain,Message,Category,Category Name,Color,Payload "
          "Type,Payload,PID,TID,"
          "End TID,Depth,Open\n",
          out);
    for (size_t i = 0; i < list.count; i++) {
        const struct span *s = &list.spans[i];
        const char *category = s->has_category ? category_name(r, s) : "";
        fprintf(out, "%lld,%lld,%s,", (long long)s->start, (long long)s->end, styles[s->style]);
        field(out, r, s->domain_name);
        fputc(',', out);
        field(out, r, s->text);
        fputc(',', out);
        if (s->has_category) {
            fprintf(out, "%u", s->category);
        }
        fputc(',', out);
        size_t size = 0;
        while (category[size]) {
            size++;
        }
        csv_field(out, category, size);
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
    free(list.spans);
    return true;
}

bool export_text(struct recording *r, FILE *out, char *ret_error, size_t error_size)
{
    struct span_list list;
    char payload[40];

    (void)ret_error;
    (void)error_size;
    span_list_make(&list, r);
    for (size_t i = 0; i < list.count; i++) {
        const struct span *s = &list.spans[i];
        const struct text *t = s->text ? &r->texts.all[s->text] : NULL;
        char *message = printable(t ? t->bytes : "", t ? t->size : 0, 400);
        const struct text *d = s->domain_name ? &r->texts.all[s->domain_name] : NULL;
        char *domain = printable(d ? d->bytes : "", d ? d->size : 0, 400);
        fprintf(out, "%14.6f ms  ", (double)s->start / 1e6);
        if (s->style == SPAN_MARK) {
            fprintf(out, "%17s", "mark");
        } else {
            fprintf(out, "%14.6f ms", (double)(s->end - s->start) / 1e6);
        }
        fprintf(out, "  %7u  %*s%s%s%s", s->tid,
                s->style == SPAN_PUSH_POP ? 2 * (int)(s->depth % 64) : 0, "", domain,
                *domain ? ":" : "", message);
        if (s->payload_type) {
            fprintf(out, "  = %s", payload_text(s, payload));
        }
        fputs(s->open ? "  (no end)\n" : "\n", out);
        free(message);
        free(domain);
    }
    free(list.spans);
    return true;
}
