/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Texts as long as the recorder's buffers, and a little shorter and longer:
 *
 *   borders strings     messages that fill the strings that a thread keeps to the last byte, and wide ones of 230 to 270 bytes
 *   borders captures  ranges that may be a capture, with registered, plain and wide names of 1000 to 1050 bytes
 *   borders gap       large and small marks in turn, numbered: for a file that is full before the last */
#include "program.h"

#include <string.h>
#include <wchar.h>

enum { KEPT = 1 << 20, LONGEST = 1 << 16 };

static nvtxEventAttributes_t with_wide(wchar_t *room, size_t size) {
    nvtxEventAttributes_t a = attributes();

    wmemset(room, L'w', size);
    room[size] = 0;
    a.messageType = NVTX_MESSAGE_TYPE_UNICODE;
    a.message.unicode = room;
    return a;
}

static char *filled(char *room, char with, size_t size) {
    memset(room, with, size);
    room[size] = 0;
    return room;
}

static void strings(void) {
    static char text[LONGEST + 1];
    static wchar_t wide[300];

    for (int i = 0; i < KEPT / LONGEST; i++) {
        /* each takes one byte more, and the last one would, too */
        nvtxMarkA(filled(text, (char)('a' + i), i < KEPT / LONGEST - 1 ? LONGEST - 1 : LONGEST));
    }
    for (size_t size = 230; size <= 270; size++) {
        nvtxEventAttributes_t a = with_wide(wide, size);
        nvtxMarkEx(&a);
    }
}

static void captures(void) {
    static char text[1100];
    static wchar_t wide[1100];
    nvtxDomainHandle_t domain = nvtxDomainCreateA("borders");

    for (size_t size = 1000; size <= 1050; size++) {
        nvtxEventAttributes_t all[] = {with_text(filled(text, 'a', size)), with_wide(wide, size),
                                       attributes()};
        all[2].messageType = NVTX_MESSAGE_TYPE_REGISTERED;
        all[2].message.registered = nvtxDomainRegisterStringA(domain, text);
        for (int i = 0; i < 3; i++) {
            nvtxDomainRangePushEx(domain, &all[i]);
            nvtxDomainRangePop(domain);
        }
    }
    nvtxEventAttributes_t last = with_text("captured");
    nvtxDomainRangePushEx(domain, &last);
    nvtxDomainRangePop(domain);
}

static void gap(void) {
    static char text[LONGEST];
    nvtxEventAttributes_t large = with_text(text), small = with_text("small");

    large.payloadType = small.payloadType = NVTX_PAYLOAD_TYPE_UNSIGNED_INT64;
    for (uint64_t i = 0; i < 40; i++) {
        filled(text, (char)('0' + i), 3000);
        large.payload.ullValue = 2 * i;
        small.payload.ullValue = 2 * i + 1;
        nvtxMarkEx(&large);
        nvtxMarkEx(&small);
    }
}

int main(int argc, char **argv) {
    MUST(argc == 2);
    (argv[1][0] == 't' ? strings : argv[1][0] == 'c' ? captures : gap)();
    return 0;
}
