/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "witness.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile pid_t witness; /* 0: there is none */
static uint64_t earlier;       /* signals that earlier children had got: bit 0 is signal 1 */

void witness_begin(void) {
    sigset_t all, before;
    pid_t parent = getpid();

    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, &before);
    /* fork() may wait for a lock that the code has which a handler interrupts. */
    long pid = syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL);
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        while (getppid() == parent) { /* it may have been killed before the call above */
            pause();
        }
        _exit(0);
    }
    witness = pid > 0 ? (pid_t)pid : 0;
    sigprocmask(SIG_SETMASK, &before, NULL);
}

void witness_end(void) {
    if (witness) {
        kill(witness, SIGKILL);
        waitpid(witness, NULL, 0);
    }
    witness = 0;
}

/* The signals that are pending in the child. */
static uint64_t pending(void) {
    char path[40], text[8192] = "";

    snprintf(path, sizeof(path), "/proc/%d/status", (int)witness);
    int fd = witness ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    if (fd >= 0) {
        (void)!read(fd, text, sizeof(text) - 1);
        close(fd);
    }
    const char *at = strstr(text, "\nShdPnd:");
    return at ? strtoull(at + 8, NULL, 16) : 0;
}

bool witness_got(int number) {
    const struct timespec pause = {0, 1000000};
    const uint64_t bit = UINT64_C(1) << (number - 1);
    int error = errno;
    bool got = earlier & bit;

    for (int i = 0; i < 50 && witness && !got; i++) {
        uint64_t all = pending();
        got = all & bit;
        if (got) { /* a new child, because the signal would be pending in this one for ever */
            earlier |= all;
            witness_end();
            witness_begin();
        } else {
            nanosleep(&pause, NULL);
        }
    }
    earlier &= ~bit;
    errno = error;
    return got;
}
