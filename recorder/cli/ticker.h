/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_CLI_TICKER_H
#define NVTXH_CLI_TICKER_H
/* A thread of `nvtxh record` that works while the program runs. Setting the system's clock does not change how long its
 * pauses are. The thread gets no signals: the thread that waits for the program's end handles them. An error ends the
 * thread's work, but not the command, which still waits for the program and reports its end. So it does if memory runs
 * out: nothing below cli/ handles that, so the thread reports it, has `release` close what the work has opened, and
 * then waits for good. It does not call pthread_exit, for which glibc loads a library, or aborts if there is no memory
 * for that. The work's structures are not used or freed, because they may be half built. */
#include "../base/error.h"

#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>

struct ticker {
    /* Does the work. Must return soon after ticker_wait has returned false. False: the work has failed. */
    bool (*run)(void *arg, struct error *ret_error);
    /* Closes what `run` has opened, after a failure. May be NULL. Must not use memory from malloc, or allocate any. */
    void (*release)(void *arg);
    void *arg;
    const char *lost; /* what the user loses by a failure; ends its message. NULL: no message */
    /* The ticker sets the members below. */
    pthread_t thread;
    int end[2];   /* a pipe; closing its end for writing ends the thread's pause */
    sem_t over;   /* posted when the work has ended or failed */
    bool runs;    /* the thread was made */
    bool failed;  /* the thread could not be made, or its work has failed */
    bool is_idle; /* the thread waits for good, because no memory was left */
};

/* Makes a thread that gets no signals. False with errno. */
bool ticker_thread(pthread_t *ret, void *(*run)(void *arg), void *arg);

/* Begins the thread. The caller has set the first four members, and the others to 0. Allocates nothing. */
void ticker_begin(struct ticker *t);

/* Pauses for `ms` milliseconds. Called by `run`. False: the work is to end. */
bool ticker_wait(struct ticker *t, int ms);

/* Waits until the work has ended. False: the work has failed, which has been reported if `lost` is set. */
bool ticker_end(struct ticker *t);

#endif /* NVTXH_CLI_TICKER_H */
