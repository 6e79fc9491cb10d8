/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "text.h"
#include "../../nvtxh/core/text.h"

const char *utf8_make(struct buffer *ret, const wchar_t *wide) {
    char one[4];

    for (const wchar_t *at = wide; at && *at; at++) {
        uint32_t c = (uint32_t)*at;
        bool is_valid = c <= 0x10ffff && c >> 11 != 27 /* a surrogate */;
        buffer_add(ret, one, nvtxh_i_utf8_write(one, is_valid ? c : 0xfffd));
    }
    buffer_add(ret, "", 1);
    return wide && !ret->failed ? buffer_bytes(ret) : NULL;
}
