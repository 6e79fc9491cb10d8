/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "name.h"
#include "../util/memory.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static const struct str no_message = {.bytes = (char *)"(no message)", .size = 12};

/* See name_of_function. Returns the size of the result; 0: leave the name as it is, because a
 * bracket has no partner, as in C++'s operator<, or because 64 are open. */
static size_t shorten(const struct str *name, char *ret) {
    size_t depth = 0, all = 0, size = 0, parameters = 0;
    /* a bit for each open bracket, the innermost one lowest; 1: it counts in `depth` */
    uint64_t lists = 0;
    char before = 0;

    for (const char *at = name->bytes + (strncmp(name->bytes, "void ", 5) ? 0 : 5); *at;
         before = *at++) {
        bool opens = *at == '<' || *at == '(', closes = (*at == '>' && before != '-') || *at == ')';
        if (all - closes >= 64) { /* no bracket is open, or too many are */
            return 0;
        }
        depth -= closes && (lists & 1);
        parameters = *at == '(' && !all ? size : parameters;
        if (depth < 2) {
            ret[size++] = *at;
        }
        /* A '<' begins a list of arguments. A '(' does so only after a name or '>', so the
         * '(' of a cast, of (instance 1) or of (anonymous namespace) does not. */
        bool is_list =
            *at == '<' || isalnum((unsigned char)before) || before == '_' || before == '>';
        depth += opens && is_list;
        lists = opens ? lists << 1 | is_list : closes ? lists >> 1 : lists;
        all += opens;
        all -= closes;
    }
    return all ? 0 : parameters && before == ')' ? parameters : size;
}

char *name_of_function(const struct str *name, size_t *ret_size) {
    char *brief = must_alloc(NULL, name->size + 1, 1);

    if (!(*ret_size = shorten(name, brief))) {
        memcpy(brief, name->bytes, *ret_size = name->size);
    }
    return brief;
}

char *name_of_range(const struct source *s, uint32_t domain, uint32_t text, bool for_people,
                    size_t *ret_size) {
    const struct string_table *t = &s->strings;
    struct str colon = {.bytes = (char *)":", .size = domain ? 1 : 0}, brief = {.bytes = NULL};
    const struct str *message = text || !for_people ? string_table_at(t, text) : &no_message;

    if (for_people && domain && domain == s->functions) {
        brief.bytes = name_of_function(message, &brief.size);
        message = &brief;
    }
    char *name = str_join((const struct str *const[]){string_table_at(t, domain), &colon, message},
                          3, ret_size);
    free(brief.bytes);
    return name;
}

enum { OF_PROCESS = 128 };

/* " of process 4711 of rank 3 on node7"; "" for the only process. */
static void of_process(const struct source *s, const struct source_process *p, uint32_t pid,
                       char ret[OF_PROCESS]) {
    const char *host = source_host(s, p);
    char rank[32] = "";

    ret[0] = 0;
    if (s->process_count > 1) {
        if (p->identity.rank != REC_RANK_NONE) {
            snprintf(rank, sizeof(rank), " of rank %u", p->identity.rank);
        }
        snprintf(ret, OF_PROCESS, " of process %u%s%s%s", pid, rank, *host ? " on " : "", host);
    }
}

char *name_of_thread(const struct source *s, const struct source_process *p, uint32_t tid,
                     uint32_t pid, bool program, bool name_last, size_t *ret_size) {
    const struct str *name = string_table_at(&s->strings, source_thread(p, tid));
    struct str number = {.bytes = (char[16]){0}}, space = {.bytes = (char *)" "};
    struct str of = {.bytes = (char[OF_PROCESS]){0}}, main;
    bool is_lane = tid >= SOURCE_LANES;

    number.size = is_lane ? 0 : (size_t)sprintf(number.bytes, "%u", tid);
    if (!name->size && program && tid == p->pid) {
        main.bytes = (char *)source_program(s, p);
        main.size = strlen(main.bytes);
        name = &main;
    }
    space.size = name->size && number.size;
    of_process(s, p, pid, of.bytes);
    of.size = strlen(of.bytes);
    return name_last && !is_lane
               ? str_join((const struct str *const[]){&number, &of, &space, name}, 4, ret_size)
               : str_join((const struct str *const[]){&number, &space, name, &of}, 4, ret_size);
}

char *name_of_threads(const struct source *s, const struct source_process *p, uint32_t tid,
                      uint32_t shared, uint32_t threads, size_t *ret_size) {
    const struct str *name = string_table_at(&s->strings, shared);
    char number[32];
    struct str count = {.bytes = number};

    if (threads < 2) {
        return name_of_thread(s, p, tid, p->pid, true, false, ret_size);
    }
    count.size = (size_t)sprintf(number, "%s%u threads", name->size ? ", " : "", threads);
    return str_join((const struct str *const[]){name, &count}, 2, ret_size);
}

uint32_t name_shared(struct source *source, const struct source_process *p, uint32_t tid) {
    const struct str *name = string_table_at(&source->strings, source_thread(p, tid));
    const char *from = name->size ? name->bytes : tid == p->pid ? source_program(source, p) : "";
    char *shared = must_copy(from, strlen(from)), *to = shared;

    for (const char *c = shared; *c; c++) {
        bool is_digit = *c >= '0' && *c <= '9';
        if (!is_digit || to == shared || to[-1] != '*') {
            *to++ = is_digit ? '*' : *c;
        }
    }
    uint32_t text = string_table_add(&source->strings, shared, (size_t)(to - shared));
    free(shared);
    return text;
}

static char *join(const struct str *a, const char *between, const struct str *b, size_t *ret_size) {
    const struct str middle = {.bytes = (char *)between, .size = strlen(between)};
    return str_join((const struct str *const[]){a, &middle, b}, 3, ret_size);
}

char *name_of_row(const struct summary *s, const struct summary_row *row, bool for_people,
                  size_t *ret_size) {
    char number[16] = "";
    struct str empty = {.bytes = (char *)""}, own = {.bytes = number}, counter = {.size = 0},
               thread = {.size = 0};
    const struct string_table *strings = &s->source->strings;
    const struct str *domain = string_table_at(strings, row->domain_name);
    const char *colon = row->domain_name ? ":" : "";

    if (s->by == BY_THREAD) {
        thread.bytes = name_of_thread(s->source, row->process, row->tid, row->process->pid,
                                      for_people, true, &thread.size);
        if (row->style != SPAN_COUNTER) {
            *ret_size = thread.size;
            return thread.bytes;
        }
    }
    if (s->by == BY_RANGE || row->style == SPAN_COUNTER) {
        counter.bytes =
            name_of_range(s->source, row->domain_name, row->text, for_people, &counter.size);
        if (s->by != BY_THREAD) {
            *ret_size = counter.size;
            return counter.bytes;
        }
        char *both = join(&counter, " in ", &thread, ret_size);
        free(counter.bytes);
        free(thread.bytes);
        return both;
    }
    if (s->by == BY_DOMAIN) {
        own.bytes = (char *)"(default)";
        own.size = strlen(own.bytes);
        return join(row->domain_name ? domain : &own, "", &empty, ret_size);
    }
    if (row->category_name) {
        return join(domain, colon, string_table_at(strings, row->category_name), ret_size);
    }
    snprintf(number, sizeof(number), row->has_category ? "%u" : "(none)", row->category);
    own.size = strlen(number);
    return join(domain, colon, &own, ret_size);
}

uint32_t name_pid(const struct source_process *p) {
    return p->pid + (p->again << 24);
}

const struct str *name_of_event(const struct source *source, const struct span *s) {
    const struct str *text = string_table_at(&source->strings, s->text);
    return text->size ? text : &no_message;
}

char *name_of_process(const struct source *source, const struct source_process *p) {
    const char *exe = string_table_get(&source->strings, p->exe), *host = source_host(source, p);
    char rank[24] = "";

    if (p->identity.rank != REC_RANK_NONE) {
        sprintf(rank, " rank %u", p->identity.rank);
    }
    return must_print("%s%s%s%s", exe, rank, *host ? " on " : "", host);
}

const char *name_of_category(const struct source *source, const struct span *s) {
    return string_table_get(&source->strings, source_category(s->process, s->domain, s->category));
}
