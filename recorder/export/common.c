/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "export.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *payload_text(const struct span *s, char buffer[40])
{
    uint32_t half = (uint32_t)s->payload;
    double wide;
    float narrow;

    memcpy(&wide, &s->payload, sizeof(wide));
    memcpy(&narrow, &half, sizeof(narrow));
    buffer[0] = 0;
    switch (s->payload_type) {
    case REC_PAYLOAD_U64:
        snprintf(buffer, 40, "%llu", (unsigned long long)s->payload);
        break;
    case REC_PAYLOAD_I64:
        snprintf(buffer, 40, "%lld", (long long)s->payload);
        break;
    case REC_PAYLOAD_U32:
        snprintf(buffer, 40, "%u", half);
        break;
    case REC_PAYLOAD_I32:
        snprintf(buffer, 40, "%d", (int32_t)half);
        break;
    case REC_PAYLOAD_F64:
    case REC_PAYLOAD_F32:
        if (s->payload_type == REC_PAYLOAD_F32) {
            wide = (double)narrow;
        }
        for (int digits = 6; digits <= 17; digits++) {
            snprintf(buffer, 40, "%.*g", digits, wide);
            double back = strtod(buffer, NULL);
            if (!(back < wide) && !(back > wide)) {
                break;
            }
        }
        break;
    default:
        break;
    }
    return buffer;
}

const char *category_name(const struct recording *r, const struct span *s)
{
    for (size_t i = 0; i < s->process->category_count; i++) {
        const struct category *c = &s->process->categories[i];
        if (c->domain == s->domain && c->id == s->category) {
            return texts_get(&r->texts, c->name);
        }
    }
    return "";
}

const char *thread_name(const struct recording *r, const struct process *p, uint32_t tid)
{
    for (size_t i = 0; i < p->thread_count; i++) {
        if (p->threads[i].tid == tid) {
            return texts_get(&r->texts, p->threads[i].name);
        }
    }
    return NULL;
}

static void take(void *arg, const struct span *span)
{
    struct span_list *list = arg;

    ARRAY_ADD(list->spans, list->count, list->room);
    list->spans[list->count++] = *span;
}

static int by_start(const void *a, const void *b)
{
    const struct span *x = a, *y = b;

    if (x->start != y->start) {
        return x->start < y->start ? -1 : 1;
    }
    return x->end > y->end ? -1 : x->end < y->end;
}

void span_list_make(struct span_list *list, struct recording *r)
{
    *list = (struct span_list){0};
    spans_each(r, take, list, &list->totals);
    if (list->count) {
        qsort(list->spans, list->count, sizeof(*list->spans), by_start);
    }
}
