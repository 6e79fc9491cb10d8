/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "quote.h"
#include "../util/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- names ------------------------------------------------------------------------------------ */

/* Returns how often a name was given in an object before, and sets that to `count`. */
static uint64_t give_name(struct unique_names *u, uint64_t object, const char *name,
                          uint64_t count) {
    uint64_t key = map_mix(str_hash(name, strlen(name)), object);
    uint64_t *given = map_add(&u->used, key, 0), before = *given;

    *given = count > before ? count : before;
    return before;
}

const char *unique_name(struct unique_names *u, uint64_t object, const char *name) {
    uint64_t count = give_name(u, object, name, 1);
    const char *unique = name;

    while (count) {
        free(u->text);
        unique = u->text = must_print("%s (%llu)", name, (unsigned long long)++count);
        if (!give_name(u, object, unique, 1)) {
            give_name(u, object, name, count);
            count = 0;
        }
    }
    return unique;
}

void unique_names_free(struct unique_names *u) {
    map_free(&u->used);
    free(u->text);
    u->text = NULL;
}

/* --- all fields in one text ------------------------------------------------------------------- */

/* Text and JSON are written by the same code with different punctuation. */
struct writing {
    FILE *out;
    bool json, comma;
    struct unique_names names;
    uint64_t objects; /* how many were begun */
    uint64_t *open;   /* the open objects, the innermost one last; 0: an array */
    size_t depth, capacity;
};

static void begin_value(struct writing *w, const char *name) {
    fputs(w->comma ? w->json ? "," : ", " : "", w->out);
    w->comma = true;
    uint64_t object = w->depth ? w->open[w->depth - 1] : 1;
    if (w->json && object) {
        name = unique_name(&w->names, object, name);
        quote_json(w->out, name, strlen(name));
        fputc(':', w->out);
    } else if (!w->json && *name) {
        fprintf(w->out, "%s=", name);
    }
}

static void write_enter(void *arg, const char *name, bool array) {
    struct writing *w = arg;

    begin_value(w, name);
    fputc(array ? '[' : '{', w->out);
    w->comma = false;
    *ARRAY_NEW(w->open, w->depth, w->capacity) = array ? 0 : ++w->objects;
}

static void write_leave(void *arg, bool array) {
    struct writing *w = arg;

    fputc(array ? ']' : '}', w->out);
    w->comma = true;
    w->depth--;
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
    struct writing w = {.out = must_open_text(&text, &size), .json = json, .objects = 1};
    struct payload_visitor v = {
        .arg = &w, .value = write_value, .enter = write_enter, .leave = write_leave};
    fputs(json ? "{" : "", w.out);
    source->kind->payload(source, s, &v);
    fputs(json ? "}" : "", w.out);
    must_close_text(w.out, &text);
    unique_names_free(&w.names);
    free(w.open);
    if (!strcmp(text, json ? "{}" : "")) { /* the program has hidden all fields */
        free(text);
        text = NULL;
    }
    return text;
}

/* --- each field by its path ------------------------------------------------------------------- */

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
        source->kind->payload(source, s, &v);
    }
}
