/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "launch.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

static const int handed_on[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2};
#define SIGNALS (sizeof(handed_on) / sizeof(handed_on[0]))

static volatile sig_atomic_t program;

static void hand_on(int number, siginfo_t *info, void *context)
{
    (void)context;
    /* Codes above 0 come from the kernel: the terminal has told the program too. */
    if (program > 0 && info->si_code <= 0) {
        int error = errno;
        kill((pid_t)program, number);
        errno = error;
    }
}

int launch(char **argv, int *ret_status)
{
    struct sigaction old[SIGNALS];
    struct sigaction action = {.sa_sigaction = hand_on, .sa_flags = SA_SIGINFO | SA_RESTART};
    sigset_t held, before;
    int report[2];
    int error = 0;

    if (pipe2(report, O_CLOEXEC) < 0) {
        return errno;
    }
    sigemptyset(&held);
    for (size_t i = 0; i < SIGNALS; i++) {
        sigaddset(&held, handed_on[i]);
    }
    sigprocmask(SIG_BLOCK, &held, &before);
    pid_t pid = fork();
    if (pid == 0) {
        sigprocmask(SIG_SETMASK, &before, NULL);
        execvp(argv[0], argv);
        error = errno;
        ssize_t ignored = write(report[1], &error, sizeof(error));
        (void)ignored;
        _exit(127);
    }
    error = pid < 0 ? errno : 0;
    program = (sig_atomic_t)pid;
    for (size_t i = 0; i < SIGNALS; i++) {
        sigaction(handed_on[i], NULL, &old[i]);
        if (old[i].sa_handler != SIG_IGN) { /* nohup: ignored here and there */
            sigaction(handed_on[i], &action, NULL);
        }
    }
    sigprocmask(SIG_SETMASK, &before, NULL);
    close(report[1]);
    if (pid > 0) {
        ssize_t n;
        do {
            n = read(report[0], &error, sizeof(error));
        } while (n < 0 && errno == EINTR);
        error = n == (ssize_t)sizeof(error) ? error : 0;
        while (waitpid(pid, ret_status, 0) < 0 && errno == EINTR) {
        }
    }
    program = 0;
    close(report[0]);
    return error;
}
