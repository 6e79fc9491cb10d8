/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "ticker.h"
#include "../base/memory.h"
#include "../report/utf8.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Reports an error. Allocates nothing, because the error may be that no memory is left. */
static void fail(struct ticker *t, const char *why)
{
    t->failed = true;
    if (t->lost) {
        fprintf(stderr, "nvtxh: %s; %s\n", why, t->said);
    }
}

/* Calls `f`. If it meets an error that would end the command, reports it and returns. */
static void call(struct ticker *t, void (*f)(void *arg))
{
    char error[256];

    if (!unless_fatal(f, t->arg, error, sizeof(error))) {
        fail(t, error);
    }
}

static void *run(void *arg)
{
    struct ticker *t = arg;

    call(t, t->run);
    return NULL;
}

bool ticker_thread(pthread_t *ret, void *(*f)(void *arg), void *arg)
{
    sigset_t all, before;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    errno = pthread_create(ret, NULL, f, arg);
    pthread_sigmask(SIG_SETMASK, &before, NULL); /* leaves errno alone */
    return errno == 0;
}

void ticker_begin(struct ticker *t)
{
    size_t size = t->lost ? strlen(t->lost) : 0;

    t->said = t->lost ? printable(t->lost, size, 4 * size) : NULL;
    t->runs = pipe2(t->end, O_CLOEXEC) == 0 && ticker_thread(&t->thread, run, t);
    if (!t->runs) {
        fail(t, strerror(errno));
    }
}

bool ticker_wait(struct ticker *t, int ms)
{
    return poll(&(struct pollfd){.fd = t->end[0]}, 1, ms) <= 0;
}

bool ticker_end(struct ticker *t, void (*last)(void *arg))
{
    if (t->runs) {
        close(t->end[1]);
        pthread_join(t->thread, NULL);
        close(t->end[0]);
    }
    if (!t->failed && last) {
        call(t, last);
    }
    free(t->said);
    return !t->failed;
}
