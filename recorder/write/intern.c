/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "preset.h"
#include "losses.h"
#include "text.h"

static uint32_t new_id(struct intern *in) {
    in->last_id = in->last_id % (REC_TEXT_REGISTERED - 1) + 1;
    return in->last_id;
}

/* Returns how many bytes of the text are written. A text that is too long is cut between two
 * characters of UTF-8, which is counted as a loss. */
static size_t size_of(const struct stream *s, const char *text) {
    size_t size = strlen(text), most = stream_longest(s);

    if (size > most) {
        for (size = most / 8 * 8; size && (text[size] & 0xc0) == 0x80; size--) {
        }
        losses_count(REC_LOSS_CUT_TEXT);
    }
    return size;
}

static void forget(struct intern *in) {
    memset(in->by_address, 0, sizeof(in->by_address));
    memset(in->entries, 0, sizeof(in->entries));
    in->count = in->used = 0;
}

void intern_forget(struct intern *in) {
    if (in->last_id) { /* does not touch pages that were never used */
        forget(in);
    }
    in->chunk = 0;
}

/* Called in a ring, where each chunk must have all texts that its events use, because older chunks
 * are overwritten. Begins another chunk if a text of `size` bytes and the next event do not fit
 * into the current one. In a new chunk, forgets the texts of older chunks. */
static void keep_together(struct intern *in, struct stream *s, size_t size) {
    size_t words = 2 + (size + 7) / 8 + 20; /* 2: the text's head; 20: the event and new bases */

    if (stream_capacity(s) < words) {
        stream_reserve(s, words, clock_ticks(file_clock));
    }
    if (in->chunk != s->seq) {
        if (in->count) {
            forget(in);
        }
        in->chunk = s->seq;
    }
}

/* Finds or adds the entry of a text; INTERN_ENTRIES if the text cannot be written. */
static uint32_t find_text(struct intern *in, struct stream *s, const char *text, size_t size) {
    uint32_t hash = hash_bytes(0, text, size), e = hash % INTERN_ENTRIES;

    for (; in->entries[e].id; e = (e + 1) % INTERN_ENTRIES) {
        if (in->entries[e].hash == hash && in->entries[e].size == size &&
            !memcmp(in->text + in->entries[e].text, text, size)) {
            return e;
        }
    }
    if (in->count >= INTERN_ENTRIES / 4 * 3 || INTERN_TEXT - in->used <= size) {
        forget(in);
        e = hash % INTERN_ENTRIES;
    }
    uint32_t id = new_id(in);
    if (!stream_write_long(s, rec_word(REC_TEXT, 0), id, text, size)) {
        return INTERN_ENTRIES;
    }
    memcpy(in->text + in->used, text, size);
    in->text[in->used + size] = 0;
    in->entries[e].hash = hash;
    in->entries[e].id = id;
    in->entries[e].text = in->used;
    in->entries[e].size = (uint32_t)size;
    in->used += (uint32_t)size + 1;
    in->count++;
    return e;
}

uint32_t intern_text(struct intern *in, struct stream *s, const char *text) {
    size_t size = 0;

    if (s->ring) {
        size = size_of(s, text);
        keep_together(in, s, size);
    }
    uint64_t spread = (uint64_t)(uintptr_t)text * UINT64_C(0x9e3779b97f4a7c15);
    size_t slot = (size_t)(spread >> 54) % INTERN_SLOTS;
    uint32_t e = in->by_address[slot].entry;

    if (in->by_address[slot].address == text && !strcmp(text, in->text + in->entries[e].text)) {
        return in->entries[e].id;
    }
    size = s->ring ? size : size_of(s, text);
    if (size > INTERN_LONGEST) {
        uint32_t id = new_id(in);
        return stream_write_long(s, rec_word(REC_TEXT, 0), id, text, size) ? id : 0;
    }
    e = find_text(in, s, text, size);
    if (e == INTERN_ENTRIES) {
        return 0;
    }
    in->by_address[slot].address = text;
    in->by_address[slot].entry = e;
    return in->entries[e].id;
}

uint32_t intern_wide(struct intern *in, struct stream *s, const wchar_t *wide) {
    BUFFER(text);
    const char *utf8 = utf8_make(&text, wide);

    if (!utf8) {
        losses_count(REC_LOSS_CUT_TEXT);
        return 0;
    }
    return intern_text(in, s, utf8);
}
