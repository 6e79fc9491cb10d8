/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* counted N: ranges that every recorder must agree on, one of each way to make them per turn. */
#include "program.h"

#include <wchar.h>

static int turns;
static nvtxDomainHandle_t domain;
static nvtxStringHandle_t message;

static void *work(void *arg) {
    nvtxEventAttributes_t a = attributes();

    for (int i = 0; i < turns; i++) {
        a.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
        a.message.registered = message;
        nvtxDomainRangePushEx(domain, &a);
        nvtxRangePushA("ascii");
        nvtxRangePushW(L"wide");
        nvtxRangePop();
        nvtxRangePop();
        nvtxDomainRangePop(domain);
        a = with_text("process range");
        nvtxDomainRangeEnd(domain, nvtxDomainRangeStartEx(domain, &a));
        nvtxRangeEnd(nvtxRangeStartA("default process range"));
        nvtxMarkA("mark");
    }
    return arg;
}

int main(int argc, char **argv) {
    pthread_t threads[4];

    MUST(argc > 1);
    turns = atoi(argv[1]);
    domain = nvtxDomainCreateA("counted");
    message = nvtxDomainRegisterStringA(domain, "registered");
    for (int i = 0; i < 4; i++) {
        pthread_create(&threads[i], NULL, work, NULL);
    }
    for (int i = 0; i < 4; i++) {
        pthread_join(threads[i], NULL);
    }
    return 0;
}
