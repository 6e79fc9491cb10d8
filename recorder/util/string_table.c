/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "string_table.h"
#include "memory.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

const struct str str_no_message = {.bytes = (char *)"(no message)",
                                   .size = sizeof("(no message)") - 1};

static uint32_t hash_bytes(const char *bytes, size_t size) {
    uint64_t hash = UINT64_C(0xcbf29ce484222325);

    for (size_t i = 0; i < size; i++) {
        hash = (hash ^ (unsigned char)bytes[i]) * UINT64_C(0x100000001b3);
    }
    return (uint32_t)(hash ^ hash >> 29);
}

static void grow_buckets(struct string_table *t) {
    t->bucket_count = t->bucket_count ? t->bucket_count * 2 : 256;
    t->buckets = must_alloc(t->buckets, t->bucket_count, sizeof(*t->buckets));
    memset(t->buckets, 0, t->bucket_count * sizeof(*t->buckets));
    for (uint32_t i = 1; i < t->count; i++) {
        uint32_t *bucket = &t->buckets[t->all[i].hash % t->bucket_count];
        t->all[i].next = *bucket;
        *bucket = i;
    }
}

static uint32_t find_text(const struct string_table *t, uint32_t hash, const char *bytes,
                          size_t size) {
    uint32_t i = t->bucket_count ? t->buckets[hash % t->bucket_count] : 0;

    while (i && (t->all[i].hash != hash || t->all[i].size != size ||
                 memcmp(t->all[i].bytes, bytes, size) != 0)) {
        i = t->all[i].next;
    }
    return i;
}

uint32_t string_table_add(struct string_table *t, const char *bytes, size_t size) {
    uint32_t hash = hash_bytes(bytes, size);
    if (!t->count) {
        t->count = STRING_EMPTY; /* number 0 is "no text" */
        string_table_add(t, "", 0);
    }
    uint32_t found = find_text(t, hash, bytes, size);
    if (found) {
        return found;
    }
    if (t->count >= t->bucket_count) {
        grow_buckets(t);
    }
    while (t->count >= t->capacity) {
        ARRAY_ADD(t->all, t->count, t->capacity);
    }
    struct str *text = &t->all[t->count];
    *text = (struct str){.bytes = must_alloc(NULL, size + 1, 1), .size = size, .hash = hash};
    memcpy(text->bytes, bytes, size);
    text->bytes[size] = 0;
    text->next = t->buckets[hash % t->bucket_count];
    t->buckets[hash % t->bucket_count] = t->count;
    return t->count++;
}

const struct str *string_table_at(const struct string_table *t, uint32_t number) {
    static const struct str none = {.bytes = (char *)""};
    return number && number < t->count ? &t->all[number] : &none;
}

const char *string_table_get(const struct string_table *t, uint32_t number) {
    return string_table_at(t, number)->bytes;
}

char *str_join(const struct str *const *parts, size_t count, size_t *ret_size) {
    char *joined = NULL;

    *ret_size = 0;
    for (size_t i = 0; i < count; i++) {
        joined = must_alloc(joined, *ret_size + parts[i]->size + 1, 1);
        memcpy(joined + *ret_size, parts[i]->bytes, parts[i]->size);
        *ret_size += parts[i]->size;
        joined[*ret_size] = 0;
    }
    return joined;
}

/* See function_short_name. Returns the size of the result; 0: leave the name as it is, because a
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

char *function_short_name(const struct str *name, size_t *ret_size) {
    char *brief = must_alloc(NULL, name->size + 1, 1);

    if (!(*ret_size = shorten(name, brief))) {
        memcpy(brief, name->bytes, *ret_size = name->size);
    }
    return brief;
}

char *string_table_range(const struct string_table *t, uint32_t domain, uint32_t text,
                         bool for_people, size_t spaces, size_t *ret_size) {
    char blank[80];
    struct str before = {.bytes = blank, .size = spaces < sizeof(blank) ? spaces : sizeof(blank)};
    struct str colon = {.bytes = (char *)":", .size = domain ? 1 : 0};
    const struct str *message = text || !for_people ? string_table_at(t, text) : &str_no_message;
    struct str brief = {.bytes = NULL};

    memset(blank, ' ', sizeof(blank));
    if (for_people && domain && domain == t->functions) {
        brief.bytes = function_short_name(message, &brief.size);
        message = &brief;
    }
    char *name =
        str_join((const struct str *const[]){&before, string_table_at(t, domain), &colon, message},
                 4, ret_size);
    free(brief.bytes);
    return name;
}

void string_table_free(struct string_table *t) {
    for (uint32_t i = 1; i < t->count; i++) {
        free(t->all[i].bytes);
    }
    free(t->all);
    free(t->buckets);
    *t = (struct string_table){0};
}
