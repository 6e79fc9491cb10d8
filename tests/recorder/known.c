/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Everything that NVTX's core has, in known numbers. known.csv says what must be recorded. */
#include "program.h"

#include <sys/syscall.h>
#include <wchar.h>

static nvtxRangeId_t across;
static nvtxDomainHandle_t dom;

static void *elsewhere(void *arg) {
    (void)arg;
    nvtxNameOsThreadA((uint32_t)syscall(SYS_gettid), "helper");
    nvtxDomainRangeEnd(dom, across);
    MUST(nvtxRangePushA("in a thread") == 0); /* depths are a thread's own */
    MUST(nvtxRangePop() == 0);
    return NULL;
}

static void payloads(void) {
    nvtxEventAttributes_t a = with_text("payload");

    for (int i = 1; i <= 6; i++) {
        a.payloadType = i;
        a.payload.ullValue = 0;
        switch (i) {
        case NVTX_PAYLOAD_TYPE_UNSIGNED_INT64:
            a.payload.ullValue = 18446744073709551615u;
            break;
        case NVTX_PAYLOAD_TYPE_INT64:
            a.payload.llValue = -9223372036854775807;
            break;
        case NVTX_PAYLOAD_TYPE_DOUBLE:
            a.payload.dValue = -0.1;
            break;
        case NVTX_PAYLOAD_TYPE_UNSIGNED_INT32:
            a.payload.uiValue = 4294967295u;
            break;
        case NVTX_PAYLOAD_TYPE_INT32:
            a.payload.iValue = -2147483647;
            break;
        default:
            a.payload.fValue = 1.5f;
        }
        a.category = i == 5 ? 0 : 3;
        a.colorType = NVTX_COLOR_ARGB;
        a.color = 0xff000000u + (unsigned)i;
        nvtxMarkEx(&a);
        MUST(nvtxRangePushEx(&a) == 0);
        MUST(nvtxRangePop() == 0);
        nvtxRangeEnd(nvtxRangeStartEx(&a));
    }
}

int main(void) {
    static const wchar_t wide[] = {'w', 0xe9, 0x20ac, 0x1f600, 0}; /* 1 to 4 bytes of UTF-8 */
    char buffer[32];
    nvtxEventAttributes_t a;

    nvtxNameCategoryA(3, "three");
    dom = nvtxDomainCreateA("dom");
    nvtxDomainHandle_t wide_dom = nvtxDomainCreateW(L"wide domain");
    MUST(dom && wide_dom && dom != wide_dom);
    MUST(nvtxDomainCreateW(L"never used") != wide_dom);
    nvtxDomainNameCategoryA(dom, 3, "three of dom");
    nvtxDomainNameCategoryW(dom, 4, L"four");
    nvtxStringHandle_t registered = nvtxDomainRegisterStringA(dom, "registered");
    nvtxStringHandle_t registered_wide = nvtxDomainRegisterStringW(dom, wide);
    MUST(registered && registered_wide && registered != registered_wide);

    /* Domains nest each for itself. */
    MUST(nvtxRangePushA("outer") == 0);
    a = attributes();
    a.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
    a.message.registered = registered;
    for (int i = 0; i < 7; i++) {
        MUST(nvtxDomainRangePushEx(dom, &a) == 0);
        MUST(nvtxRangePushW(wide) == 1);
        MUST(nvtxDomainRangePop(dom) == 0);
        MUST(nvtxRangePop() == 1);
    }
    MUST(nvtxRangePop() == 0);
    MUST(nvtxRangePop() < 0);
    a.message.registered = registered_wide;
    nvtxDomainMarkEx(dom, &a);

    /* One buffer, many messages: the text counts, not the address. */
    for (int i = 0; i < 30; i++) {
        snprintf(buffer, sizeof(buffer), "dynamic %d", i % 3);
        nvtxRangePushA(buffer);
        nvtxRangePop();
    }
    /* Process ranges overlap, and end on another thread. */
    nvtxRangeId_t one = nvtxRangeStartA("overlap"), two = nvtxRangeStartW(L"overlap");
    MUST(one && two && one != two);
    nvtxRangeEnd(one);
    nvtxRangeEnd(two);
    a = with_text("across");
    across = nvtxDomainRangeStartEx(dom, &a);
    in_thread(elsewhere, NULL);
    payloads();

    /* A duration that is known from outside. */
    nvtxRangePushA("slept");
    long long before = now_ns();
    usleep(50000);
    long long slept = now_ns() - before;
    nvtxRangePop();

    nvtxMarkA("quote \" comma , newline \n end");
    nvtxMarkA("");
    if (!getenv("ANY_ANSWER")) { /* other tools crash on these */
        nvtxMarkA(NULL);
        nvtxMarkEx(NULL);
        nvtxMarkA("bad \xff\xc0\xaf utf-8");
        a = with_text("short attributes");
        a.size = 40; /* ends before the message */
        nvtxMarkEx(&a);
    }
    a = with_text("in the wide one");
    nvtxDomainMarkEx(wide_dom, &a);
    nvtxDomainDestroy(wide_dom);
    MUST(nvtxRangePushA("left open") == 0);
    printf("%lld\n", slept);
    return 7;
}
