/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Prints the results of pushes, pops and process ranges, with handles of every kind, also in a
 * second thread and a forked child. With an argument: instead, makes one call of each sort without
 * a text ("null"), with an empty one, or without attributes ("none"). */
#include <nvtx3/nvToolsExt.h>
#include <nvtx3/nvToolsExtSync.h>

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <wchar.h>

static nvtxDomainHandle_t domains[2];
static nvtxRangeId_t ranges[3000];

static nvtxEventAttributes_t with(nvtxStringHandle_t message) {
    nvtxEventAttributes_t a = {.version = NVTX_VERSION, .size = NVTX_EVENT_ATTRIB_STRUCT_SIZE};

    a.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
    a.message.registered = message;
    a.payloadType = NVTX_PAYLOAD_TYPE_INT32;
    a.payload.iValue = 5;
    return a;
}

static void push_all(void) {
    for (int i = 0; i < 2; i++) {
        nvtxEventAttributes_t in = with(nvtxDomainRegisterStringA(domains[i], "in a domain"));
        nvtxEventAttributes_t out = with(nvtxDomainRegisterStringA(NULL, "in none"));
        nvtxEventAttributes_t other = {.version = NVTX_VERSION, .size = 47};
        int depths[] = {nvtxDomainRangePushEx(domains[i], &in),
                        nvtxRangePushEx(&out),
                        nvtxRangePushA("text"),
                        nvtxRangePushW(L"wide"),
                        nvtxRangePushEx(&other),
                        nvtxRangePop(),
                        nvtxRangePop(),
                        nvtxRangePop(),
                        nvtxRangePop(),
                        nvtxRangePop(),
                        nvtxDomainRangePop(domains[i])};
        for (size_t k = 0; k < sizeof(depths) / sizeof(depths[0]); k++) {
            printf("%d%s", depths[k], k + 1 < sizeof(depths) / sizeof(depths[0]) ? " " : "\n");
        }
        nvtxDomainMarkEx(domains[i], &in);
        char text[200];
        for (size_t k = 0; k < sizeof(text); k++) {
            text[k] = (char)(k + 1 < sizeof(text) ? '0' + k % 10 : 0);
        }
        nvtxMarkA(text);
    }
}

static void *end_all(void *unused) {
    for (int i = 0; i < 3000; i++) {
        if (i % 2) {
            nvtxRangeEnd(ranges[i]);
        } else {
            nvtxDomainRangeEnd(domains[0], ranges[i]);
        }
    }
    nvtxRangeEnd(ranges[1]); /* again */
    nvtxRangeEnd(0);
    return unused;
}

static void without_text(const char *text, const wchar_t *wide) {
    nvtxEventAttributes_t a = {.version = NVTX_VERSION, .size = NVTX_EVENT_ATTRIB_STRUCT_SIZE};

    nvtxMarkA(text);
    nvtxMarkW(wide);
    nvtxRangePushA(text);
    nvtxRangePushW(wide);
    a.messageType = NVTX_MESSAGE_TYPE_ASCII;
    a.message.ascii = text;
    nvtxRangePushEx(&a);
    nvtxMarkEx(&a);
    a.messageType = NVTX_MESSAGE_TYPE_UNICODE;
    a.message.unicode = wide;
    nvtxDomainMarkEx(nvtxDomainCreateA("one"), &a);
    nvtxRangeEnd(nvtxRangeStartA(text));
    nvtxNameCategoryA(7, text);
    nvtxNameOsThreadA(8, text);
    for (int i = 0; i < 3; i++) {
        nvtxRangePop();
    }
}

static void without_attributes(void) {
    nvtxDomainHandle_t domain = nvtxDomainCreateA("one");

    nvtxMarkEx(NULL);
    nvtxDomainMarkEx(domain, NULL);
    nvtxRangePushEx(NULL);
    nvtxRangePop();
    nvtxRangeEnd(nvtxRangeStartEx(NULL));
    nvtxDomainResourceDestroy(nvtxDomainResourceCreate(domain, NULL));
    nvtxDomainSyncUserDestroy(nvtxDomainSyncUserCreate(domain, NULL));
}

int main(int argc, char **argv) {
    pthread_t thread;
    int status;

    if (argc > 1 && !strcmp(argv[1], "none")) {
        without_attributes();
        return 0;
    }
    if (argc > 1) {
        bool is_null = !strcmp(argv[1], "null");
        without_text(is_null ? NULL : "", is_null ? NULL : L"");
        return 0;
    }
    domains[0] = nvtxDomainCreateA("one");
    domains[1] = nvtxDomainCreateA("one");
    nvtxDomainNameCategoryA(domains[1], 7, "seven");
    nvtxNameOsThreadA((uint32_t)getpid(), "first");
    push_all();
    nvtxEventAttributes_t in = with(nvtxDomainRegisterStringA(domains[0], "open"));
    for (int i = 0; i < 3000; i++) {
        ranges[i] = i % 2 ? nvtxRangeStartA("open") : nvtxDomainRangeStartEx(domains[0], &in);
    }
    printf("%llx\n", (unsigned long long)ranges[1]);
    if (pthread_create(&thread, NULL, end_all, NULL) || pthread_join(thread, NULL)) {
        return 1;
    }
    nvtxDomainDestroy(domains[0]);
    push_all();
    nvtxDomainDestroy(domains[1]);
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        nvtxRangePushA("in the child");
        nvtxRangeEnd(nvtxRangeStartA("in the child"));
        nvtxRangePop();
        exit(0);
    }
    waitpid(child, &status, 0);
    return status ? 1 : 5;
}
