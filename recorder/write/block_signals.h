/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_WRITE_BLOCK_SIGNALS_H
#define NVTXH_WRITE_BLOCK_SIGNALS_H
/* Neither a signal handler nor a cancellation may come between lock and unlock. */
#include <errno.h>
#include <pthread.h>
#include <signal.h>

struct block_signals {
    sigset_t signals;
    int cancel, error;
};

static inline struct block_signals block_signals_enter(void)
{
    struct block_signals g = {.error = errno};
    sigset_t all;

    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &g.cancel);
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &g.signals);
    return g;
}

static inline void block_signals_leave(struct block_signals *g)
{
    pthread_sigmask(SIG_SETMASK, &g->signals, NULL);
    pthread_setcancelstate(g->cancel, NULL);
    errno = g->error;
}

#endif /* NVTXH_WRITE_BLOCK_SIGNALS_H */
