/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once
/* The presets of one thread. A preset is what pushes have in common: message, domain, category,
 * colour and type of payload. (Pushes with the same message rarely differ in the other four.) A
 * preset is written to the stream once; later pushes that agree with it in all five record its
 * number instead. If the message is a text, its address is not enough, because programs reuse
 * buffers: the text is compared with the preset's copy. Each preset has two possible places in the
 * table. If both hold presets that are in the stream, only every eighth new preset replaces one. */
#include "handle.h"
#include "stream.h"

#include <nvtx3/nvToolsExt.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <wchar.h>

enum {
    PRESETS = 512,    /* a power of two */
    PRESET_TEXT = 72, /* bytes, NUL included; longer messages get no preset */
};

struct preset {
    uint64_t key; /* compared with the key of a push; 0: the preset is not in the stream yet */
    const void *domain;
    uint32_t category, color_type, color, payload_type;
    uint32_t word;     /* the lower half of word 0 of a push's record */
    uint8_t bytes;     /* size of the push's record */
    uint8_t text_size; /* including the NUL; 0: the message is not a text */
    uint32_t *depth;  /* the thread's depth in this domain; NULL: the preset is not in the stream */
    uint64_t message; /* the message's key; preset_define copies it to `key`; 0: an empty place */
    char text[PRESET_TEXT];
};
static_assert(sizeof(struct preset) == 128, "whole cache lines");

/* The key of a message: a handle or a pointer, with its kind in the two highest bits. If a pointer
 * uses these bits itself (as a tag), it gets no preset. PRESET_PLAIN: the message of
 * nvtxRangePushA, which has no attributes. */
enum preset_kind { PRESET_REGISTERED = 0, PRESET_ASCII = 1, PRESET_PLAIN = 2 };

static inline uint64_t preset_key(enum preset_kind kind, const void *message) {
    return (uint64_t)(uintptr_t)message | (uint64_t)kind << 62;
}

struct presets {
    uint32_t chunk;           /* in a ring: the stream's `seq` when the presets were written */
    uint32_t count;           /* how many places are in use */
    uint16_t places[PRESETS]; /* indexes in `all` of the places in use */
    uint32_t refused;         /* how often both places of a new preset had presets in the stream */
    bool learning;            /* true while entry_slow.c changes presets; a fork makes it false */
    struct preset all[PRESETS];
};

/* Returns the element in which a preset is looked for first: a hash of its key and attributes. */
static inline struct preset *preset_spread(struct presets *all, uint64_t key, uint32_t differs) {
    return &all->all[((uint32_t)key ^ differs) * UINT32_C(0x9e3779b1) >> 23];
}
static_assert(PRESETS == 1 << (32 - 23), "the upper bits are the place");

/* A hash of the attributes. For a push without attributes, callers use 0. */
static inline uint32_t preset_differs(const nvtxEventAttributes_t *a, bool is_ascii) {
    return a->color ^ a->category ^ (uint32_t)a->payloadType ^ is_ascii;
}

/* Returns the element in which a preset is looked for second, after `first`. */
static inline struct preset *preset_beside(struct presets *all, const struct preset *first) {
    return &all->all[(size_t)(first - all->all) ^ 1];
}

/* Not 0 if the first 8 bytes of two texts differ. preset_has_text may read beyond the end of a
 * text. A sanitizer in the program would report that if this function called memcmp. */
static inline uint64_t preset_8_differ(const char *text, const char *kept) {
    uint64_t a, b;

    memcpy(&a, text, sizeof(a));
    memcpy(&b, kept, sizeof(b));
    return a ^ b;
}

/* Whether `text` equals the preset's text. Call it only if the key fits: then `text` has the
 * address of the text that the preset was made from. The text_size bytes at this address lie in one
 * page, so they can be read even if the text is now shorter. */
static inline bool preset_has_text(const struct preset *p, const char *text) {
    size_t size = p->text_size, i = 0;

    for (; i + 8 < size; i += 8) {
        if (preset_8_differ(text + i, p->text + i)) {
            return false;
        }
    }
    if (size >= 8) {
        return !preset_8_differ(text + size - 8, p->text + size - 8);
    }
    while (i < size && text[i] == p->text[i]) {
        i++;
    }
    return i == size;
}

/* Empties all places, for another recording, or for another chunk of a ring. */
void presets_forget(struct presets *all);

/* In a ring, a chunk must have all presets that its events use, because older chunks are
 * overwritten. So a new chunk begins without presets. */
static inline void presets_keep(struct presets *all, const struct stream *s) {
    if (s->ring && all->chunk != s->seq) {
        presets_forget(all);
        all->chunk = s->seq;
    }
}

/* Fills in a preset for a push, but not its key. False: the push can have no preset. `domain`: the
 * domain's handle. */
bool preset_describe(struct preset *ret, const void *domain, const nvtxEventAttributes_t *a,
                     enum preset_kind kind);

/* Called before the slow path writes a push. If `wanted` is in the table, but not in the stream
 * yet, returns its element, which the caller must pass to preset_define. Otherwise returns NULL,
 * and adds `wanted` if the table lacks it and has a place. `differs`: see preset_differs. */
struct preset *preset_learn(struct presets *all, const struct preset *wanted, uint32_t differs);

struct intern;

/* Writes a preset to the stream: now the fast path may use it. `domain`: the domain's number.
 * `depth`: the thread's depth in the domain. */
void preset_define(const struct presets *all, struct preset *p, struct stream *s,
                   struct intern *intern, uint32_t domain, uint32_t *depth);

/* Interns the messages of one thread. A message is written to the stream once; later events have
 * its number. A message is looked up by its address first. Programs reuse buffers, so the message
 * is compared with the text kept for its address. If they differ, the message is looked up by its
 * text. When the memory is full, all messages are forgotten, and later written again. */
enum {
    INTERN_SLOTS = 1024,
    INTERN_ENTRIES = 4096,
    INTERN_TEXT = 1 << 20,
    INTERN_LONGEST = 1 << 16, /* longer messages are written each time */
};

/* A struct of zeros has no messages. */
struct intern {
    uint32_t last_id, count, used; /* last number assigned; used entries; used bytes of `text` */
    uint32_t chunk;                /* in a ring: the stream's `seq` when the texts were written */
    struct {
        const void *address;
        uint32_t entry;
    } by_address[INTERN_SLOTS];
    struct {
        uint32_t hash, id, text, size;
    } entries[INTERN_ENTRIES]; /* id 0: free; `text`: an offset into the array `text` below */
    char text[INTERN_TEXT];
};

/* Forgets all messages. Called for a new stream, or if a handler has left a change half done. */
void intern_forget(struct intern *in);

/* Interns a message; returns its number in this stream, or 0 if there was no room for it. */
uint32_t intern_text(struct intern *in, struct stream *s, const char *text);
uint32_t intern_wide(struct intern *in, struct stream *s, const wchar_t *wide);
