/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "top.h"
#include "cli.h"
#include "witness.h"
#include "../util/memory.h"
#include "../format/create.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* In the child process: executes nvtxh record. */
static void run_record(const struct top_program *p, char **argv) {
    size_t count = 1;
    const char *first[] = {"nvtxh", "record", "-q", "-o", p->rec, "--"};

    while (argv[count - 1]) {
        count++;
    }
    char **all = must_alloc(NULL, 6 + count, sizeof(*all));
    memcpy(all, first, sizeof(first));
    memcpy(all + 6, argv, count * sizeof(*argv));
    int none = p->screen ? open("/dev/null", O_RDONLY | O_CLOEXEC) : -1;
    /* O_APPEND, because the program may truncate the file by reopening its stderr. */
    bool ready =
        !p->screen || (none >= 0 && fcntl(p->printed, F_SETFL, O_APPEND) >= 0 &&
                       dup2(none, STDIN_FILENO) >= 0 && dup2(p->printed, STDERR_FILENO) >= 0);
    if (ready && dup2(STDERR_FILENO, STDOUT_FILENO) >= 0) {
        execv("/proc/self/exe", all);
    }
    _exit(cli_fail("cannot run %s: %s", argv[0], strerror(errno)));
}

static volatile sig_atomic_t record; /* the pid of nvtxh record while it runs, else 0 */
static volatile sig_atomic_t told;   /* a signal has come that would have ended this command */

/* Forwards the signal. nvtxh top does not die of it, because it must still remove the recording. */
static void hand_on(int number, siginfo_t *info, void *context) {
    (void)context;
    told = 1;
    /* A positive code says that the kernel sent the signal for the terminal. nvtxh record, which
     * has the same terminal and process group, has then got the signal, too. */
    if (record > 0 && !witness_got(number) && info->si_code <= 0) {
        int error = errno;
        kill((pid_t)record, number);
        errno = error;
    }
}

static void set_signals(pid_t pid) {
    const struct sigaction action = {.sa_sigaction = hand_on, .sa_flags = SA_SIGINFO};
    struct sigaction before;

    record = (sig_atomic_t)pid;
    witness_begin();
    signal(SIGINT, SIG_IGN); /* Ctrl-C ends the program, and nvtxh top ends after it */
    signal(SIGQUIT, SIG_IGN);
    signal(SIGPIPE, SIG_IGN); /* if nobody reads our output, writing fails with an errno instead */
    sigaction(SIGTERM, &action, NULL);
    if (sigaction(SIGHUP, NULL, &before) == 0 && before.sa_handler != SIG_IGN) {
        sigaction(SIGHUP, &action, NULL); /* under nohup, SIGHUP stays ignored */
    }
}

bool top_program_is_told(void) {
    return told;
}

bool top_program_has_ended(struct top_program *p) {
    if (p->pid && waitpid(p->pid, &p->status, WNOHANG) == p->pid) {
        p->pid = 0;
        record = 0;
    }
    return !p->pid;
}

bool top_program_begin(struct top_program *p, char **argv, bool screen) {
    const char *directory = getenv("TMPDIR");
    const struct timespec pause = {0, 5000000};
    int fd;

    *p = (struct top_program){.screen = screen, .status = EXIT_FAILED << 8};
    snprintf(p->folder, sizeof(p->folder), "%s/nvtxh-top.XXXXXX",
             directory && *directory ? directory : "/var/tmp");
    if (!mkdtemp(p->folder)) {
        cli_fail("cannot create %s: %s", p->folder, strerror(errno));
        *p->folder = 0;
        return false;
    }
    snprintf(p->rec, sizeof(p->rec), "%s/top.nvtxh", p->folder);
    p->printed = screen ? io_temporary() : -1;
    fflush(NULL);
    p->pid = fork();
    if (p->pid == 0) {
        run_record(p, argv);
    }
    if (p->pid < 0) {
        p->pid = 0;
        cli_fail("cannot run %s: %s", argv[0], strerror(errno));
        return false;
    }
    set_signals(p->pid);
    /* The recording has its name before it has its header. */
    while ((fd = rec_join(p->rec, NULL)) < 0 && !top_program_has_ended(p)) {
        nanosleep(&pause, NULL);
    }
    fd = fd < 0 ? rec_join(p->rec, NULL) : fd; /* it may have got it in the end */
    return fd >= 0 && close(fd) == 0;
}

int top_program_end(struct top_program *p) {
    char buffer[65536];
    size_t n;

    if (!top_program_has_ended(p) && p->screen) {
        cli_say("waiting for the program to end; Ctrl-C ends it");
    }
    while (p->pid && waitpid(p->pid, &p->status, 0) < 0 && errno == EINTR) {
    }
    record = 0;
    witness_end();
    if (*p->folder) {
        for (uint64_t at = 0;
             p->screen && (n = io_read(p->printed, buffer, sizeof(buffer), at)) > 0; at += n) {
            fwrite(buffer, 1, n, stdout);
        }
        unlink(p->rec);
        rmdir(p->folder);
    }
    return WIFEXITED(p->status) ? WEXITSTATUS(p->status) : EXIT_FAILED;
}
