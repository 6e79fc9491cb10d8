/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "filter.h"
#include "fold.h"
#include "name.h"
#include "../util/memory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

bool filter_begin(struct filter *f, struct error *ret_error) {
    int error = f->name ? regcomp(&f->regex, f->name, REG_EXTENDED | REG_NOSUB) : 0;

    if (error) {
        regerror(error, &f->regex, ret_error->text, sizeof(ret_error->text));
    }
    return !error;
}

void filter_end(struct filter *f) {
    if (f->name) {
        regfree(&f->regex);
    }
    map_free(&f->matches);
}

bool filter_selects(const struct filter *f) {
    return f->from > INT64_MIN || f->to < INT64_MAX || f->thread || f->domain || f->name ||
           f->exact;
}

static bool has_domain(const struct source *s, const char *name) {
    for (size_t i = 0; i < s->process_count; i++) {
        const struct map *m = &s->processes[i].domains;
        for (size_t k = 0; k < m->capacity; k++) {
            if (m->slots[k].taken &&
                !strcmp(string_table_get(&s->strings, (uint32_t)m->slots[k].value), name)) {
                return true;
            }
        }
    }
    return false;
}

static bool is_domain(const struct filter *f, const struct string_table *strings, uint32_t name) {
    const char *wanted = f->domain;

    if (!name) {
        return !*wanted || (!strcmp(wanted, "default") && !f->has_default);
    }
    return *wanted && !strcmp(wanted, string_table_get(strings, name));
}

void filter_use(struct filter *f, struct source *s) {
    f->has_default = f->domain && has_domain(s, "default");
    f->is_given = filter_selects(f);
    f->from = f->from > s->from ? f->from : s->from;
    f->to = f->to < s->to ? f->to : s->to;
    s->filter = filter_selects(f) ? f : NULL;
}

static bool is_thread(const char *wanted, const struct span *span) {
    char *end;
    unsigned long number = strtoul(wanted, &end, 10);

    return *wanted && !*end && number == span->tid;
}

bool filter_is_match(const regex_t *regex, const char *text) {
    errno = 0;
    bool match = regexec(regex, text, 0, NULL, 0) == 0;

    if (!match && errno == ENOMEM) { /* glibc returns REG_NOMATCH if there is no memory */
        memory_is_out();
    }
    return match;
}

/* Whether f->exact is the name, or the name with # for each number. */
static bool is_exactly(const struct filter *f, const struct source *s, const struct span *span,
                       const char *name) {
    const struct str *text = string_table_at(&s->strings, span->text);
    size_t before = string_table_at(&s->strings, span->domain_name)->size + !!span->domain_name;
    size_t size;
    bool is = !strcmp(f->exact, name);

    if (!is && strchr(f->exact, '#') && !strncmp(f->exact, name, before)) {
        char *common = fold_numbers(text->bytes, text->size, &size);
        is = common && !strcmp(f->exact + before, common);
        free(common);
    }
    return is;
}

static bool matches(struct filter *f, const struct source *s, const struct span *span) {
    uint64_t key = (uint64_t)span->domain_name << 32 | span->text;
    uint64_t *known = map_find(&f->matches, key);
    size_t size;

    if (known) {
        return *known;
    }
    char *name = name_of_range(s, span->domain_name, span->text, false, &size);
    bool match = (!f->exact || is_exactly(f, s, span, name)) &&
                 (!f->name || filter_is_match(&f->regex, name));
    free(name);
    map_add(&f->matches, key, match);
    return match;
}

bool filter_wants_thread(const struct filter *f, const struct source *s, const struct span *span) {
    return !f->thread || is_thread(f->thread, span) ||
           !strcmp(f->thread,
                   string_table_get(&s->strings, source_thread(span->process, span->tid)));
}

bool filter_wants(struct filter *f, const struct source *s, const struct span *span) {
    return filter_wants_thread(f, s, span) &&
           (!f->domain || is_domain(f, &s->strings, span->domain_name)) &&
           ((!f->name && !f->exact) || matches(f, s, span));
}

bool filter_cut(const struct filter *f, struct span *span) {
    bool instant = span->start == span->end;

    if (span->start >= f->to || (instant ? span->start < f->from : span->end <= f->from)) {
        return false;
    }
    span->start = span->start > f->from ? span->start : f->from;
    span->end = span->end < f->to ? span->end : f->to;
    return true;
}

int64_t filter_within(const struct filter *f, int64_t start, int64_t end) {
    if (f) {
        start = start > f->from ? start : f->from;
        end = end < f->to ? end : f->to;
    }
    return end > start ? end - start : 0;
}
