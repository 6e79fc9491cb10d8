/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "record.h"
#include "witness.h"

#include <errno.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static const int handed_on[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2, SIGALRM};
#define SIGNALS (sizeof(handed_on) / sizeof(handed_on[0]))

/* Signals whose actions this command changes, and the previous actions, which the program gets. */
enum { CHANGED_MOST = 4 };
static struct {
    int number;
    struct sigaction before;
} changed[CHANGED_MOST];
static size_t changed_count;

static volatile sig_atomic_t program; /* its pid while it runs, else 0 */
static sigset_t kept;                 /* signals that are not forwarded, but go to `keeper` */
static void (*keeper)(int number);

void exec_keep_signals(sigset_t all, void (*f)(int number)) {
    kept = all;
    keeper = f;
}

static void change(int number, void (*handler)(int)) {
    struct sigaction action = {.sa_handler = handler};

    changed[changed_count].number = number;
    sigaction(number, &action, &changed[changed_count++].before);
}

void exec_ignore_signal(int number) {
    change(number, SIG_IGN);
}

static void hand_on(int number, siginfo_t *info, void *context) {
    (void)context;
    if (keeper && sigismember(&kept, number) == 1) {
        keeper(number);
        return;
    }
    /* A positive code says that the kernel sent the signal for the terminal. The program has then
     * got the signal, too, as it has if its process group got it and it is still in ours. */
    int error = errno;
    bool has_got = witness_got(number) && getpgid((pid_t)program) == getpgrp();
    if (program > 0 && info->si_code <= 0 && !has_got) {
        kill((pid_t)program, number);
    }
    errno = error;
}

/* Linux's vfork: the child shares our memory, so we see what it writes to `error`. When vfork
 * returns in the parent, the child has become the program or has failed. POSIX does not allow what
 * the child does here, but Linux does. */
/* NOLINTBEGIN(clang-analyzer-security.insecureAPI.vfork,clang-analyzer-unix.Vfork) */
static pid_t start(char **argv, const sigset_t *mask, int *ret_error) {
    volatile int error = 0;
    pid_t pid = vfork();

    if (pid == 0) {
        for (size_t i = 0; i < changed_count; i++) {
            sigaction(changed[i].number, &changed[i].before, NULL);
        }
        sigprocmask(SIG_SETMASK, mask, NULL);
        execvp(argv[0], argv);
        error = errno;
        _exit(127);
    }
    *ret_error = pid < 0 ? errno : error;
    return pid;
}
/* NOLINTEND(clang-analyzer-security.insecureAPI.vfork,clang-analyzer-unix.Vfork) */

/* What the program used, as a recording has it. */
static struct rec_usage usage_of(const struct rusage *u) {
    return (struct rec_usage){
        .user = (uint64_t)u->ru_utime.tv_sec * 1000000000 + (uint64_t)u->ru_utime.tv_usec * 1000,
        .system = (uint64_t)u->ru_stime.tv_sec * 1000000000 + (uint64_t)u->ru_stime.tv_usec * 1000,
        .voluntary = (uint64_t)u->ru_nvcsw,
        .preempted = (uint64_t)u->ru_nivcsw};
}

int exec_program(char **argv, void (*started)(void *arg, pid_t pid), void *arg, int *ret_status,
                 struct rec_usage *ret_usage) {
    struct rusage usage = {0};
    struct sigaction old;
    struct sigaction action = {.sa_sigaction = hand_on, .sa_flags = SA_SIGINFO | SA_RESTART};
    sigset_t held, before;
    int error;

    sigfillset(&action.sa_mask);
    sigemptyset(&held);
    for (size_t i = 0; i < SIGNALS; i++) {
        sigaddset(&held, handed_on[i]);
    }
    sigprocmask(SIG_BLOCK, &held, &before);
    /* Our parent may have started us with SIGCHLD ignored. wait4 would then get no status. */
    change(SIGCHLD, SIG_DFL);
    pid_t pid = start(argv, &before, &error);
    program = (sig_atomic_t)pid;
    witness_begin();
    for (size_t i = 0; i < SIGNALS; i++) {
        sigaction(handed_on[i], NULL, &old);
        /* Under nohup, SIGHUP stays ignored by both programs, unless we keep it. */
        if (old.sa_handler != SIG_IGN || sigismember(&kept, handed_on[i]) == 1) {
            sigaction(handed_on[i], &action, NULL);
        }
    }
    sigprocmask(SIG_SETMASK, &before, NULL);
    if (!error) {
        started(arg, pid);
    }
    while (pid > 0 && wait4(pid, ret_status, 0, &usage) < 0) {
        if (errno != EINTR) {
            error = errno;
            break;
        }
    }
    *ret_usage = usage_of(&usage);
    program = 0;
    witness_end();
    return error;
}
