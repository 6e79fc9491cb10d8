/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "string_table.h"
#include "memory.h"

#include <stdlib.h>
#include <string.h>

uint64_t str_hash(const char *bytes, size_t size) {
    uint64_t hash = UINT64_C(0xcbf29ce484222325);

    for (size_t i = 0; i < size; i++) {
        hash = (hash ^ (unsigned char)bytes[i]) * UINT64_C(0x100000001b3);
    }
    return hash;
}

static uint32_t hash_of_bucket(const char *bytes, size_t size) {
    uint64_t hash = str_hash(bytes, size);
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
    uint32_t hash = hash_of_bucket(bytes, size);
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

void string_table_free(struct string_table *t) {
    for (uint32_t i = 1; i < t->count; i++) {
        free(t->all[i].bytes);
    }
    free(t->all);
    free(t->buckets);
    *t = (struct string_table){0};
}
