/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once
/* Between block_signals_enter and block_signals_leave, the thread is not cancelled, and signals are
 * blocked. rt_sigprocmask is called directly, because the caller may be a signal handler with
 * little stack: the kernel's set of signals takes 8 bytes, the C library's takes 128. Three signals
 * stay unblocked: 32 and 33, which the C library uses, and SIGSYS. In a sandbox, the program's
 * handler of SIGSYS may carry out system calls, including the recorder's. If SIGSYS were blocked,
 * the kernel would end the program at such a call. */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

struct block_signals {
    uint64_t signals;  /* those that were blocked before block_signals_enter */
    int cancel, error; /* the cancellation state and errno at that time */
};

static inline uint64_t block_signals_bit(int number) {
    return UINT64_C(1) << (number - 1);
}

static inline struct block_signals block_signals_enter(void) {
    struct block_signals g = {.error = errno};
    uint64_t most = ~(block_signals_bit(32) | block_signals_bit(33) | block_signals_bit(SIGSYS));

    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &g.cancel);
    syscall(SYS_rt_sigprocmask, SIG_BLOCK, &most, &g.signals, sizeof(g.signals));
    return g;
}

static inline void block_signals_leave(const struct block_signals *g) {
    syscall(SYS_rt_sigprocmask, SIG_SETMASK, &g->signals, NULL, sizeof(g->signals));
    pthread_setcancelstate(g->cancel, NULL);
    errno = g->error;
}
