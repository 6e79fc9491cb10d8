/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "fold.h"
#include "name.h"
#include "../util/memory.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static bool is_word(char c) {
    return c == '_' || isalpha((unsigned char)c) || (unsigned char)c >= 0x80;
}

char *fold_numbers(const char *name, size_t size, size_t *ret_size) {
    const char *at = name + strcspn(name, "0123456789"), *end = name + size;

    if (at == end) { /* most names have no digits */
        return NULL;
    }
    char *common = must_alloc(NULL, size + 1, 1), *to = mempcpy(common, name, (size_t)(at - name));
    while (at < end) {
        size_t digits = strspn(at, "0123456789");
        bool is_number = digits && (at == name || !is_word(at[-1])) && !is_word(at[digits]);
        if (is_number) {
            *to++ = '#';
        } else {
            to = mempcpy(to, at, digits ? digits : 1);
        }
        at += digits ? digits : 1;
    }
    *to = 0;
    *ret_size = (size_t)(to - common);
    return common;
}

/* The text with '#' for each number; the same text if it has none. */
static uint32_t common_of(struct source *source, uint32_t text) {
    const struct str *name = string_table_at(&source->strings, text);
    size_t size;
    char *common = fold_numbers(name->bytes, name->size, &size);
    uint32_t result = common ? string_table_add(&source->strings, common, size) : text;

    free(common);
    return result;
}

/* The address is valid until the next call. */
static struct fold_name *name_of(struct fold *f, const struct source *source, uint32_t domain_name,
                                 uint32_t text) {
    size_t size;
    char *name = name_of_range(source, domain_name, text, false, &size);
    uint32_t number = string_table_add(&f->names, name, size);

    while (f->count <= number) {
        *ARRAY_NEW(f->all, f->count, f->capacity) = (struct fold_name){0};
    }
    free(name);
    return &f->all[number];
}

void fold_count(struct fold *f, struct source *source, uint32_t domain_name, uint32_t text,
                uint64_t instances) {
    uint32_t common = f->which == FOLD_RARE ? common_of(source, text) : text;

    if (common == text) {
        return;
    }
    struct fold_name *n = name_of(f, source, domain_name, text);
    if (!n->common) {
        size_t i = (size_t)(n - f->all);
        struct fold_name *shared = name_of(f, source, domain_name, common);
        shared->names++;
        n = &f->all[i];
        n->common = (uint32_t)(shared - f->all);
    }
    n->count = (n->source == source ? n->count : 0) + instances;
    n->source = source;
    n->most = n->most > n->count ? n->most : n->count;
}

static bool is_folded(const struct fold_name *common) {
    return common->names >= FOLD_NAMES && 2 * common->rare >= common->names;
}

bool fold_use(struct fold *f, struct source *const *sources, size_t count) {
    bool any = f->which == FOLD_ALL;

    for (size_t i = 0; i < f->count; i++) {
        const struct fold_name *n = &f->all[i];
        f->all[n->common].rare += n->common && n->most <= FOLD_INSTANCES;
    }
    for (size_t i = 0; i < f->count; i++) {
        any |= is_folded(&f->all[i]);
    }
    for (size_t i = 0; i < count && any; i++) {
        sources[i]->fold = f;
        sources[i]->is_again |= f->which == FOLD_RARE;
    }
    if (!any) {
        fold_free(f);
    }
    return any;
}

uint32_t fold_text(struct source *source, const struct span *span) {
    uint64_t key = (uint64_t)span->domain_name << 32 | span->text,
             *known = map_find(&source->folded, key);
    struct fold *f = source->fold;

    if (span->style == SPAN_COUNTER) {
        return span->text;
    }
    if (!known) {
        uint32_t common = common_of(source, span->text);
        bool is_one =
            common != span->text &&
            (f->which == FOLD_ALL || is_folded(name_of(f, source, span->domain_name, common)));
        known = map_add(&source->folded, key, is_one ? common : span->text);
    }
    return (uint32_t)*known;
}

void fold_free(struct fold *f) {
    string_table_free(&f->names);
    free(f->all);
    *f = (struct fold){.which = f->which};
}
