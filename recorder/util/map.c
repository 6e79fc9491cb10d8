/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "map.h"

#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

/* Random numbers, other ones in each process, so that nobody can write a file whose keys have one
 * home slot. */
static uint64_t seed[2];

__attribute__((constructor)) static void choose_seed(void) {
    const void *random = (const void *)(uintptr_t)getauxval(AT_RANDOM); /* 16 bytes */

    if (random) {
        memcpy(seed, random, sizeof(seed));
    }
}

static size_t home(const struct map *m, uint64_t key) {
    __extension__ unsigned __int128 product =
        (unsigned __int128)(key ^ seed[0]) * (seed[1] ^ UINT64_C(0x9e3779b97f4a7c15));

    return (size_t)(product ^ product >> 64) & (m->capacity - 1);
}

static struct map_slot *slot_of(const struct map *m, uint64_t key) {
    size_t i = home(m, key);

    while (m->slots[i].taken && m->slots[i].key != key) {
        i = (i + 1) & (m->capacity - 1);
    }
    return &m->slots[i];
}

static void grow_map(struct map *m) {
    struct map old = *m;

    m->capacity = old.capacity ? old.capacity * 2 : 64;
    m->slots = must_alloc(NULL, m->capacity, sizeof(*m->slots));
    for (size_t i = 0; i < m->capacity; i++) {
        m->slots[i] = (struct map_slot){0};
    }
    for (size_t i = 0; i < old.capacity; i++) {
        if (old.slots[i].taken) {
            *slot_of(m, old.slots[i].key) = old.slots[i];
        }
    }
    free(old.slots);
}

uint64_t *map_find(const struct map *m, uint64_t key) {
    struct map_slot *slot = m->capacity ? slot_of(m, key) : NULL;

    return slot && slot->taken ? &slot->value : NULL;
}

uint64_t *map_add(struct map *m, uint64_t key, uint64_t value) {
    if (m->count >= m->capacity / 2) {
        grow_map(m);
    }
    struct map_slot *slot = slot_of(m, key);
    if (!slot->taken) {
        *slot = (struct map_slot){key, value, true};
        m->count++;
    }
    return &slot->value;
}

void map_remove(struct map *m, uint64_t key) {
    struct map_slot *slot = m->capacity ? slot_of(m, key) : NULL;

    if (!slot || !slot->taken) {
        return;
    }
    /* A search for a key begins at its home slot (which its hash selects) and ends at the next
     * empty slot. The removed key leaves a hole, which would end searches too early. So later keys
     * move into the hole, but not those whose home slot lies after the hole. */
    size_t hole = (size_t)(slot - m->slots);
    for (size_t i = (hole + 1) & (m->capacity - 1); m->slots[i].taken;
         i = (i + 1) & (m->capacity - 1)) {
        size_t from_home = (i - home(m, m->slots[i].key)) & (m->capacity - 1);
        if (from_home >= ((i - hole) & (m->capacity - 1))) {
            m->slots[hole] = m->slots[i];
            hole = i;
        }
    }
    m->slots[hole].taken = false;
    m->count--;
}

ARRAY_ORDER(by_key, struct map_slot, ORDER(x->key, y->key))

struct map_slot *map_sorted(const struct map *m) {
    struct map_slot *all = must_alloc(NULL, m->count, sizeof(*all));
    size_t count = 0;

    for (size_t i = 0; i < m->capacity; i++) {
        if (m->slots[i].taken) {
            all[count++] = m->slots[i];
        }
    }
    ARRAY_SORT(all, count, by_key);
    return all;
}

void map_copy(struct map *to, const struct map *from) {
    to->slots = must_copy_array(to->slots, from->slots, from->capacity, sizeof(*to->slots));
    to->capacity = from->capacity;
    to->count = from->count;
}

void map_free(struct map *m) {
    free(m->slots);
    *m = (struct map){0};
}
