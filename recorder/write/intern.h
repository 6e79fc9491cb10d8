/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_WRITE_INTERN_H
#define NVTXH_WRITE_INTERN_H
/* Interns the messages of one thread. A message is written to the stream once; later events have its number. The lookup
 * is by address first, and compares with the text kept here, because programs reuse buffers; then by text. When the
 * memory is full, all messages are forgotten. */
#include <stdint.h>
#include <wchar.h>

enum {
    INTERN_SLOTS = 1024,
    INTERN_ENTRIES = 4096,
    INTERN_TEXT = 1 << 20,
    INTERN_LONGEST = 1 << 16, /* longer messages are written each time */
};

/* All zero is empty. */
struct intern {
    uint32_t last_id, count, used; /* the last number given; entries in use; bytes used in `text` */
    uint32_t chunk;                /* in a ring: the stream's `seq` when the texts were written */
    struct {
        const void *address;
        uint32_t entry;
    } by_address[INTERN_SLOTS];
    struct {
        uint32_t hash, id, text, size;
    } entries[INTERN_ENTRIES]; /* id 0: free; `text`: an offset in `text` below */
    char text[INTERN_TEXT];
};

/* Forgets all messages, because they were written to another recording. */
void intern_forget(struct intern *in);

struct stream;

/* Interns a message; returns its number in this stream, or 0 if there was no room for it. */
uint32_t intern_text(struct intern *in, struct stream *s, const char *text);
uint32_t intern_wide(struct intern *in, struct stream *s, const wchar_t *wide);

#endif /* NVTXH_WRITE_INTERN_H */
