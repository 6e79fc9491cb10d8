/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once
/* A binary heap, for items that end in another order than they began. A struct of zeros is an empty
 * heap. The caller frees `all`. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct heap {
    struct heap_entry {
        int64_t key;     /* mostly the time at which something ends */
        uint64_t number; /* of entries with equal keys, the smallest number comes first */
        uint64_t item;   /* whatever the caller needs */
    } * all;
    size_t count, capacity;
};

void heap_add(struct heap *h, struct heap_entry new);

/* Takes out the entry with the smallest key. False: the heap is empty, or the smallest key is
 * larger than `most`. */
bool heap_pop(struct heap *h, int64_t most, struct heap_entry *ret);
