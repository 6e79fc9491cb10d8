/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A packed span begins with a 32-bit mask: which of its 64-bit words differ from those of the span before it. The
 * difference of each such word follows: shifted left by one bit, with its sign in the lowest bit, and the other bits
 * inverted if it is negative, so that small differences are small numbers. Such a number is written 7 bits to a byte,
 * the lowest ones first; the highest bit of a byte says that another byte follows. */
#include "span_pack.h"

#include <assert.h>
#include <string.h>

enum { WORDS = sizeof(struct span) / 8 };
static_assert(sizeof(struct span) % 8 == 0 && WORDS <= 32, "one bit for each word");

size_t span_pack(const struct span *span, const struct span *before, uint8_t *ret_bytes)
{
    uint64_t words[WORDS], old[WORDS];
    uint32_t changed = 0;
    uint8_t *at = ret_bytes + sizeof(changed);

    memcpy(words, span, sizeof(words));
    memcpy(old, before, sizeof(old));
    for (size_t i = 0; i < WORDS; i++) {
        if (words[i] != old[i]) {
            uint64_t more = words[i] - old[i];
            changed |= UINT32_C(1) << i;
            for (more = more << 1 ^ (0 - (more >> 63)); more > 0x7f; more >>= 7) {
                *at++ = (uint8_t)(more | 0x80);
            }
            *at++ = (uint8_t)more;
        }
    }
    memcpy(ret_bytes, &changed, sizeof(changed));
    return (size_t)(at - ret_bytes);
}

size_t span_unpack(const uint8_t *bytes, struct span *span)
{
    uint64_t words[WORDS];
    uint32_t changed;
    const uint8_t *at = bytes + sizeof(changed);

    memcpy(words, span, sizeof(words));
    memcpy(&changed, bytes, sizeof(changed));
    for (; changed; changed &= changed - 1) {
        uint64_t more = *at & 0x7f;
        for (unsigned shift = 7; *at++ & 0x80; shift += 7) {
            more |= (uint64_t)(*at & 0x7f) << shift;
        }
        words[__builtin_ctz(changed)] += more >> 1 ^ (0 - (more & 1));
    }
    memcpy(span, words, sizeof(words));
    return (size_t)(at - bytes);
}
