/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Wide strings: of the first and the last character of each length in UTF-8, of numbers that are no
 * characters, and of each length from 70 to 90 euro signs, each as a mark and as a registered
 * string. */
#include "program.h"

#include <wchar.h>

static void mark(const wchar_t *text) {
    nvtxEventAttributes_t a = attributes();

    nvtxMarkW(text);
    a.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
    a.message.registered = nvtxDomainRegisterStringW(NULL, text);
    nvtxMarkEx(&a);
}

int main(void) {
    static const unsigned edges[] = {0x1,     0x7f,     0x80,     0x7ff,     0x800,
                                     0xd7ff,  0xd800,   0xdfff,   0xe000,    0xffff,
                                     0x10000, 0x10ffff, 0x110000, 0x7fffffff};
    wchar_t text[100];

    for (size_t i = 0; i < sizeof(edges) / sizeof(edges[0]); i++) {
        text[0] = L'a';
        text[1] = (wchar_t)edges[i];
        text[2] = L'z';
        text[3] = 0;
        mark(text);
    }
    for (size_t size = 70; size <= 90; size++) {
        wmemset(text, L'\u20ac', size);
        text[size] = 0;
        mark(text);
    }
    return 0;
}
