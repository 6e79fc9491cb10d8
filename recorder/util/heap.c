/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "heap.h"
#include "memory.h"

static bool comes_first(const struct heap_entry *a, const struct heap_entry *b) {
    return a->key != b->key ? a->key < b->key : a->number < b->number;
}

void heap_add(struct heap *h, struct heap_entry new) {
    ARRAY_ADD(h->all, h->count, h->capacity);
    size_t i = h->count++;
    for (size_t up; i > 0 && comes_first(&new, &h->all[up = (i - 1) / 2]); i = up) {
        h->all[i] = h->all[up];
    }
    h->all[i] = new;
}

bool heap_pop(struct heap *h, int64_t most, struct heap_entry *ret) {
    size_t i = 0;

    if (!h->count || h->all[0].key > most) {
        return false;
    }
    struct heap_entry last = h->all[--h->count];
    *ret = h->all[0];
    for (size_t next; (next = 2 * i + 1) < h->count; i = next) {
        next += next + 1 < h->count && comes_first(&h->all[next + 1], &h->all[next]);
        if (!comes_first(&h->all[next], &last)) {
            break;
        }
        h->all[i] = h->all[next];
    }
    h->all[i] = last;
    return true;
}
