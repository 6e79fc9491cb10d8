/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Ranges with the same attributes again and again, and with attributes that differ in one respect.
 * Prints the ranges: message, domain, colour, category, payload type, payload. */
#include "program.h"

#include <string.h>
#include <sys/mman.h>

static nvtxDomainHandle_t domain;

static void range(nvtxDomainHandle_t in, const nvtxEventAttributes_t *a, const char *text) {
    int depth = in ? nvtxDomainRangePushEx(in, a) : nvtxRangePushEx(a);

    MUST(depth == 0);
    MUST((in ? nvtxDomainRangePop(in) : nvtxRangePop()) == 0);
    printf("%s|%s|%x|%u|%d|%llx\n", text, in ? "presets" : "",
           a->colorType == NVTX_COLOR_ARGB ? a->color : 0, a->category, (int)a->payloadType,
           (unsigned long long)a->payload.ullValue);
}

/* Every payload type, with and without colour and category, three times each: seen, learned,
 * known. */
static void combinations(nvtxDomainHandle_t in, nvtxEventAttributes_t a, const char *text) {
    for (int what = 0; what < 4 * 7; what++) {
        for (int i = 0; i < 3; i++) {
            a.colorType = what & 1 ? NVTX_COLOR_ARGB : NVTX_COLOR_UNKNOWN;
            a.color = 0xff102030;
            a.category = what & 2 ? 9 : 0;
            a.payloadType = what / 4;
            a.payload.ullValue = 0;
            if (what / 4 >= NVTX_PAYLOAD_TYPE_UNSIGNED_INT32) {
                a.payload.uiValue = 0xfffffff0u + (unsigned)i;
            } else if (what / 4) {
                a.payload.ullValue = 0xfffffffffffffff0u + (unsigned)i;
            }
            range(in, &a, text);
        }
    }
}

/* One thing after the other, between ranges that are as they were. */
static void single(nvtxEventAttributes_t a, const char *text) {
    a.category = 9;
    a.colorType = NVTX_COLOR_ARGB;
    a.color = 0xff102030;
    a.payloadType = NVTX_PAYLOAD_TYPE_UNSIGNED_INT64;
    a.payload.ullValue = 5;
    for (int what = 0; what < 5 * 4; what++) {
        nvtxEventAttributes_t other = a;
        nvtxDomainHandle_t in = what / 4 == 0 ? NULL : domain;

        other.category += what / 4 == 1;
        other.color ^= what / 4 == 2;
        other.colorType = what / 4 == 3 ? NVTX_COLOR_UNKNOWN : NVTX_COLOR_ARGB;
        other.payloadType += what / 4 == 4;
        range(domain, &a, text);
        range(in, &other, text);
    }
}

/* The same buffer with another text of the same size, and of others. */
static void buffers(void) {
    char text[100];

    for (int size = 0; size < 99; size++) {
        for (int i = 0; i < 4; i++) {
            memset(text, 'a' + i / 3, (size_t)size);
            text[size] = 0;
            if (size > 20) {
                text[size / 2] = (char)('a' + i / 3 * 2);
            }
            nvtxEventAttributes_t a = with_text(text);
            range(size % 2 ? domain : NULL, &a, text);
            nvtxRangePushA(text);
            nvtxRangePop();
            printf("%s||0|0|0|0\n", text);
        }
    }
}

/* A text that is known, but for one byte, which is another one, or the end: each byte of strings of
 * that many, and the byte behind them, each in its own place. */
static void *one_byte(void *arg) {
    int size = (int)(intptr_t)arg;
    static char strings[72][128] __attribute__((aligned(4096)));

    for (int place = 0; place <= size; place++) {
        char *text = strings[place], usual = place < size ? 'x' : 0;
        memset(text, 'x', (size_t)size);
        text[size] = text[size + 1] = 0;
        for (int i = 0; i < 8; i++) {
            text[place] = i == 3 ? 'y' : i == 6 ? 0 : usual;
            nvtxRangePushA(text);
            nvtxRangePop();
            printf("%s||0|0|0|0\n", text);
        }
    }
    return NULL;
}

/* More presets than there are places for. */
static void many(void) {
    static char strings[1500][16];

    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < 1500; i++) {
            snprintf(strings[i], sizeof(strings[i]), "many %d", i);
            nvtxEventAttributes_t a = with_text(strings[i]);
            a.category = (uint32_t)i + 1;
            for (int k = 0; k < 4; k++) {
                range(domain, &a, strings[i]);
            }
        }
    }
}

static nvtxEventAttributes_t registered(const char *text) {
    nvtxEventAttributes_t a = with_text(NULL);

    a.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
    a.message.registered = nvtxDomainRegisterStringA(domain, text);
    return a;
}

/* Registered messages, all other attributes being equal: the first by turns with each of the
 * others. */
static void many_registered(void) {
    nvtxEventAttributes_t a = registered("first");
    nvtxStringHandle_t first = a.message.registered;
    char text[24];

    for (int i = 0; i < 1200; i++) {
        snprintf(text, sizeof(text), "registered %d", i);
        nvtxStringHandle_t other = nvtxDomainRegisterStringA(domain, text);
        for (int k = 0; k < 3; k++) {
            a.message.registered = first;
            range(domain, &a, "first");
            a.message.registered = other;
            range(domain, &a, text);
        }
    }
}

/* Ranges without a message, at a ring's next chunk after one in which any place may have been in
 * use. */
static void none_registered(void) {
    char text[24];

    for (int i = 0; i < 600; i++) {
        snprintf(text, sizeof(text), "before none %d", i);
        nvtxEventAttributes_t a = registered(text);
        for (int k = 0; k < 3; k++) {
            range(domain, &a, text);
        }
    }
    nvtxEventAttributes_t none = with_text(NULL);
    none.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
    for (int i = 0; i < 20000; i++) {
        range(domain, &none, "");
    }
}

/* 400 names again and again, twice each time, between as many that come once. */
static void many_once(void) {
    enum { OFTEN = 400, ROUNDS = 12, ONCE = OFTEN * ROUNDS };
    static char often[OFTEN][16], once[ONCE][16];

    for (int i = 0; i < ONCE; i++) {
        int known = i % OFTEN;
        snprintf(often[known], sizeof(often[0]), "often %d", known);
        snprintf(once[i], sizeof(once[0]), "once %d", i);
        nvtxEventAttributes_t a = with_text(often[known]), b = with_text(once[i]);
        range(domain, &a, often[known]);
        range(domain, &a, often[known]);
        range(domain, &b, once[i]);
    }
}

/* A text whose end alone is in the next page, which is then gone. */
static void page_end(void) {
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *pages = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    MUST(pages != MAP_FAILED);
    char *text = pages + page - 12;
    memcpy(text, "twelve bytes", 13);
    for (int i = 0; i < 8; i++) {
        if (i == 4) {
            munmap(pages + page, page);
            text[11] = 0;
        }
        nvtxEventAttributes_t a = with_text(text);
        range(domain, &a, text);
    }
}

static void single_by_pointer(void) {
    single(with_text("by pointer"), "by pointer");
}

static void single_registered(void) {
    single(registered("registered"), "registered");
}

static void combinations_by_pointer(void) {
    combinations(NULL, with_text("by pointer"), "by pointer");
    combinations(domain, with_text("by pointer"), "by pointer");
}

static void combinations_registered(void) {
    combinations(domain, registered("registered"), "registered");
}

static void *run(void *arg) {
    (*(void (**)(void))arg)();
    return NULL;
}

/* Threads that stay would hold what a ring has to write over. */
static void part(void *(*f)(void *arg), void *arg) {
    if (!getenv("NVTXH_RECORD_RING")) {
        in_new_stream(f, arg);
    } else {
        in_thread(f, arg);
    }
}

/* Each in a thread that has all places free; with an argument, the last of them alone. */
int main(int argc, char **argv) {
    static void (*parts[])(void) = {single_by_pointer,
                                    single_registered,
                                    combinations_by_pointer,
                                    combinations_registered,
                                    buffers,
                                    many_registered,
                                    many,
                                    none_registered,
                                    many_once,
                                    page_end};

    (void)argv;
    domain = nvtxDomainCreateA("presets");
    if (argc > 1) {
        none_registered();
        return 0;
    }
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
        part(run, &parts[i]);
    }
    for (intptr_t size = 1; size < 72; size++) {
        part(one_byte, (void *)size);
    }
    return 0;
}
