/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_INJECT_PRESET_H
#define NVTXH_INJECT_PRESET_H
/*
 * What one thread's pushes have had in common: message, domain, category, colour and the type of the
 * payload, which seldom change between two pushes with one message. Said once in the stream, and a
 * number from then on. A push must be the same in everything to be taken for one of these; a message by
 * pointer is compared with the text kept here, since programs reuse buffers.
 *
 * Two places for each; what finds neither free takes one from another now and then.
 */
#include "stream.h"

#include <nvtx3/nvToolsExt.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum {
    PRESETS = 512,    /* a power of two */
    PRESET_TEXT = 72, /* longer messages have none */
};

struct preset {
    uint64_t message; /* pointer or handle */
    const void *domain;
    uint32_t type; /* of the message; PRESET_... below */
    uint32_t color_type, color, category, payload_type;
    uint32_t word;      /* the lower half of word 0 */
    uint16_t bytes;     /* of the record */
    uint16_t text_size; /* with its end; 0: the message is no text */
    uint32_t *depth;    /* the thread's, in this domain */
    char text[PRESET_TEXT];
};
static_assert(sizeof(struct preset) == 128, "whole cache lines");

/* In place of the type: seen once, not in the stream yet. Of nvtxRangePushA, which has no attributes. */
#define PRESET_SEEN UINT32_C(0x80000000)
#define PRESET_PLAIN UINT32_C(0x40000000)

/* All zero is empty; one without a message is. */
struct presets {
    uint32_t chunk; /* of a ring: they are in the stream's chunk of this number */
    uint32_t count; /* places in use, and which */
    uint16_t places[PRESETS];
    uint32_t refused; /* places that were asked for, and have been in use */
    struct preset all[PRESETS];
};

/* Where a preset is looked for first: by the pointer or handle of the message, and what else differs. The sum
 * is hidden from the compiler, which would rather do it again for each member. */
static inline struct preset *preset_first(struct presets *all, uint64_t message, uint32_t differs)
{
    uint32_t spread = ((uint32_t)message ^ differs) * UINT32_C(0x9e3779b1);
    struct preset *p = &all->all[spread >> 23];

    __asm__("" : "+r"(p));
    return p;
}
static_assert(PRESETS == 1 << (32 - 23), "the upper bits are the place");

/* The other place. */
static inline struct preset *preset_second(struct presets *all, const struct preset *first)
{
    return &all->all[(size_t)(first - all->all) ^ 1];
}

/* Whether the text is that of the preset. Both are known to lie in one page each. */
static inline bool preset_says(const struct preset *p, const char *text)
{
    const char *end = text + p->text_size, *kept_end = p->text + p->text_size;
    uint64_t a, b, c, d;
    uint32_t e, f, g, h;

    if (p->text_size > 7) {
        for (size_t i = 0; text + i + 8 < end; i += 8) {
            memcpy(&a, text + i, 8);
            memcpy(&b, p->text + i, 8);
            if (a != b) {
                return false;
            }
        }
        memcpy(&c, end - 8, 8);
        memcpy(&d, kept_end - 8, 8);
        return c == d;
    }
    if (p->text_size > 3) {
        memcpy(&e, text, 4);
        memcpy(&f, p->text, 4);
        memcpy(&g, end - 4, 4);
        memcpy(&h, kept_end - 4, 4);
        return ((e ^ f) | (g ^ h)) == 0;
    }
    return text[0] == p->text[0] && (!text[0] || (text[1] == p->text[1] && end[-1] == 0));
}

/*
 * A push of the calling thread that none of its presets fits is about to be written by other means. The
 * second time that happens to the same one, its preset is written to the stream. `number` is that of
 * the domain whose handle is `domain`.
 */
void preset_learn(const void *domain, uint32_t number, const nvtxEventAttributes_t *a,
                  uint32_t type);

void presets_forget(struct presets *all);

/* In a ring, a chunk must have all the presets of its events: a new one begins without. */
static inline void presets_keep(struct presets *all, const struct stream *s)
{
    if (s->ring && all->chunk != s->seq) {
        presets_forget(all);
        all->chunk = s->seq;
    }
}

#endif /* NVTXH_INJECT_PRESET_H */
