/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A program in phases, for recordings of a part of it: captures as push and pop and as process
 * ranges, on one thread and across threads, with ranges that cross their beginnings and ends. */
#include "program.h"

static nvtxDomainHandle_t first, second, captures;

static void work(const char *name, int times) {
    nvtxEventAttributes_t a = with_text(name);

    for (int i = 0; i < times; i++) {
        MUST(nvtxRangePushA(name) >= 0 || 1);
        nvtxDomainRangePushEx(first, &a);
        nvtxDomainRangePushEx(second, &a);
        nvtxDomainMarkEx(second, &a);
        nvtxDomainRangePop(second);
        nvtxDomainRangePop(first);
        nvtxRangePop();
    }
}

static void *elsewhere(void *range) {
    work("elsewhere", 2);
    nvtxDomainRangeEnd(captures, *(nvtxRangeId_t *)range);
    work("after", 1);
    return NULL;
}

int main(void) {
    first = nvtxDomainCreateA("first");
    second = nvtxDomainCreateW(L"second");
    captures = nvtxDomainCreateA("nvtxh.capture");
    nvtxStringHandle_t name = nvtxDomainRegisterStringA(captures, "steady");

    work("before", 3);
    int outer = nvtxRangePushA("around"); /* opened before the capture, ended in it */
    nvtxEventAttributes_t a = attributes();
    a.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
    a.message.registered = name;
    nvtxRangeId_t range = nvtxDomainRangeStartEx(captures, &a);
    work("inside", 5);
    MUST(nvtxRangePop() == outer);
    nvtxRangePushA("cut"); /* opened in the capture, ended after it */
    in_thread(elsewhere, &range);
    nvtxRangePop();
    work("between", 2);

    nvtxEventAttributes_t other = with_text("another");
    range = nvtxDomainRangeStartEx(captures, &other);
    work("in another", 1);
    nvtxDomainRangeEnd(captures, range);

    MUST(nvtxDomainRangePushEx(captures, &a) >= 0 || 1);
    nvtxDomainRangePushEx(captures, &a); /* in itself: one capture */
    nvtxDomainRangePop(captures);
    work("again", 2); /* pops of other domains at the same depth */
    nvtxDomainRangePop(captures);
    work("last", 1);
    nvtxRangePushA("plain");
    work("in plain", 1);
    nvtxRangePop();
    return 0;
}
