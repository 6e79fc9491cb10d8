/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_EXPORT_HTML_TEXTS_H
#define NVTXH_EXPORT_HTML_TEXTS_H
/* The texts that the head of a pack lists. The number of a text is 1 + its index in the list; 0 is no text. */
#include "../base/map.h"
#include "../base/memory.h"

struct html_texts {
    struct map index; /* number in source.texts -> number in the head */
    uint32_t *all;    /* the list: numbers in source.texts */
    size_t count, room;
};

/* Returns the number of a text in the head; adds it to the list if it is new. */
static inline uint32_t html_text(struct html_texts *t, uint32_t text)
{
    if (!text) {
        return 0;
    }
    uint64_t number = *map_add(&t->index, text, t->count + 1);
    if (number == t->count + 1) {
        ARRAY_ADD(t->all, t->count, t->room);
        t->all[t->count++] = text;
    }
    return (uint32_t)number;
}

#endif /* NVTXH_EXPORT_HTML_TEXTS_H */
