/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once
/* Texts: a hash, and UTF-8 from wide characters. */
#include "memory.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <wchar.h>

/* A hash of some bytes. All bits of the hash are equally good; another seed gives another hash. */
static inline uint32_t hash_bytes(uint64_t seed, const void *bytes, size_t size) {
    uint64_t hash = (seed ^ size) * UINT64_C(0x9e3779b97f4a7c15);
    const char *at = bytes;
    uint64_t word;

    for (; size >= 8; size -= 8, at += 8) {
        memcpy(&word, at, 8);
        hash = (hash ^ word) * UINT64_C(0xff51afd7ed558ccd);
        hash ^= hash >> 32;
    }
    word = 0;
    memcpy(&word, at, size);
    hash = (hash ^ word) * UINT64_C(0xff51afd7ed558ccd);
    hash = (hash ^ hash >> 32) * UINT64_C(0xc4ceb9fe1a85ec53);
    return (uint32_t)(hash >> 32);
}

/* Converts wide characters to UTF-8 in *ret, an empty buffer, and returns that text. Invalid
 * characters become U+FFFD. NULL if `wide` is NULL, or on failure. Leaves errno alone. */
const char *utf8_make(struct buffer *ret, const wchar_t *wide);
