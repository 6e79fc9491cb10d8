/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_EXPORT_HTML_BUFFER_H
#define NVTXH_EXPORT_HTML_BUFFER_H
/* A growing buffer of bytes: a column of a pack. A zeroed struct is an empty buffer. */
#include "../base/memory.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct html_buffer {
    unsigned char *bytes;
    size_t size, room;
};

static inline void html_byte(struct html_buffer *b, unsigned byte)
{
    ARRAY_ADD(b->bytes, b->size, b->room);
    b->bytes[b->size++] = (unsigned char)byte;
}

/* Adds a varint. */
static inline void html_number(struct html_buffer *b, uint64_t number)
{
    for (; number >= 0x80; number >>= 7) {
        html_byte(b, (unsigned)(number & 0x7f) | 0x80u);
    }
    html_byte(b, (unsigned)number);
}

/* Adds a signed number, zigzag encoded. It is a difference modulo 2^64: the page adds modulo 2^64, too (sum64 in
 * reader.js). */
static inline void html_signed(struct html_buffer *b, uint64_t number)
{
    html_number(b, number << 1 ^ (number >> 63 ? UINT64_MAX : 0));
}

static inline void html_real(struct html_buffer *b, double number)
{
    uint64_t bits;

    memcpy(&bits, &number, sizeof(bits));
    for (int i = 0; i < 8; i++) {
        html_byte(b, (unsigned)(bits >> 8 * i) & 0xff);
    }
}

#endif /* NVTXH_EXPORT_HTML_BUFFER_H */
