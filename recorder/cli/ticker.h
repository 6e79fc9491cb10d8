/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_CLI_TICKER_H
#define NVTXH_CLI_TICKER_H
/*
 * A thread of `nvtxh record` that does something again and again while the program runs. Setting the system's clock
 * does not change how long its pauses are. It gets no signals: the thread that waits for the program's end handles
 * them. An error that would end the command elsewhere, such as no memory, ends only this thread.
 */
#include <pthread.h>
#include <stdbool.h>

struct ticker {
    void (*run)(void *arg); /* must return when ticker_wait has returned false */
    void *arg;
    const char *lost; /* what the user loses by an error; ends its message. NULL: no message */
    /* The ticker sets the members below. */
    char *said; /* `lost`, made safe for the terminal */
    pthread_t thread;
    int end[2];        /* a pipe; closing its end for writing ends the thread's pause */
    bool runs, failed; /* runs: the thread was made; failed: there was an error */
};

/* Makes a thread that gets no signals. False with errno. */
bool ticker_thread(pthread_t *ret, void *(*run)(void *arg), void *arg);

/* Begins the thread. The caller has set the first three members, and the others to 0. */
void ticker_begin(struct ticker *t);

/* Pauses for `ms` milliseconds. Called by `run`. False: the thread is to end. */
bool ticker_wait(struct ticker *t, int ms);

/* Ends the thread, and then calls `last` with `arg` if it is not NULL. False: the thread could not be made, or `run` or
 * `last` met an error; it has been reported if `lost` is set. After an error in one of the first two, `last` is not
 * called. */
bool ticker_end(struct ticker *t, void (*last)(void *arg));

#endif /* NVTXH_CLI_TICKER_H */
