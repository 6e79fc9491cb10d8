/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "payload_text.h"
#include "../read/payload.h"
#include "utf8.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void json_string(FILE *out, const char *text, size_t size)
{
    fputc('"', out);
    for (size_t i = 0; i < size;) {
        unsigned char c = (unsigned char)text[i];
        size_t n = utf8_character(text + i, size - i);
        if (n == 0) {
            fputs("\xef\xbf\xbd", out);
            i++;
        } else if (c < 0x20 || c == 0x7f) {
            fprintf(out, "\\u%04x", c);
            i++;
        } else if (c == '"' || c == '\\') {
            fprintf(out, "\\%c", c);
            i++;
        } else {
            fwrite(text + i, 1, n, out);
            i += n;
        }
    }
    fputc('"', out);
}

void payload_value_text(FILE *out, const struct extended_value *v)
{
    struct span number = {0};
    char buffer[40];

    if (v->kind == VALUE_TEXT) {
        fwrite(v->text, 1, v->size, out);
        return;
    }
    number.payload_type = v->kind == VALUE_UNSIGNED ? REC_PAYLOAD_U64
                          : v->kind == VALUE_SIGNED ? REC_PAYLOAD_I64
                          : v->kind == VALUE_REAL   ? REC_PAYLOAD_F64
                                                    : REC_PAYLOAD_NONE;
    number.payload = v->kind == VALUE_SIGNED ? (uint64_t)v->i : v->u;
    if (v->kind == VALUE_REAL) {
        memcpy(&number.payload, &v->d, sizeof(number.payload));
    }
    fputs(v->kind == VALUE_NOTHING ? "-" : payload_text(&number, buffer), out);
}

static void visit(const struct recording *r, const struct span *s, const struct payload_visitor *v)
{
    const struct span_blobs *both[] = {&s->begin, &s->end_blobs};

    for (size_t i = 0; i < 2; i++) {
        char *blobs = payload_read(r, both[i]->place, both[i]->size);
        if (blobs) {
            payload_visit(r, s->process, s->domain, blobs, both[i]->size,
                          i ? "end payload" : "payload", v);
            free(blobs);
        }
    }
}

/* Text and JSON are written the same way, with other marks. */
struct writing {
    FILE *out;
    bool json, comma;
};

static void name_of(struct writing *w, const char *name, bool equals)
{
    fputs(w->comma ? w->json ? "," : ", " : "", w->out);
    w->comma = true;
    if (!*name) {
        return;
    }
    if (w->json) {
        json_string(w->out, name, strlen(name));
        fputc(':', w->out);
    } else {
        fprintf(w->out, "%s%s", name, equals ? "=" : "");
    }
}

static void write_enter(void *arg, const char *name, bool array)
{
    struct writing *w = arg;

    name_of(w, name, true);
    fputc(array ? '[' : '{', w->out);
    w->comma = false;
}

static void write_leave(void *arg, bool array)
{
    struct writing *w = arg;

    fputc(array ? ']' : '}', w->out);
    w->comma = true;
}

static void write_value(void *arg, const char *name, const struct extended_value *v)
{
    struct writing *w = arg;

    name_of(w, name, true);
    if (w->json && (v->kind == VALUE_NOTHING || (v->kind == VALUE_REAL && !isfinite(v->d)))) {
        fputs("null", w->out);
    } else if (w->json && v->kind == VALUE_TEXT) {
        json_string(w->out, v->text, v->size);
    } else if (v->kind == VALUE_TEXT && !v->is_enumerator) {
        fputc('"', w->out);
        fwrite(v->text, 1, v->size, w->out);
        fputc('"', w->out);
    } else {
        payload_value_text(w->out, v);
    }
}

static char *written(const struct recording *r, const struct span *s, bool json)
{
    char *text = NULL;
    size_t size;

    if (!s->begin.size && !s->end_blobs.size) {
        return NULL;
    }
    struct writing w = {.out = open_memstream(&text, &size), .json = json};
    struct payload_visitor v = {&w, write_enter, write_leave, write_value};
    if (!w.out) {
        return NULL;
    }
    fputs(json ? "{" : "", w.out);
    visit(r, s, &v);
    fputs(json ? "}" : "", w.out);
    fclose(w.out);
    return text;
}

char *payload_text_of(const struct recording *r, const struct span *s)
{
    return written(r, s, false);
}

char *payload_json_of(const struct recording *r, const struct span *s)
{
    return written(r, s, true);
}

#define LEVELS 32

struct walking {
    void (*f)(void *, const char *, const struct extended_value *);
    void *arg;
    char path[1024];
    size_t ends[LEVELS]; /* of the path, at each level */
    unsigned next[LEVELS];
    bool arrays[LEVELS];
    unsigned depth;
};

/* Adds a name, or the number of the element, to the path. */
static void step(struct walking *w, const char *name)
{
    size_t end = w->ends[w->depth];
    bool element = w->arrays[w->depth] && !*name;

    w->path[end] = 0;
    if (element) {
        snprintf(w->path + end, sizeof(w->path) - end, "[%u]", w->next[w->depth]++);
    } else {
        snprintf(w->path + end, sizeof(w->path) - end, "%s%s", end && *name ? "." : "", name);
    }
}

static void walk_enter(void *arg, const char *name, bool array)
{
    struct walking *w = arg;

    step(w, name);
    if (w->depth + 1 < LEVELS) {
        w->depth++;
        w->ends[w->depth] = strlen(w->path);
        w->next[w->depth] = 0;
        w->arrays[w->depth] = array;
    }
}

static void walk_leave(void *arg, bool array)
{
    struct walking *w = arg;

    (void)array;
    w->depth -= w->depth > 0;
}

static void walk_value(void *arg, const char *name, const struct extended_value *v)
{
    struct walking *w = arg;

    step(w, name);
    w->f(w->arg, w->path, v);
}

void payload_each(const struct recording *r, const struct span *s,
                  void (*f)(void *, const char *, const struct extended_value *), void *arg)
{
    struct walking w = {.f = f, .arg = arg};
    struct payload_visitor v = {&w, walk_enter, walk_leave, walk_value};

    visit(r, s, &v);
}
