/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "firefox_tables.h"
#include "labels.h"
#include "../report/quote.h"

#include <stdlib.h>

/* A column with the same value in each row. */
static void same(FILE *out, const char *key, const char *value, size_t count)
{
    fprintf(out, "\"%s\":[", key);
    for (size_t i = 0; i < count; i++) {
        fprintf(out, "%s%s", i ? "," : "", value);
    }
    fputs("],\n", out);
}

/* A column with 0, 1, 2 and so on. */
static void numbers(FILE *out, const char *key, size_t count)
{
    fprintf(out, "\"%s\":[", key);
    for (size_t i = 0; i < count; i++) {
        fprintf(out, "%s%zu", i ? "," : "", i);
    }
    fputs("],\n", out);
}

/* Each name is a function with one frame; name, function and frame have the same number. */
void firefox_shared(FILE *out, const struct stacks *s, const struct firefox_stack *stacks,
                    size_t count)
{
    size_t names = s->name_count;

    fputs("\"shared\":{\"stackTable\":{\"frame\":[", out);
    for (size_t i = 0; i < count; i++) {
        fprintf(out, "%s%u", i ? "," : "", stacks[i].name);
    }
    fputs("],\n\"prefix\":[", out);
    for (size_t i = 0; i < count; i++) {
        fputs(i ? "," : "", out);
        if (stacks[i].above == FIREFOX_NO_STACK) {
            fputs("null", out);
        } else {
            fprintf(out, "%u", stacks[i].above);
        }
    }
    fprintf(out, "],\n\"length\":%zu},\n\"frameTable\":{", count);
    numbers(out, "func", names);
    same(out, "address", "-1", names);
    same(out, "inlineDepth", "0", names);
    same(out, "category", "0", names);
    same(out, "subcategory", "0", names);
    same(out, "nativeSymbol", "null", names);
    same(out, "innerWindowID", "null", names);
    same(out, "line", "null", names);
    same(out, "column", "null", names);
    fprintf(out, "\"length\":%zu},\n\"funcTable\":{", names);
    numbers(out, "name", names);
    same(out, "isJS", "false", names);
    same(out, "relevantForJS", "false", names);
    same(out, "resource", "-1", names);
    same(out, "source", "null", names);
    same(out, "lineNumber", "null", names);
    same(out, "columnNumber", "null", names);
    fprintf(out,
            "\"length\":%zu},\n\"resourceTable\":{\"lib\":[],\"name\":[],\"host\":[],\"type\":[],"
            "\"length\":0},\n\"nativeSymbols\":{\"libIndex\":[],\"address\":[],\"name\":[],"
            "\"functionSize\":[],\"length\":0},\n\"sources\":{\"uuid\":[],\"filename\":[],"
            "\"length\":0},\n\"stringArray\":[",
            names);
    for (size_t i = 0; i < names; i++) {
        const struct stack_name *n = &s->names[i];
        size_t size;
        char *name = label_range(s->source, n->domain_name, n->text, &size);
        fputs(i ? ",\n" : "\n", out);
        quote_json(out, name, size);
        free(name);
    }
    fputs("\n]}", out);
}
