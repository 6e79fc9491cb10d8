/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reads the sections of an image by address. */
#include "image.h"
#include "../base/memory.h"

#include <string.h>

#define TEXT_MOST 16384 /* bytes; a longer text counts as none */

static const struct image_section *at(const struct image *image, uint64_t address)
{
    size_t next = ARRAY_SEARCH(i, 0, image->count, image->sections[i].address <= address);
    const struct image_section *s = next ? &image->sections[next - 1] : NULL;
    return s && address - s->address < s->size ? s : NULL;
}

bool image_word(const struct image *image, uint64_t address, uint64_t *ret_word)
{
    const struct image_section *s = at(image, address);
    uint64_t *relocated = map_find(&image->pointers, address);

    if (!s || s->size - (address - s->address) < 8) {
        return false;
    }
    memcpy(ret_word, s->bytes + (address - s->address), 8);
    if (relocated) {
        *ret_word = *relocated;
    }
    return true;
}

const char *image_text(const struct image *image, uint64_t address)
{
    const struct image_section *s = at(image, address);

    size_t left = s ? (size_t)(s->size - (address - s->address)) : 0;
    if (!s || !memchr(s->bytes + (address - s->address), 0, left < TEXT_MOST ? left : TEXT_MOST)) {
        return NULL;
    }
    return (const char *)s->bytes + (address - s->address);
}

bool image_has_text(const struct image *image, const char *text)
{
    for (size_t i = 0; i < image->count; i++) {
        if (memmem(image->sections[i].bytes, image->sections[i].size, text, strlen(text) + 1)) {
            return true;
        }
    }
    return false;
}

bool image_uses_nvtx(const struct image *image)
{
    return image_has_text(image, "NVTX_INJECTION64_PATH");
}

bool image_is_musl(const struct image *image)
{
    if (image->interpreter) {
        return strstr(image->interpreter, "/ld-musl-") != NULL;
    }
    for (size_t i = 0; i < image->needed_count; i++) {
        if (!strncmp(image->needed[i], "libc.musl-", 10) || !strcmp(image->needed[i], "libc.so")) {
            return true;
        }
    }
    return false;
}
