/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_INJECT_GUARD_H
#define NVTXH_INJECT_GUARD_H
/* Neither a signal handler nor a cancellation may come between lock and unlock. */
#include <errno.h>
#include <pthread.h>
#include <signal.h>

struct guard {
    sigset_t signals;
    int cancel, error;
};

static inline struct guard guard_enter(void)
{
    struct guard g = {.error = errno};
    sigset_t all;

    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &g.cancel);
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &g.signals);
    return g;
}

static inline void guard_leave(struct guard *g)
{
    pthread_sigmask(SIG_SETMASK, &g->signals, NULL);
    pthread_setcancelstate(g->cancel, NULL);
    errno = g->error;
}

#endif /* NVTXH_INJECT_GUARD_H */
