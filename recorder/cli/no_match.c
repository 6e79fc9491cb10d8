/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What is reported if nothing has the name that the user gave. */
#include "cli.h"
#include "../analysis/name.h"
#include "options.h"
#include "../util/memory.h"
#include "../analysis/summary.h"

#include <stdlib.h>
#include <string.h>

void known_names_add(struct known_names *n, char *name) {
    char *colon = strchr(name, ':');

    *ARRAY_NEW(n->words, n->count, n->capacity) = name;
    *ARRAY_NEW(n->words, n->count, n->capacity) = colon ? colon + 1 : name;
}

/* A regular expression that matches the name. It has no backslash before '.', which matches itself.
 * Free it. */
static char *regex_of(const char *name) {
    char *regex = must_alloc(NULL, 2 * strlen(name) + 1, 1), *to = regex;

    for (; *name; name++) {
        if (strchr("\\^$[()*+?{|", *name)) {
            *to++ = '\\';
        }
        *to++ = *name;
    }
    *to = 0;
    return regex;
}

void known_names_free(struct known_names *n) {
    for (size_t i = 0; i < n->count; i += 2) {
        free(n->words[i]);
    }
    free(n->words);
}

int known_names_lack(struct known_names *n, const char *phrase, const char *value, bool is_regex,
                     const char *otherwise) {
    const char *meant = text_nearest(value, (const char *const *)n->words, n->count);
    size_t i = 0;

    if (meant) {
        while (n->words[i] != meant && n->words[i + 1] != meant) {
            i += 2;
        }
        char *typed = is_regex ? regex_of(n->words[i]) : must_copy(n->words[i], SIZE_MAX);
        cli_say("%s '%.120s'; did you mean '%s'?", phrase, value, typed);
        free(typed);
    } else {
        cli_say("%s '%.120s'%s", phrase, value, otherwise);
    }
    known_names_free(n);
    return EXIT_FAILED;
}

/* The name by which a filter with one value would select the row. Free it. */
static char *name_of(const struct summary *all, const struct summary_row *row,
                     const struct filter *only) {
    const struct string_table *strings = &all->source->strings;
    uint32_t text = only->thread ? source_thread(row->process, row->tid) : row->domain_name;
    size_t size;

    return !only->thread && !only->domain ? name_of_row(all, row, false, &size)
           : only->domain && !text        ? must_copy("default", SIZE_MAX)
                                          : must_copy(string_table_get(strings, text), SIZE_MAX);
}

/* Whether a filter with one value selects anything in the source, whatever the source's filter
 * selects. Adds the names by which it might. */
static bool is_in(struct source *s, struct filter *only, struct known_names *names) {
    struct filter *filter = s->filter;
    struct summary all;
    bool is = false;

    s->filter = NULL;
    s->is_again = true;
    summary_make(&all, s, only->thread ? BY_THREAD : BY_RANGE);
    s->filter = filter;
    cli_progress_done();
    for (size_t i = 0; i < all.count && !is; i++) {
        const struct summary_row *row = &all.rows[i];
        const struct span span = {.process = row->process,
                                  .tid = row->tid,
                                  .domain_name = row->domain_name,
                                  .text = row->text};
        if (!only->exact || row->style < SPAN_MARK) {
            is = filter_wants(only, s, &span);
            known_names_add(names, name_of(&all, row, only));
        }
    }
    summary_free(&all);
    map_free(&only->matches);
    return is;
}

/* The end of a message: how to see what there is. `by`: " --by WHAT" or "". Free it. */
static char *hint(const char *by, const char *path) {
    char *file = shell_file(path);
    char *text = must_print("; nvtxh stats%s %s shows what there is", by, file);

    free(file);
    return text;
}

static bool are_empty(struct source *const *sources, size_t count) {
    while (count > 0 && sources[count - 1]->is_empty) {
        count--;
    }
    return !count;
}

int options_no_match(const char *what, const struct filter *f, struct source *const *sources,
                     size_t count, const char *path) {
    enum { VALUES = 4 };
    static const struct {
        const char *option, *phrase;
        const char *by; /* the option of nvtxh stats that lists the values */
    } all[VALUES] = {{"--domain", "nothing is in a domain", " --by domain"},
                     {"--thread", "nothing is on a thread", " --by thread"},
                     {"--name", "no range is named", ""},
                     {"the range", "no range is named", ""}};
    const char *const given[VALUES] = {f->domain, f->thread, f->name, f->exact}, *by = NULL;
    bool window = f->from != INT64_MIN || f->to != INT64_MAX, is_lacking = false;
    char list[640] = "", *end = NULL;

    if (count && are_empty(sources, count)) {
        return cli_fail("%s matches: %s is empty", what, path);
    }
    for (size_t i = 0; i < VALUES && !is_lacking; i++) {
        struct filter only = {
            .from = INT64_MIN, .to = INT64_MAX, .regex = f->regex, .has_default = f->has_default};
        const char **const values[VALUES] = {&only.domain, &only.thread, &only.name, &only.exact};
        struct known_names names = {0};
        size_t k = 0;
        if (!given[i]) {
            continue;
        }
        *values[i] = given[i];
        text_append(list, sizeof(list), "", " %s %.120s", all[i].option, given[i]);
        by = by ? by : all[i].by;
        while (k < count && !is_in(sources[k], &only, &names)) {
            k++;
        }
        is_lacking = count && k == count;
        if (is_lacking) {
            end = hint(all[i].by, path);
            known_names_lack(&names, all[i].phrase, given[i], only.name != NULL, end);
        } else {
            known_names_free(&names);
        }
    }
    if (!is_lacking) {
        end = hint(by ? by : "", path);
        cli_say("%s matches%s%s%s", what, list,
                !window ? ""
                : *list ? " in that time"
                        : " that time",
                end);
    }
    free(end);
    return EXIT_FAILED;
}
