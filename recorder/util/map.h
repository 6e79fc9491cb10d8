/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once
/* A hash map from one number to another. A struct of zeros is an empty map. The order of the slots
 * is another one in each process, so no output may depend on it. */
#include "memory.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct map {
    struct map_slot {
        uint64_t key, value;
        bool taken;
    } * slots;
    size_t capacity, count;
};

/* The address of the value of a key, or NULL. */
uint64_t *map_find(const struct map *m, uint64_t key);

/* Adds a key with `value`; a key that is there already keeps its value. Returns the address of the
 * key's value. The address is valid until the next map_add or map_remove. */
uint64_t *map_add(struct map *m, uint64_t key, uint64_t value);

/* Returns the index of a key's element in a growing array; the map holds the index of each key. For
 * a new key, evaluates the last argument and appends it as the key's element. */
#define MAP_INTERN(map, key, array, count, capacity, ...)                                          \
    __extension__({                                                                                \
        uint64_t index_ = *map_add((map), (key), (count));                                         \
        if (index_ == (count)) {                                                                   \
            *ARRAY_NEW(array, count, capacity) = (__VA_ARGS__);                                    \
        }                                                                                          \
        (uint32_t) index_;                                                                         \
    })

void map_remove(struct map *m, uint64_t key);
/* A copy of the m->count keys with their values, sorted by keys. The caller frees it. */
struct map_slot *map_sorted(const struct map *m);
/* Replaces the contents of *to by a copy of the contents of *from. */
void map_copy(struct map *to, const struct map *from);
void map_free(struct map *m);

/* Mixes a number into a hash, for keys that are made of several numbers. */
static inline uint64_t map_mix(uint64_t hash, uint64_t more) {
    hash = (hash ^ more) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 29;
}
