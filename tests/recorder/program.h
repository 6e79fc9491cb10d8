/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_TESTS_RECORDER_PROGRAM_H
#define NVTXH_TESTS_RECORDER_PROGRAM_H
/* Shared by the recorded programs. They use NVTX itself, not this project's headers. */
#include <nvtx3/nvToolsExt.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

/* A program checks return values itself; the driver checks what was recorded. Under other tools,
 * which return other values, ANY_ANSWER is set. */
#define MUST(what)                                                                                 \
    ((what) || getenv("ANY_ANSWER")                                                                \
         ? (void)0                                                                                 \
         : (fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #what), exit(99)))

static inline nvtxEventAttributes_t attributes(void) {
    nvtxEventAttributes_t a;
    unsigned char *bytes = (unsigned char *)&a;

    for (size_t i = 0; i < sizeof(a); i++) {
        bytes[i] = 0;
    }
    a.version = NVTX_VERSION;
    a.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
    return a;
}

static inline nvtxEventAttributes_t with_text(const char *text) {
    nvtxEventAttributes_t a = attributes();

    a.messageType = NVTX_MESSAGE_TYPE_ASCII;
    a.message.ascii = text;
    return a;
}

static inline long long now_ns(void) {
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (long long)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* Runs f in a thread, and waits for its end. */
static inline void in_thread(void *(*f)(void *arg), void *arg) {
    pthread_t t;

    MUST(pthread_create(&t, NULL, f, arg) == 0 && pthread_join(t, NULL) == 0);
}

/* Runs f in a thread that stays: one that ends would leave its stream, and what that knows, to the
 * next one. */
struct staying {
    void *(*f)(void *arg);
    void *arg;
    int done;
};

static inline void *stay(void *arg) {
    struct staying *s = arg;

    s->f(s->arg);
    __atomic_store_n(&s->done, 1, __ATOMIC_RELEASE);
    while (pause()) {
    }
    return NULL;
}

static inline void in_new_stream(void *(*f)(void *arg), void *arg) {
    struct staying s = {.f = f, .arg = arg};
    pthread_t t;

    MUST(pthread_create(&t, NULL, stay, &s) == 0);
    while (!__atomic_load_n(&s.done, __ATOMIC_ACQUIRE)) {
        usleep(20);
    }
}

#endif /* NVTXH_TESTS_RECORDER_PROGRAM_H */
