/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once
/* Writes the records of events to a stream (stream.h). */
#include "ext_abi.h"
#include "file.h"
#include "losses.h"
#include "stream.h"

#include <nvtx3/nvToolsExt.h>
#include <stdint.h>

/* An event's record has at most these 64-bit words: word 0; range id; message and colour; category
 * and 32-bit payload; 64-bit payload. */
enum { WORDS_MOST = 5 };

/* NVTX_PAYLOAD_TYPE_EXT: the payload points to an array of `reserved0` structs (ext_data). */
#define PAYLOAD_EXTENDED UINT32_C(0xdfbd0009)

/* The flags that say whether a record (in its word 0) or a preset has a colour and a category. */
static inline uint64_t record_flags(uint32_t color_type, uint32_t category) {
    return (color_type == NVTX_COLOR_ARGB ? REC_HAS_COLOR : 0u) |
           (category ? REC_HAS_CATEGORY : 0u);
}

/* Writes the words of the attributes. Returns the address after them, and the flags for word 0. */
static inline uint64_t *record_write_attributes(uint64_t *at, const nvtxEventAttributes_t *a,
                                                uint32_t text, uint64_t *ret_flags) {
    uint64_t flags = record_flags((uint32_t)a->colorType, a->category), word = text;

    if (flags & REC_HAS_COLOR) {
        word |= (uint64_t)a->color << 32;
    }
    *at++ = word;
    unsigned payload = (unsigned)a->payloadType;
    int payload_words = rec_payload_words(payload);
    if (payload_words) {
        flags |= (uint64_t)payload << 5;
    } else if (payload && payload != PAYLOAD_EXTENDED) {
        losses_count(REC_LOSS_TYPE);
    }
    if (a->category || payload_words == 1) {
        uint32_t half = payload_words == 1 ? a->payload.uiValue : 0;
        *at++ = (uint64_t)a->category | (uint64_t)half << 32;
    }
    if (payload_words == 2) {
        *at++ = a->payload.ullValue;
    }
    *ret_flags = flags;
    return at;
}

/* Writes an event. Reads the time only here, after the caller has looked up the text, because a
 * range must not contain the recorder's work. `id`: a process range's, or 0. `a` may be NULL. */
static inline void record_write_event(struct stream *s, uint64_t word, uint64_t id, uint32_t text,
                                      const nvtxEventAttributes_t *a) {
    const struct rec_chunk *chunk;
    uint64_t ticks, *begin;

    do {
        chunk = s->chunk;
        ticks = clock_ticks(file_clock);
        begin = stream_reserve(s, WORDS_MOST, ticks);
        if (__builtin_expect(!begin, 0)) {
            stream_drop(s);
            return;
        }
    } while (__builtin_expect(s->chunk != chunk, 0)); /* a new chunk was made: `ticks` is too old */
    uint64_t *at = begin + 1;
    if (id) {
        *at++ = id;
    }
    if (a) {
        uint64_t flags;
        at = record_write_attributes(at, a, text, &flags);
        word |= flags;
    } else {
        *at++ = text;
    }
    *begin = word | stream_time(s, ticks);
    stream_publish(s, (size_t)(at - begin));
}

/* Writes a record: `word` with the time, then the `count` words of `rest`. */
static inline void record_write_words(struct stream *s, uint64_t word, uint64_t ticks,
                                      const uint64_t *rest, size_t count) {
    uint64_t *at = stream_reserve(s, 1 + count, ticks);

    if (!at) {
        stream_drop(s);
        return;
    }
    at[0] = word | stream_time(s, ticks);
    for (size_t i = 0; i < count; i++) {
        at[1 + i] = rest[i];
    }
    stream_publish(s, 1 + count);
}

/* Writes the `count` payloads of the next event: their bytes, and copies of the data that pointers
 * marked for deep copy lead to. The data is copied now, because the program may
 * change it later; only readers of the recording decode the bytes. Counts a loss if the record is
 * too large, or there is no room. */
void record_payload(struct stream *s, uint32_t domain, const struct ext_data *data, size_t count);

/* schema_layout_add keeps the offsets of a schema's pointers for record_payload, and counts as
 * losses the pointers that cannot be followed. schema_layout_add_enum keeps the size of an enum. */
void schema_layout_add(uint32_t domain, uint64_t schema, const struct ext_schema *s);
void schema_layout_add_enum(uint32_t domain, uint64_t schema, size_t size);
