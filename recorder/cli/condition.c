/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "record.h"
#include "cli.h"
#include "../util/memory.h"
#include "../format/environment.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    int number;
} signals[] = {{"SIGUSR1", SIGUSR1}, {"SIGUSR2", SIGUSR2}, {"SIGHUP", SIGHUP}};

static bool is_space(char c) {
    return c == ' ' || c == '\t';
}

/* Copies a part of a text without the spaces around it. NULL if nothing is left. */
static char *trimmed(const char *from, const char *to) {
    while (from < to && is_space(*from)) {
        from++;
    }
    while (to > from && is_space(to[-1])) {
        to--;
    }
    return from < to ? must_copy(from, (size_t)(to - from)) : NULL;
}

/* Finds the operator: the last word `stuck` or, if there is none, the last of < <= > >= == and =
 * (parse_bound refuses =). Returns where the operator begins; NULL if there is no operator. */
static const char *find_operator(const char *text, const char **ret_end, char ret_compare[3]) {
    const char *end = text + strlen(text), *at = end;

    for (const char *word = text; (word = strstr(word, " stuck ")) != NULL; word++) {
        at = word + 1;
        *ret_end = at + 5;
        ret_compare[0] = 0;
    }
    for (const char *p = end; at == end && p-- > text;) {
        if (strchr("<>=", *p)) {
            size_t size = *p == '=' && p > text && strchr("<>=", p[-1]) ? 2 : 1;
            at = p - (size - 1);
            *ret_end = p + 1;
            memcpy(ret_compare, at, size);
            ret_compare[size] = 0;
        }
    }
    return at == end ? NULL : at;
}

/* Parses NAME > TIME, NAME stuck TIME or COUNTER > NUMBER. The operator is from `at` to `after`. On
 * failure, *ret_wanted says what is expected at byte *ret_place of the text. */
static bool parse_bound(struct condition *c, const char *text, const char *at, const char *after,
                        size_t *ret_place, const char **ret_wanted) {
    char *bound = trimmed(after, after + strlen(after)), *end;
    size_t size = bound ? strlen(bound) : 0;
    bool stuck = !*c->compare, is_time = size && strchr("0123456789.", bound[size - 1]) == NULL;
    int64_t ns = 0;

    c->name = trimmed(text, at);
    c->kind = stuck ? CONDITION_STUCK : is_time ? CONDITION_LONGER : CONDITION_VALUE;
    for (*ret_place = (size_t)(after - text); is_space(text[*ret_place]);) {
        ++*ret_place;
    }
    *ret_wanted = NULL;
    if (c->kind == CONDITION_VALUE) {
        c->bound = bound ? nvtxh_i_number_read(bound, &end) : 0;
        *ret_wanted = !bound || *end || !isfinite(c->bound)
                          ? "a time with its unit, such as 50ms, or a number for a counter"
                          : NULL;
    } else if (!bound || !is_time || !rec_parse_time(bound, &ns) || ns <= 0) {
        *ret_wanted = "a time with its unit, such as 50ms";
    }
    c->bound = c->kind == CONDITION_VALUE ? c->bound : (double)ns;
    free(bound);
    if (!c->name || (c->kind == CONDITION_LONGER && *c->compare != '>') ||
        !strcmp(c->compare, "=")) {
        *ret_place = c->name ? (size_t)(at - text) : 0;
        *ret_wanted = !c->name                   ? "a name"
                      : !strcmp(c->compare, "=") ? "==, or another comparison"
                                                 : "> before a time";
    }
    return !*ret_wanted;
}

static bool parse_signal(struct condition *c, const char *name) {
    for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++) {
        if (text_equal(name, signals[i].name) || text_equal(name, signals[i].name + 3)) {
            c->signal = signals[i].number;
        }
    }
    return c->signal;
}

static bool parse_condition(struct condition *c, const char *text, size_t *ret_place,
                            const char **ret_wanted) {
    const char *after = NULL;

    *c = (struct condition){.text = text};
    const char *at = find_operator(text, &after, c->compare);
    if (at) {
        return parse_bound(c, text, at, after, ret_place, ret_wanted);
    }
    char *word = trimmed(text, text + strlen(text));
    size_t first = word ? strcspn(word, " \t") : 0;
    char *rest = word ? trimmed(word + first, word + strlen(word)) : NULL;
    bool done = false;
    *ret_place = strlen(text);
    *ret_wanted = "a comparison after the name, such as > 50ms";
    if (!word) {
        *ret_wanted = "a condition: " CONDITION_GRAMMAR;
    } else if (!rest && (!strcmp(word, "call") || !strcmp(word, "death"))) {
        c->kind = *word == 'c' ? CONDITION_CALL : CONDITION_DEATH;
        done = true;
    } else if (first == 4 && !strncmp(word, "mark", 4)) {
        c->kind = CONDITION_MARK;
        c->name = rest ? must_copy(rest, SIZE_MAX) : NULL;
        *ret_wanted = "the name of a mark";
        done = rest != NULL;
    } else if (first == 6 && !strncmp(word, "signal", 6)) {
        c->kind = CONDITION_SIGNAL;
        const char *place = strstr(text, word) + first;
        *ret_place = (size_t)(place - text) + strspn(place, " \t");
        *ret_wanted = "USR1, USR2 or HUP";
        done = rest && parse_signal(c, rest);
    }
    free(rest);
    free(word);
    return done;
}

int condition_parse(struct condition *c, const char *text) {
    const char *wanted;
    size_t place;
    int column = 0;

    if (parse_condition(c, text, &place, &wanted)) {
        return EXIT_DONE;
    }
    free(c->name);
    cli_usage("record", "--snapshot-when: expected %s", wanted);
    for (size_t i = 0; i < place; i++) {
        column += ((unsigned char)text[i] & 0xc0) != 0x80; /* counts UTF-8 characters, not bytes */
    }
    cli_say("  %s", text);
    cli_say("  %*s^", column, "");
    return EXIT_USAGE;
}

bool condition_is_about(const struct condition *c, enum span_style style, const char *name) {
    bool of_kind = c->kind == CONDITION_MARK    ? style == SPAN_MARK
                   : c->kind == CONDITION_VALUE ? style == SPAN_COUNTER
                                                : style == SPAN_PUSH_POP || style == SPAN_START_END;
    return c->name && of_kind && !strcmp(c->name, name);
}

bool condition_holds(const struct condition *c, double value) {
    bool same = c->compare[1] == '=';

    return c->compare[0] == '<'   ? value < c->bound || (same && value <= c->bound)
           : c->compare[0] == '=' ? !(value < c->bound) && !(value > c->bound)
                                  : value > c->bound || (same && value >= c->bound);
}
