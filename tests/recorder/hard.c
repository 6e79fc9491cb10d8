/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Calls that are wrong, but occur. */
#include "program.h"
#include "../../nvtxh/core/compiler.h"

#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/time.h>

static volatile sig_atomic_t in_handler;

static void handler(int number) {
    (void)number;
    nvtxRangePushA("in a handler");
    nvtxRangePop();
    in_handler++;
}

static void *late(void *arg) {
    return arg;
}

/* The recorder's destructor runs once more than these. ThreadSanitizer lets nobody lock in the last
 * of the four rounds. */
#if NVTXH_I_TSAN
enum { ROUNDS = 2 };
#else
enum { ROUNDS = 3 };
#endif
static pthread_key_t key;

static void destructor(void *arg) {
    int turn = (int)(intptr_t)arg;

    nvtxMarkA("in a thread's destructor");
    if (turn < ROUNDS) { /* run again, after the recorder's own */
        pthread_setspecific(key, (void *)(intptr_t)(turn + 1));
    }
}

static void *with_destructor(void *arg) {
    nvtxRangePushA("left open by a thread");
    pthread_setspecific(key, (void *)(intptr_t)1);
    return arg;
}

__attribute__((destructor)) static void after_main(void) {
    nvtxMarkA("after main");
}

int main(void) {
    static wchar_t wide[5001];
    struct itimerval often = {{0, 200}, {0, 200}}, never = {{0, 0}, {0, 0}};
    size_t big = (1u << 20) - 1;
    char *text = malloc(big + 1);

    MUST(text);
    for (int i = 0; i < 10000; i++) {
        MUST(nvtxRangePushA("deep") == i);
    }
    for (int i = 9999; i >= 0; i--) {
        MUST(nvtxRangePop() == i);
    }
    memset(text, 'x', big);
    text[big] = 0;
    nvtxMarkA(text); /* 1 MiB */
    memset(text, 'y', 65000);
    text[65000] = 0;
    nvtxMarkA(text);
    nvtxMarkA(text);
    for (int i = 0; i < 5000; i++) {
        wide[i] = 0x20ac;
    }
    nvtxMarkW(wide);

    /* Handles that were never given out. */
    nvtxDomainHandle_t nonsense = (nvtxDomainHandle_t)(uintptr_t)0xdeadbeef0;
    nvtxEventAttributes_t a = attributes();
    a.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
    a.message.registered = (nvtxStringHandle_t)(uintptr_t)0x12345670;
    nvtxDomainMarkEx(nonsense, &a);
    nvtxDomainRangePop(nonsense);
    nvtxRangeEnd(12345);
    nvtxRangeEnd(0);
    nvtxRangeId_t twice = nvtxRangeStartA("ended twice");
    nvtxRangeEnd(twice);
    nvtxRangeEnd(twice);
    nvtxDomainDestroy(NULL);
    nvtxDomainCreateA(NULL);
    nvtxDomainRegisterStringA(NULL, NULL);
    nvtxNameCategoryA(1, NULL);
    nvtxNameCategoryW(1, NULL);

    /* More different messages than any cache holds, twice. */
    for (int i = 0; i < 20000; i++) {
        snprintf(text, 100, "one of many %d", i % 10000);
        nvtxRangePushA(text);
        nvtxRangePop();
    }
    signal(SIGALRM, handler);
    setitimer(ITIMER_REAL, &often, NULL);
    for (int i = 0; i < 1000000 || in_handler < 50; i++) {
        nvtxRangePushA("interrupted");
        nvtxRangePop();
    }
    setitimer(ITIMER_REAL, &never, NULL);
    free(text);
    MUST(pthread_key_create(&key, destructor) == 0);
    in_thread(with_destructor, NULL);
    in_thread(late, NULL);
    printf("%d\n", (int)in_handler);
    return 0;
}
