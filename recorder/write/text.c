/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "text.h"

static size_t encode(uint32_t c, char ret[4]) {
    if (c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff)) {
        c = 0xfffd;
    }
    if (c < 0x80) {
        ret[0] = (char)c;
        return 1;
    }
    if (c < 0x800) {
        ret[0] = (char)(0xc0 | c >> 6);
        ret[1] = (char)(0x80 | (c & 0x3f));
        return 2;
    }
    if (c < 0x10000) {
        ret[0] = (char)(0xe0 | c >> 12);
        ret[1] = (char)(0x80 | (c >> 6 & 0x3f));
        ret[2] = (char)(0x80 | (c & 0x3f));
        return 3;
    }
    ret[0] = (char)(0xf0 | c >> 18);
    ret[1] = (char)(0x80 | (c >> 12 & 0x3f));
    ret[2] = (char)(0x80 | (c >> 6 & 0x3f));
    ret[3] = (char)(0x80 | (c & 0x3f));
    return 4;
}

const char *utf8_make(struct buffer *ret, const wchar_t *wide) {
    char one[4];

    for (const wchar_t *at = wide; at && *at; at++) {
        buffer_add(ret, one, encode((uint32_t)*at, one));
    }
    buffer_add(ret, "", 1);
    return wide && !ret->failed ? buffer_bytes(ret) : NULL;
}
