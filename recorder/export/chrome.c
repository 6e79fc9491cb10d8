/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The JSON that about:tracing, the Perfetto UI and speedscope read. Times are microseconds. */
#include "export.h"

#include <stdlib.h>

/* Length of the valid UTF-8 character at p, or 0. */
static size_t character(const unsigned char *p, size_t left)
{
    static const unsigned least[] = {0, 0, 0x80, 0x800, 0x10000};
    size_t n = p[0] < 0x80 ? 1 : p[0] >> 5 == 6 ? 2 : p[0] >> 4 == 14 ? 3 : p[0] >> 3 == 30 ? 4 : 0;

    if (n == 0 || n > left) {
        return 0;
    }
    unsigned c = n == 1 ? p[0] : p[0] & (0xffu >> (n + 1));
    for (size_t i = 1; i < n; i++) {
        if (p[i] >> 6 != 2) {
            return 0;
        }
        c = c << 6 | (p[i] & 0x3f);
    }
    return c < least[n] || c > 0x10ffff || (c >= 0xd800 && c < 0xe000) ? 0 : n;
}

/* What is not UTF-8 becomes U+FFFD: a file with it would not be JSON. */
static void string(FILE *out, const char *text, size_t size)
{
    const unsigned char *p = (const unsigned char *)text;

    for (size_t i = 0; i < size;) {
        size_t n = character(p + i, size - i);
        if (n == 0) {
            fputs("\\ufffd", out);
            i++;
        } else if (p[i] < 0x20 || p[i] == 0x7f) {
            fprintf(out, "\\u%04x", p[i++]);
        } else if (p[i] == '"' || p[i] == '\\') {
            fprintf(out, "\\%c", p[i++]);
        } else {
            fwrite(p + i, 1, n, out);
            i += n;
        }
    }
}

static void text_string(FILE *out, const struct recording *r, uint32_t text)
{
    if (text) {
        string(out, r->texts.all[text].bytes, r->texts.all[text].size);
    }
}

/* As exactly as decimals can say it. */
static void microseconds(FILE *out, int64_t ns)
{
    fprintf(out, "%lld.%03lld", (long long)(ns / 1000), (long long)(ns % 1000));
}

static size_t length(const char *text)
{
    size_t n = 0;
    while (text[n]) {
        n++;
    }
    return n;
}

static void head(FILE *out, const struct recording *r, const struct span *s, char phase, int64_t at,
                 uint32_t tid)
{
    fprintf(out, ",\n{\"ph\":\"%c\",\"name\":\"", phase);
    text_string(out, r, s->text);
    fputs("\",\"cat\":\"", out);
    text_string(out, r, s->domain_name);
    fprintf(out, "\",\"pid\":%u,\"tid\":%u,\"ts\":", s->process->info.pid, tid);
    microseconds(out, at);
}

static void arguments(FILE *out, const struct recording *r, const struct span *s)
{
    char payload[40];
    const char *separator = "";

    fputs(",\"args\":{", out);
    if (s->payload_type) {
        /* As text: JSON's numbers do not hold 64 bits, nor what is not a number. */
        fprintf(out, "\"payload\":\"%s\"", payload_text(s, payload));
        separator = ",";
    }
    if (s->has_category) {
        const char *name = category_name(r, s);
        fprintf(out, "%s\"category\":%u", separator, s->category);
        if (*name) {
            fputs(",\"category name\":\"", out);
            string(out, name, length(name));
            fputc('"', out);
        }
        separator = ",";
    }
    if (s->has_color) {
        fprintf(out, "%s\"color\":\"#%08x\"", separator, s->color);
    }
    fputc('}', out);
}

static void async(FILE *out, const struct recording *r, const struct span *s, size_t number)
{
    head(out, r, s, 'b', s->start, s->tid);
    fprintf(out, ",\"id\":\"%zu\"", number);
    arguments(out, r, s);
    fputc('}', out);
    head(out, r, s, 'e', s->end, s->end_tid);
    fprintf(out, ",\"id\":\"%zu\"}", number);
}

/* The ranges that are open on each thread, outermost first, while spans go by in order of time. */
struct stacks {
    struct map threads; /* pid and tid -> number of the stack */
    struct stack {
        int64_t *ends;
        size_t count, room;
    } * all;
    size_t count, room;
};

/* Whether a range lies within those around it. Ranges of two domains need not, and viewers that
 * draw one row per thread cannot show such a pair. */
static bool nests(struct stacks *stacks, const struct span *s)
{
    uint64_t key = (uint64_t)s->process->info.pid << 32 | s->tid;
    uint64_t number = *map_add(&stacks->threads, key, stacks->count);

    if (number == stacks->count) {
        ARRAY_ADD(stacks->all, stacks->count, stacks->room);
        stacks->all[stacks->count++] = (struct stack){0};
    }
    struct stack *stack = &stacks->all[number];
    while (stack->count && stack->ends[stack->count - 1] <= s->start) {
        stack->count--;
    }
    if (stack->count && stack->ends[stack->count - 1] < s->end) {
        return false;
    }
    ARRAY_ADD(stack->ends, stack->count, stack->room);
    stack->ends[stack->count++] = s->end;
    return true;
}

static void stacks_free(struct stacks *stacks)
{
    for (size_t i = 0; i < stacks->count; i++) {
        free(stacks->all[i].ends);
    }
    free(stacks->all);
    map_free(&stacks->threads);
}

static void one(FILE *out, const struct recording *r, struct stacks *stacks, const struct span *s,
                size_t number)
{
    if (s->style == SPAN_MARK) {
        head(out, r, s, 'i', s->start, s->tid);
        fputs(",\"s\":\"t\"", out);
        arguments(out, r, s);
        fputc('}', out);
    } else if (s->style == SPAN_PUSH_POP && nests(stacks, s)) {
        head(out, r, s, 'X', s->start, s->tid);
        fputs(",\"dur\":", out);
        microseconds(out, s->end - s->start);
        arguments(out, r, s);
        fputc('}', out);
    } else {
        async(out, r, s, number);
    }
}

bool export_chrome(struct recording *r, FILE *out, char *ret_error, size_t error_size)
{
    struct span_list list;
    struct stacks stacks = {0};

    (void)ret_error;
    (void)error_size;
    span_list_make(&list, r);
    fputs("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n{\"ph\":\"M\",\"name\":\"nvtxh\",\"pid\":"
          "0,\"args\":{}}",
          out);
    for (size_t i = 0; i < r->process_count; i++) {
        const struct process *p = &r->processes[i];
        fprintf(out, ",\n{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":%u,\"args\":{\"name\":\"",
                p->info.pid);
        text_string(out, r, p->exe);
        fputs("\"}}", out);
        for (size_t k = 0; k < p->thread_count; k++) {
            fprintf(out,
                    ",\n{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":%u,\"tid\":%u,\"args\":{"
                    "\"name\":\"",
                    p->info.pid, p->threads[k].tid);
            text_string(out, r, p->threads[k].name);
            fputs("\"}}", out);
        }
    }
    for (size_t i = 0; i < list.count; i++) {
        one(out, r, &stacks, &list.spans[i], i);
    }
    fputs("\n]}\n", out);
    stacks_free(&stacks);
    free(list.spans);
    return true;
}
