/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_WRITE_BUFFER_H
#define NVTXH_WRITE_BUFFER_H
/* Bytes put one after the other, for bodies of definitions, which are rare: it allocates. */
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct buffer {
    char *bytes;
    size_t used, room;
    bool failed; /* no memory: nothing more is added */
};

static inline void buffer_add(struct buffer *b, const void *bytes, size_t size)
{
    if (b->room - b->used < size && !b->failed) {
        int error = errno;
        size_t room = (b->used + size) * 2 + 256;
        char *more = realloc(b->bytes, room);
        if (more) {
            b->bytes = more;
            b->room = room;
        }
        b->failed = !more;
        errno = error;
    }
    if (!b->failed && size) {
        memcpy(b->bytes + b->used, bytes, size);
        b->used += size;
    }
}

/* Texts are cut to what their place for a size can say, and to what makes sense. */
static inline uint32_t buffer_text_size(const char *text)
{
    return text ? (uint32_t)strnlen(text, 1 << 16) : 0;
}

static inline void buffer_free(struct buffer *b)
{
    int error = errno;
    free(b->bytes);
    errno = error;
    *b = (struct buffer){0};
}

#endif /* NVTXH_WRITE_BUFFER_H */
