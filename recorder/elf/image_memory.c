/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reads the sections of an image by address. */
#include "image.h"
#include "../util/memory.h"

#include <string.h>

#define TEXT_MOST 16384 /* bytes; for a longer text, image_text returns NULL */

/* The bytes from an address up to the end of its section; *ret_left: how many there are. NULL: no
 * section has that address. */
static const unsigned char *at(const struct image *image, uint64_t address, size_t *ret_left) {
    size_t next = ARRAY_SEARCH(i, 0, image->count, image->sections[i].address <= address);
    const struct image_section *s = next ? &image->sections[next - 1] : NULL;
    uint64_t offset = s ? address - s->address : 0;

    *ret_left = s && offset < s->size ? (size_t)(s->size - offset) : 0;
    return *ret_left ? s->bytes + offset : NULL;
}

bool image_word(const struct image *image, uint64_t address, uint64_t *ret_word) {
    uint64_t *relocated = map_find(&image->pointers, address);
    size_t left;
    const unsigned char *bytes = at(image, address, &left);

    if (left < sizeof(*ret_word)) {
        return false;
    }
    memcpy(ret_word, relocated ? (const void *)relocated : bytes, sizeof(*ret_word));
    return true;
}

const char *image_text(const struct image *image, uint64_t address) {
    size_t left;
    const unsigned char *bytes = at(image, address, &left);

    return bytes && memchr(bytes, 0, left < TEXT_MOST ? left : TEXT_MOST) ? (const char *)bytes
                                                                          : NULL;
}

bool image_has_text(const struct image *image, const char *text) {
    for (size_t i = 0; i < image->count; i++) {
        if (memmem(image->sections[i].bytes, image->sections[i].size, text, strlen(text) + 1)) {
            return true;
        }
    }
    return false;
}

bool image_uses_nvtx(const struct image *image) {
    return image_has_text(image, "NVTX_INJECTION64_PATH");
}

bool image_is_musl(const struct image *image) {
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
