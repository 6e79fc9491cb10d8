/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "record.h"
#include "../util/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

/* Reports a failure. Allocates nothing, because the reason may be that no memory is left. */
static void fail(struct worker *t, const char *why) {
    t->failed = true;
    fprintf(stderr, "nvtxh: %s; %s\n", why, t->lost);
    if (t->release) {
        t->release(t->arg);
    }
}

static void out_of_memory(void *arg) {
    struct worker *t = arg;

    fail(t, "out of memory");
    t->is_idle = true;
    pthread_detach(pthread_self());
    sem_post(&t->over); /* the waiting thread may free *t from here on */
    for (;;) {
        pause();
    }
}

static void *run(void *arg) {
    struct worker *t = arg;
    struct error error;

    memory_when_out(out_of_memory, t);
    if (!t->run(t->arg, &error)) {
        fail(t, error.text);
    }
    sem_post(&t->over);
    return NULL;
}

void worker_begin(struct worker *t) {
    sigset_t all, before;

    sem_init(&t->over, 0, 0);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    bool has_pipe = pipe2(t->end, O_CLOEXEC) == 0;
    if (has_pipe) {
        errno = pthread_create(&t->thread, NULL, run, t);
        t->runs = errno == 0;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL); /* leaves errno alone */
    if (!t->runs) {
        fail(t, strerror(errno));
    }
    if (has_pipe && !t->runs) {
        close(t->end[0]);
        close(t->end[1]);
    }
}

bool worker_wait(struct worker *t, int ms) {
    return poll(&(struct pollfd){.fd = t->end[0]}, 1, ms) <= 0;
}

bool worker_end(struct worker *t) {
    if (t->runs) {
        close(t->end[1]);
        while (sem_wait(&t->over) < 0) { /* a signal came */
        }
        if (!t->is_idle) {
            pthread_join(t->thread, NULL);
        }
        close(t->end[0]);
    }
    return !t->failed;
}
