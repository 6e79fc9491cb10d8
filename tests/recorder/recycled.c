/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Threads that end and are followed by others: recycled TURNS AT_ONCE. The payload of each range
 * and mark is the number of the thread that makes it. Every 7th thread has a name, which two have one
 * after the other. Every 11th leaves a range open, every 13th makes nothing, every 17th begins a
 * process range, which the next one ends. In the middle a child is forked, which does the same. */
#define _GNU_SOURCE
#include "program.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <sys/wait.h>

static nvtxDomainHandle_t domain;
static nvtxRangeId_t handed;

static void *work(void *arg) {
    intptr_t number = (intptr_t)arg;
    uint64_t tid = (uint64_t)syscall(SYS_gettid);
    nvtxEventAttributes_t a = with_text("outer");
    char name[32];

    if (number % 13 == 12) {
        return NULL;
    }
    a.payloadType = NVTX_PAYLOAD_TYPE_UNSIGNED_INT64;
    a.payload.ullValue = tid;
    MUST(nvtxRangePushEx(&a) == 0);
    a.message.ascii = "inner";
    MUST(nvtxDomainRangePushEx(domain, &a) == 0 && nvtxDomainRangePop(domain) == 0);
    if (number % 7 == 6) {
        snprintf(name, sizeof(name), "named %d", (int)number / 14);
        pthread_setname_np(pthread_self(), name);
    }
    if (handed) {
        nvtxRangeEnd(handed);
        handed = 0;
    }
    if (number % 17 == 16) {
        a.message.ascii = "handed on";
        handed = nvtxRangeStartEx(&a);
    }
    MUST(nvtxRangePop() == 0 && nvtxRangePop() < 0);
    if (number % 11 == 10) {
        a.message.ascii = "left open";
        MUST(nvtxDomainRangePushEx(domain, &a) == 0);
    }
    a.message.ascii = "last";
    nvtxMarkEx(&a);
    return NULL;
}

static void all(int turns, int at_once) {
    pthread_t threads[64];

    MUST(at_once <= 64);
    for (int i = 0; i < turns; i++) {
        for (int k = 0; k < at_once; k++) {
            void *number = (void *)(intptr_t)(at_once > 1 ? 0 : i);
            MUST(pthread_create(&threads[k], NULL, work, number) == 0);
        }
        for (int k = 0; k < at_once; k++) {
            pthread_join(threads[k], NULL);
        }
    }
}

int main(int argc, char **argv) {
    MUST(argc == 3);
    int turns = atoi(argv[1]), at_once = atoi(argv[2]);
    domain = nvtxDomainCreateA("recycled");
    all(turns / 2, at_once);
    pid_t child = fork();
    if (child == 0) {
        all(turns / 2, at_once);
        exit(0);
    }
    MUST(child > 0 && waitpid(child, NULL, 0) == child);
    all(turns / 2, at_once);
    return 0;
}
