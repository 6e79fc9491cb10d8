/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "quote.h"
#include "../util/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void visit_payload(struct source *source, const struct span *s, struct payload_visitor *v) {
    if (source->kind->payload) {
        source->kind->payload(source, s, v);
    }
}

/* Text and JSON are written by the same code with different punctuation. */
struct writing {
    FILE *out;
    bool json, comma;
};

static void begin_value(struct writing *w, const char *name) {
    fputs(w->comma ? w->json ? "," : ", " : "", w->out);
    w->comma = true;
    if (!*name) {
        return;
    }
    if (w->json) {
        quote_json(w->out, name, strlen(name));
        fputc(':', w->out);
    } else {
        fprintf(w->out, "%s=", name);
    }
}

static void write_enter(void *arg, const char *name, bool array) {
    struct writing *w = arg;

    begin_value(w, name);
    fputc(array ? '[' : '{', w->out);
    w->comma = false;
}

static void write_leave(void *arg, bool array) {
    struct writing *w = arg;

    fputc(array ? ']' : '}', w->out);
    w->comma = true;
}

static void write_value(void *arg, const char *name, const struct value *v) {
    struct writing *w = arg;

    char digits[VALUE_DIGITS];
    size_t size;

    begin_value(w, name);
    const char *text = value_text(v, digits, &size);
    if (w->json && (v->kind == VALUE_NOTHING || (v->kind == VALUE_REAL && !isfinite(v->d)))) {
        fputs("null", w->out);
    } else if (w->json && v->kind == VALUE_TEXT) {
        quote_json(w->out, text, size);
    } else {
        const char *quote = v->kind == VALUE_TEXT && !v->is_enumerator ? "\"" : "";
        fputs(quote, w->out);
        fwrite(text, 1, size, w->out);
        fputs(quote, w->out);
    }
}

char *payload_text(struct source *source, const struct span *s, bool json) {
    char *text = NULL;
    size_t size;

    if (!s->begin.size && !s->end_blobs.size) {
        return NULL;
    }
    struct writing w = {.out = must_open_text(&text, &size), .json = json};
    struct payload_visitor v = {
        .arg = &w, .value = write_value, .enter = write_enter, .leave = write_leave};
    fputs(json ? "{" : "", w.out);
    visit_payload(source, s, &v);
    fputs(json ? "}" : "", w.out);
    must_close_text(w.out, &text);
    if (!strcmp(text, json ? "{}" : "")) { /* the program has hidden all fields */
        free(text);
        text = NULL;
    }
    return text;
}

#define LEVELS 32 /* how many levels of structs and arrays a path shows at most */

struct walking {
    void (*f)(void *, const char *, const struct value *);
    void *arg;
    char path[1024];
    size_t ends[LEVELS];   /* for each level: the length of the path that leads to it */
    unsigned next[LEVELS]; /* if the level is an array: the index of its next element */
    bool arrays[LEVELS];   /* whether the level is an array */
    unsigned depth;        /* the innermost level */
};

/* Appends a name, or for an element of an array its index, to the path of the innermost level. */
static void step_path(struct walking *w, const char *name) {
    size_t end = w->ends[w->depth];
    bool element = w->arrays[w->depth] && !*name;

    w->path[end] = 0;
    if (element) {
        snprintf(w->path + end, sizeof(w->path) - end, "[%u]", w->next[w->depth]++);
    } else {
        snprintf(w->path + end, sizeof(w->path) - end, "%s%s", end && *name ? "." : "", name);
    }
}

static void walk_enter(void *arg, const char *name, bool array) {
    struct walking *w = arg;

    step_path(w, name);
    if (w->depth + 1 < LEVELS) {
        w->depth++;
        w->ends[w->depth] = strlen(w->path);
        w->next[w->depth] = 0;
        w->arrays[w->depth] = array;
    }
}

static void walk_leave(void *arg, bool array) {
    struct walking *w = arg;

    (void)array;
    w->depth -= w->depth > 0;
}

static void walk_value(void *arg, const char *name, const struct value *v) {
    struct walking *w = arg;

    step_path(w, name);
    w->f(w->arg, w->path, v);
}

void payload_each(struct source *source, const struct span *s,
                  void (*f)(void *, const char *, const struct value *), void *arg) {
    if (s->begin.size || s->end_blobs.size) {
        struct walking w = {.f = f, .arg = arg};
        struct payload_visitor v = {
            .arg = &w, .value = walk_value, .enter = walk_enter, .leave = walk_leave};
        visit_payload(source, s, &v);
    }
}
