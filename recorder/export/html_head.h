/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_EXPORT_HTML_HEAD_H
#define NVTXH_EXPORT_HTML_HEAD_H
/* The head of a pack: everything that is not in columns, as JSON. */
#include "html_collect.h"
#include "../base/map.h"
#include "../base/memory.h"

#include <stdio.h>

/* The texts that the head of a pack lists. The number of a text is 1 + its index in the list; 0 is no text. */
struct html_texts {
    struct map index; /* number in source.texts -> number in the head */
    uint32_t *all;    /* the list: numbers in source.texts */
    size_t count, room;
};

/* The number of a text in the head; adds the text to the list if it is new. */
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

/* Call it after the columns were made, because it lists the texts that the columns use. */
void html_head_write(const struct html_collected *c, struct html_texts *texts, const char *name, FILE *out);

#endif /* NVTXH_EXPORT_HTML_HEAD_H */
