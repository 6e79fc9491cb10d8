/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_CLI_TICKER_H
#define NVTXH_CLI_TICKER_H
/*
 * A thread of `nvtxh record` that does something again and again while the program runs. It does not wait by a clock
 * that can be set, and gets no signals, which are for the thread that waits for the program. An error that would end
 * the command, such as no memory, ends only the thread.
 */
#include <pthread.h>
#include <stdbool.h>

struct ticker {
    void (*run)(void *arg); /* must return when ticker_wait has returned false */
    void *arg;
    const char *lost; /* what an error loses, for its message; NULL: no message */
    char *said;       /* this and what follows is the ticker's own */
    pthread_t thread;
    int end[2]; /* a pipe, which is closed at the end */
    bool runs, failed;
};

/* Makes a thread that gets no signals. False with errno. */
bool ticker_thread(pthread_t *ret, void *(*run)(void *arg), void *arg);

/* The first three members are set, the others 0. */
void ticker_begin(struct ticker *t);

/* Called by `run`. False when the end has come. */
bool ticker_wait(struct ticker *t, int ms);

/* Ends the thread, and calls `last` if it is not NULL. False: there was an error, which has been reported, in one of
 * these three functions, `run` or `last`. After an error `last` is not called. */
bool ticker_end(struct ticker *t, void (*last)(void *arg));

#endif /* NVTXH_CLI_TICKER_H */
