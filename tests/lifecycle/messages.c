/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Mistakes that are reported, and statistics, with descriptor 2 as the caller has left it. messages
 * WAY [FILE]
 *   plain      SIGPIPE is not pending afterwards, and its handler has not run
 *   pending    SIGPIPE was blocked and pending before, and is so afterwards
 *   reused     descriptor 2 was closed by the caller; FILE gets its number, and the program's data
 *   replaced   FILE replaces descriptor 2 after the first message
 * Exits with 5, and prints that it has finished. */
#include "nvtxh.h"
#include "nvtxh/stats.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static volatile sig_atomic_t handled;

static void on_pipe(int number) {
    handled += number;
}

static void step(void) {
    NVTX_SCOPE("step");
}

static bool is_pending(void) {
    sigset_t pending;

    return !sigpending(&pending) && sigismember(&pending, SIGPIPE) == 1;
}

int main(int argc, char **argv) {
    bool pending = !strcmp(argv[1], "pending"), replaced = !strcmp(argv[1], "replaced");
    struct sigaction action;
    sigset_t pipe;
    int fd;

    memset(&action, 0, sizeof(action));
    action.sa_handler = on_pipe;
    sigaction(SIGPIPE, &action, NULL);
    sigemptyset(&pipe);
    sigaddset(&pipe, SIGPIPE);
    if (pending && (sigprocmask(SIG_BLOCK, &pipe, NULL) || raise(SIGPIPE)))
        return 1;
    if (replaced)
        NVTX_POP(); /* a mistake: without a push */
    if (argc > 2) {
        fd = open(argv[2], O_WRONLY | O_CREAT | O_TRUNC, 0600);
        if (replaced ? dup2(fd, 2) != 2 : fd != 2)
            return 2;
        if (write(2, "data\n", 5) != 5)
            return 3;
    }
    step();
    NVTX_POP();
    if (handled || is_pending() != pending)
        return 4;
    puts("finished");
    fflush(stdout);
    signal(SIGPIPE, SIG_DFL); /* what is said at exit must not end the program */
    return 5;
}
