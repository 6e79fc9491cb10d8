/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_WRITE_BUFFER_H
#define NVTXH_WRITE_BUFFER_H
/* A growing buffer of bytes, for bodies of definitions. It does not use malloc, because a signal handler may define
 * things: the first bytes are in the struct itself, more are in pages. */
#include "arena.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { BUFFER_HERE = 256 };

/* The buffer is empty when all members except `here` are 0. */
struct buffer {
    char *pages;       /* NULL: the bytes are in `here` */
    size_t used, room; /* `room`: the size of `pages` */
    bool failed;       /* there was no memory; nothing more is added */
    char here[BUFFER_HERE];
};

/* Makes the buffer empty. An initializer would also clear the bytes of `here`. */
static inline void buffer_init(struct buffer *b)
{
    b->pages = NULL;
    b->used = b->room = 0;
    b->failed = false;
}

static inline char *buffer_bytes(struct buffer *b)
{
    return b->pages ? b->pages : b->here;
}

static inline void buffer_grow(struct buffer *b, size_t size)
{
    size_t room = (b->used + size) * 2 + 4096;
    char *more = b->pages ? scratch_resize(b->pages, b->room, room) : scratch_new(room);

    if (!more) {
        b->failed = true;
        return;
    }
    if (!b->pages) {
        memcpy(more, b->here, b->used);
    }
    b->pages = more;
    b->room = room;
}

static inline void buffer_add(struct buffer *b, const void *bytes, size_t size)
{
    if ((b->pages ? b->room : BUFFER_HERE) - b->used < size && !b->failed) {
        buffer_grow(b, size);
    }
    if (!b->failed && size) {
        memcpy(buffer_bytes(b) + b->used, bytes, size);
        b->used += size;
    }
}

/* Frees the pages and makes the buffer empty. */
static inline void buffer_free(struct buffer *b)
{
    if (b->pages) {
        scratch_drop(b->pages, b->room);
    }
    buffer_init(b);
}

#endif /* NVTXH_WRITE_BUFFER_H */
