/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Programs that do what is hard for a recorder. Each is a function here; what it prints and how it
 * ends must be the same with and without whatever records it: see programs.py.
 *
 *   programs --list                lines: a program's name and how many ranges "work" are recorded of it
 *   programs NAME PLUGIN           runs it in the current directory, which is empty */
#include "nvtxh.h"
#include "nvtxh/stats.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <locale.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MUST(claim)                                                                                \
    do {                                                                                           \
        if (!(claim)) {                                                                            \
            printf("line %d: not so: %s (%s)\n", __LINE__, #claim, strerror(errno));               \
            exit(99);                                                                              \
        }                                                                                          \
    } while (0)

enum {
    A_FEW = 10,
    MANY = 20000 /* several chunks of a recording */
};

static const char *self, *plugin;

static void work(int n) {
    int i;

    for (i = 0; i < n; i++) {
        NVTX_SCOPE("work");
    }
}

static int status_of(pid_t child) {
    int status = -1;

    MUST(waitpid(child, &status, 0) == child);
    return status;
}

/* The numbers below 64 of the descriptors that are open. */
static void print_descriptors(void) {
    int i;

    printf("descriptors:");
    for (i = 0; i < 64; i++)
        if (fcntl(i, F_GETFD) >= 0)
            printf(" %d", i);
    printf("\n");
}

static void write_file(const char *name, const char *text) {
    int file = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0666);

    MUST(file >= 0 && write(file, text, strlen(text)) == (ssize_t)strlen(text) && !close(file));
}

/* --- threads --- */

static void *works(void *n) {
    work((int)(intptr_t)n);
    return NULL;
}

static void start(pthread_t *thread, void *(*function)(void *), int n) {
    MUST(!pthread_create(thread, NULL, function, (void *)(intptr_t)n));
}

static void threads(void) {
    pthread_t all[50];
    int i, round;

    for (round = 0; round < 4; round++) {
        for (i = 0; i < 50; i++)
            start(&all[i], works, A_FEW);
        for (i = 0; i < 50; i++)
            MUST(!pthread_join(all[i], NULL));
    }
}

static void *waits(void *unused) {
    NVTX_SCOPE("work");

    for (;;)
        pause();
    return unused;
}

static void cancelled(void) {
    pthread_t all[20];
    void *result;
    int i;

    for (i = 0; i < 20; i++)
        start(&all[i], waits, 0);
    for (i = 0; i < 20; i++) {
        MUST(!pthread_cancel(all[i]) && !pthread_join(all[i], &result));
        MUST(result == PTHREAD_CANCELED);
    }
}

static void *works_on(void *unused) {
    for (;;) {
        NVTX_SCOPE("endless");
    }
    return unused;
}

/* The process ends while other threads are in the middle of events. */
static void exits_from_thread(void) {
    pthread_t all[4];
    int i;

    work(A_FEW);
    for (i = 0; i < 4; i++)
        start(&all[i], works_on, 0);
    usleep(10000);
    fflush(NULL);
    _exit(7);
}

static void *ends_main(void *main_thread) {
    MUST(!pthread_join((pthread_t)(uintptr_t)main_thread, NULL));
    work(A_FEW);
    print_descriptors();
    exit(8);
}

static void main_thread_ends(void) {
    pthread_t thread;

    MUST(!pthread_create(&thread, NULL, ends_main, (void *)(uintptr_t)pthread_self()));
    pthread_exit(NULL);
}

static void small_stacks(void) {
    pthread_attr_t attributes;
    pthread_t thread;

    MUST(!pthread_attr_init(&attributes) &&
         !pthread_attr_setstacksize(&attributes, PTHREAD_STACK_MIN + 49152));
    MUST(!pthread_create(&thread, &attributes, works, (void *)(intptr_t)A_FEW));
    MUST(!pthread_join(thread, NULL));
}

/* --- processes --- */

static void forks(void) {
    int depth, family = 1, status = 0;

    printf("not flushed before the forks\n");
    for (depth = 0; depth < 4; depth++) { /* in the parent and in the child */
        MUST(fork() >= 0);
        work(A_FEW);
    }
    while (wait(&status) > 0)
        family += WEXITSTATUS(status);
    exit(family);
}

/* Many threads fork at once. */
static void *forks_some(void *unused) {
    int i;

    for (i = 0; i < 5; i++) {
        pid_t child = fork();

        if (!child) {
            work(A_FEW);
            _exit(3);
        }
        MUST(WEXITSTATUS(status_of(child)) == 3);
        work(1);
    }
    return unused;
}

static void forks_in_threads(void) {
    pthread_t all[8];
    int i;

    work(A_FEW); /* a fork during another thread's first event leaves the child without a tool */
    for (i = 0; i < 8; i++)
        start(&all[i], forks_some, 0);
    for (i = 0; i < 8; i++)
        MUST(!pthread_join(all[i], NULL));
}

/* What is run by a later exec of this program. */
static void leaf(void) {
    work(A_FEW);
    print_descriptors();
    exit(9);
}

static void vforks(void) {
    int i;

    work(A_FEW);
    fflush(stdout);
    for (i = 0; i < 3; i++) {
        pid_t child = vfork();

        if (!child) {
            execl(self, self, "leaf", plugin, (char *)NULL);
            _exit(1);
        }
        MUST(WEXITSTATUS(status_of(child)) == 9);
    }
}

static void spawns(void) {
    char *arguments[] = {(char *)(uintptr_t)self, (char *)(uintptr_t) "leaf",
                         (char *)(uintptr_t)plugin, NULL};
    char command[4096];
    pid_t child;
    FILE *output;

    work(A_FEW);
    fflush(stdout);
    MUST(!posix_spawn(&child, self, NULL, NULL, arguments, environ));
    MUST(WEXITSTATUS(status_of(child)) == 9);
    snprintf(command, sizeof(command), "'%s' leaf '%s'", self, plugin);
    MUST(WEXITSTATUS(system(command)) == 9);
    MUST((output = popen(command, "r")));
    while (fgets(command, sizeof(command), output))
        printf("%s", command);
    MUST(WEXITSTATUS(pclose(output)) == 9);
}

/* fork by clone(), which calls no handlers of the C library's; also one with which the child shares
 * its descriptors. */
static void clones(void) {
    const unsigned long flags[] = {SIGCHLD, SIGCHLD | CLONE_FILES | CLONE_FS};
    size_t i;

    work(A_FEW);
    for (i = 0; i < 2; i++) {
        pid_t child = (pid_t)syscall(SYS_clone, flags[i], NULL, NULL, NULL, NULL);

        if (!child) {
            work(A_FEW);
            _exit(6);
        }
        MUST(WEXITSTATUS(status_of(child)) == 6);
        work(A_FEW);
    }
}

/* Each run of the program runs the next. */
static void exec_chain(void) {
    const char *left = getenv("EXECS_LEFT");
    char next[2] = {(char)((left ? *left : '6') - 1), 0};

    work(A_FEW);
    if (*next == '0')
        return;
    setenv("EXECS_LEFT", next, 1);
    fflush(stdout);
    execl(self, self, "exec_chain", plugin, (char *)NULL);
    MUST(false);
}

static void daemonizes(void) {
    struct stat done;
    pid_t child;
    int i, here = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    work(A_FEW);
    fflush(stdout);
    child = fork();
    if (!child) {
        if (fork())
            _exit(0);
        setsid();
        MUST(!fchdir(here) && !mkdir("in", 0755));
        umask(0);
        for (i = 0; i < 1024; i++)
            close(i);
        work(MANY);
        write_file("done", "by the daemon\n");
        MUST(!chdir("/"));
        _exit(0);
    }
    MUST(!status_of(child));
    for (i = 0; i < 10000 && (stat("done", &done) || !done.st_size); i++)
        usleep(1000);
    MUST(i < 10000);
    close(here);
}

/* Nobody has made processes for which the program would wait. */
static void waits_for_nobody(void) {
    work(MANY);
    MUST(wait(NULL) < 0 && errno == ECHILD);
}

static void traced(void) {
    int status, signals = 0;
    pid_t child = fork();

    if (!child) {
        MUST(!ptrace(PTRACE_TRACEME, 0, NULL, NULL));
        raise(SIGSTOP);
        work(MANY);
        raise(SIGUSR1);
        _exit(4);
    }
    while (WIFSTOPPED(status = status_of(child))) {
        signals += WSTOPSIG(status);
        MUST(!ptrace(PTRACE_CONT, child, NULL, NULL));
    }
    printf("signals: %d, status %d\n", signals, WEXITSTATUS(status));
}

/* --- signals --- */

static volatile sig_atomic_t handled;
static sigjmp_buf out;

static void handle(int number) {
    (void)number;
    work(1);
    handled = handled + 1;
}

static void signals(void) {
    struct sigaction action = {.sa_handler = handle};
    int i;

    MUST(!sigaction(SIGUSR1, &action, NULL) && !sigaction(SIGUSR2, &action, NULL));
    sigaddset(&action.sa_mask, SIGUSR2);
    for (i = 0; i < 500; i++) {
        NVTX_SCOPE("work");
        raise(i % 2 ? SIGUSR1 : SIGUSR2);
    }
    printf("handled: %d\n", (int)handled);
}

/* A timer interrupts as often as it can, until the handler has run so often. */
static void ticks(int number) {
    (void)number;
    if (handled < 100) {
        work(1);
        handled = handled + 1;
    }
}

static void timers(void) {
    struct sigaction action = {.sa_handler = ticks, .sa_flags = SA_RESTART};
    struct itimerval interval = {{0, 500}, {0, 500}}, never = {{0, 0}, {0, 0}};

    work(A_FEW); /* the first event takes long, and what a handler does meanwhile is not seen */
    MUST(!sigaction(SIGALRM, &action, NULL) && !setitimer(ITIMER_REAL, &interval, NULL));
    while (handled < 100) {
        NVTX_SCOPE("while waiting");
    }
    MUST(!setitimer(ITIMER_REAL, &never, NULL));
}

static sem_t expired;

static void expire(union sigval value) {
    work(value.sival_int);
    sem_post(&expired);
}

/* A timer whose function the C library calls in a thread of its own. */
static void timer_threads(void) {
    struct sigevent event;
    struct itimerspec once = {{0, 0}, {0, 1000}};
    timer_t timer;
    int i;

    memset(&event, 0, sizeof(event));
    event.sigev_notify = SIGEV_THREAD;
    event.sigev_notify_function = expire;
    event.sigev_value.sival_int = A_FEW;
    sem_init(&expired, 0, 0);
    MUST(!timer_create(CLOCK_MONOTONIC, &event, &timer));
    for (i = 0; i < 5; i++) {
        MUST(!timer_settime(timer, 0, &once, NULL));
        while (sem_wait(&expired))
            ;
    }
    MUST(!timer_delete(timer));
}

static void jump_out(int number) {
    work(1);
    siglongjmp(out, number);
}

static int overflow(int depth) {
    volatile char frame[1024];

    frame[0] = (char)depth;
    return depth < 0 ? 0 : overflow(depth + 1) + frame[0];
}

/* The stack overflows; the handler has one of its own, and jumps out. */
static void stack_overflow(void) {
    static char own[65536];
    stack_t stack = {.ss_sp = own, .ss_size = sizeof(own)};
    struct sigaction action = {.sa_handler = jump_out, .sa_flags = SA_ONSTACK};
    volatile int turn;

    MUST(!sigaltstack(&stack, NULL) && !sigaction(SIGSEGV, &action, NULL));
    for (turn = 0; turn < 3; turn++) {
        if (!sigsetjmp(out, 1))
            overflow(0);
        work(A_FEW);
    }
}

static void *blocks_all(void *unused) {
    sigset_t all;
    int number = 0;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, NULL);
    work(MANY);
    while (number != SIGTERM) {
        MUST(!sigwait(&all, &number));
        work(1);
    }
    return unused;
}

static void sigwaits(void) {
    sigset_t term;
    pthread_t thread;

    sigemptyset(&term);
    sigaddset(&term, SIGTERM);
    sigaddset(&term, SIGUSR1);
    MUST(!pthread_sigmask(SIG_BLOCK, &term, NULL));
    start(&thread, blocks_all, 0);
    MUST(!pthread_kill(thread, SIGUSR1));
    usleep(20000);
    MUST(!pthread_kill(thread, SIGTERM) && !pthread_join(thread, NULL));
}

/* Calls of the system are interrupted only by the program's own signals. */
static void interrupted(void) {
    struct sigaction action = {.sa_handler = handle};
    struct itimerval once = {{0, 0}, {0, 20000}};
    char byte;
    int ends[2];

    MUST(!pipe(ends) && !sigaction(SIGALRM, &action, NULL));
    work(MANY);
    MUST(!setitimer(ITIMER_REAL, &once, NULL));
    MUST(read(ends[0], &byte, 1) < 0 && errno == EINTR && handled == 1);
    close(ends[0]);
    close(ends[1]);
}

/* --- how a process ends --- */

static void late(void) {
    work(1);
    printf("late\n");
}

static void exit_handlers(void) {
    int i;

    for (i = 0; i < 40; i++)
        MUST(!atexit(late));
    exit(11);
}

static void quick_exits(void) {
    MUST(!at_quick_exit(late) && !atexit(late));
    work(A_FEW);
    fflush(stdout);
    quick_exit(12);
}

static void exits_at_once(void) {
    NVTX_PUSH("left open");
    work(A_FEW);
    fflush(stdout);
    _exit(13);
}

static void aborts(void) {
    NVTX_SCOPE("never ends");

    work(A_FEW);
    fflush(stdout);
    abort();
}

static void crashes(void) {
    NVTX_SCOPE("never ends");

    work(A_FEW);
    fflush(stdout);
    syscall(SYS_tgkill, getpid(), (int)syscall(SYS_gettid), SIGSEGV);
}

static void kills_itself(void) {
    work(MANY);
    fflush(stdout);
    raise(SIGKILL);
}

static void broken_pipe(void) {
    int ends[2];

    MUST(!pipe(ends) && !close(ends[0]));
    work(A_FEW);
    fflush(stdout);
    MUST(write(ends[1], "x", 1) == 1);
}

/* --- limits --- */

static void limit(int which, rlim_t most) {
    struct rlimit both;

    MUST(!getrlimit((__rlimit_resource_t)which, &both));
    both.rlim_cur = most;
    MUST(!setrlimit((__rlimit_resource_t)which, &both));
}

static void few_descriptors(void) {
    int i, opened[64];

    work(A_FEW);
    limit(RLIMIT_NOFILE, 16);
    for (i = 0; i < 64 && (opened[i] = open("/dev/null", O_RDONLY)) >= 0; i++)
        ;
    printf("%d of 16 were free\n", i);
    work(MANY);
    while (i--)
        close(opened[i]);
}

static void little_memory(void) {
    void *all[4096];
    int i;

    work(A_FEW);
    limit(RLIMIT_AS, 1u << 30);
    for (i = 0; i < 4096 && (all[i] = malloc(1 << 20)); i++)
        ;
    MUST(i < 4096);
    work(MANY);
    while (i--)
        free(all[i]);
    work(MANY);
}

/* The program's own files stay below the limit, which is below the size of a recording. SIGXFSZ
 * would end it. */
static void small_files(void) {
    work(A_FEW);
    limit(RLIMIT_FSIZE, 65536);
    work(MANY);
    write_file("file", "short enough\n");
}

static int deeper(int depth) {
    NVTX_SCOPE("work");

    return depth ? deeper(depth - 1) + 1 : 0;
}

static void deep(void) {
    int i;

    limit(RLIMIT_STACK, 4 << 20);
    printf("%d\n", deeper(9999));
    for (i = 0; i < 100000; i++)
        NVTX_PUSH("work");
    for (i = 0; i < 100000; i++)
        NVTX_POP();
}

/* No more processes: no thread of ours either. Root is exempt, so the program drops its rights
 * first. */
static void no_processes(void) {
    pthread_t thread;
    bool root = !geteuid();

    work(A_FEW);
    MUST(!root || (!setgroups(0, NULL) && !setresgid(54321, 54321, 54321) &&
                   !setresuid(54321, 54321, 54321)));
    limit(RLIMIT_NPROC, 0);
    work(MANY);
    printf("%d\n", pthread_create(&thread, NULL, works, NULL));
}

static void locked_memory(void) {
    bool root = !geteuid();

    work(A_FEW);
    MUST(!root || (!setresgid(54321, 54321, 54321) && !setresuid(54321, 54321, 54321)));
    limit(RLIMIT_MEMLOCK, 65536);
    (void)mlockall(MCL_FUTURE);
    work(MANY);
    MUST(!munlockall());
    work(MANY);
}

/* --- privileges and places --- */

static void changes_root(void) {
    MUST(!mkdir("inside", 0755));
    work(A_FEW);
    if (!geteuid())
        MUST(!chroot("inside") && !chdir("/"));
    work(MANY);
    write_file("file", "inside\n");
}

static void drops_rights(void) {
    MUST(!chmod(".", 0777));
    work(A_FEW);
    if (!geteuid())
        MUST(!setgroups(0, NULL) && !setresgid(54321, 54321, 54321) &&
             !setresuid(54321, 54321, 54321));
    (void)prctl(PR_SET_DUMPABLE, 0);
    work(MANY);
    write_file("file", "of nobody\n");
}

/* A filter of system calls that refuses to open files, to map memory and to make files longer. */
static void filters_calls(void) {
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat, 4, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mmap, 3, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_fallocate, 2, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
    };
    struct sock_fprog program = {sizeof(code) / sizeof(code[0]), code};

    work(A_FEW);
    MUST(!prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0));
    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
        return;
    work(MANY);
    MUST(open("/dev/null", O_RDONLY) < 0 && errno == EPERM);
}

static void directory_removed(void) {
    char path[4096];

    MUST(!mkdir("gone", 0755) && !chdir("gone") && !rmdir("../gone"));
    work(MANY);
    MUST(!getcwd(path, sizeof(path)) && errno == ENOENT);
}

static void closed_mask(void) {
    struct stat made;

    umask(0777);
    work(MANY);
    write_file("file", "");
    MUST(!stat("file", &made));
    printf("%o\n", (unsigned)made.st_mode);
}

static void without_environment(void) {
    pid_t child;

    work(A_FEW);
    clearenv();
    work(A_FEW);
    environ = NULL;
    work(A_FEW);
    fflush(stdout);
    child = fork();
    if (!child) {
        char *const none[] = {NULL};

        execle(self, self, "leaf", plugin, (char *)NULL, none);
        _exit(1);
    }
    MUST(WEXITSTATUS(status_of(child)) == 9);
}

static void locales(void) {
    work(A_FEW);
    (void)setlocale(LC_ALL, "de_DE.UTF-8");
    work(A_FEW);
    printf("%.2f\n", 1.5);
}

/* --- descriptors --- */

static void closes_all(void) {
    int i, file;

    work(A_FEW);
    for (i = 3; i < 1024; i++)
        close(i);
    work(MANY);
    usleep(30000); /* a thread of a recorder has time to begin */
    file = open("/dev/null", O_RDONLY);
    printf("%d\n", file);
    close(file);
}

/* Every number is the program's, whatever was there; nobody else writes to its file, or changes its
 * size. */
static void takes_all_numbers(void) {
    char text[16];
    int i, file = open("file", O_RDWR | O_CREAT | O_TRUNC, 0666);

    work(A_FEW);
    for (i = 3; i < 1024; i++)
        if (i != file)
            (void)dup2(file, i);
    work(MANY);
    for (i = 3; i < 1000; i++) {
        int n = snprintf(text, sizeof(text), "%d\n", i);

        MUST(write(i, text, (size_t)n) == n);
    }
    work(MANY);
    for (i = 3; i < 1024; i++)
        close(i);
}

/* Without descriptors 0 to 2 the program's files get these numbers. */
static void closes_standard(void) {
    int i, kept = dup(1);

    for (i = 0; i < 3; i++)
        close(i);
    work(A_FEW);
    MUST(!open("zero", O_RDWR | O_CREAT, 0666) && open("one", O_RDWR | O_CREAT, 0666) == 1 &&
         open("two", O_RDWR | O_CREAT, 0666) == 2);
    limit(RLIMIT_FSIZE, 65536);
    work(MANY);
    for (i = 0; i < 3; i++)
        MUST(write(i, "data\n", 5) == 5 && !close(i));
    MUST(!dup(kept) && dup(kept) == 1 && dup(kept) == 2 && !close(kept));
}

/* --- shared objects --- */

static void plugins(void) {
    int i;

    for (i = 0; i < 20; i++) {
        void *object = dlopen(plugin, RTLD_NOW);
        void (*run)(void);

        MUST(object);
        *(void **)&run = dlsym(object, "hostile_plugin");
        MUST(run);
        run();
        MUST(!dlclose(object) && !dlopen(plugin, RTLD_NOW | RTLD_NOLOAD));
    }
}

#define PROGRAM(name, works)                                                                       \
    { #name, name, works }
static const struct program {
    const char *name;
    void (*run)(void);
    int works;
} programs[] = {
    PROGRAM(threads, 200 * A_FEW),
    PROGRAM(cancelled, 20),
    PROGRAM(exits_from_thread, A_FEW),
    PROGRAM(main_thread_ends, A_FEW),
    PROGRAM(small_stacks, A_FEW),
    PROGRAM(forks, 30 * A_FEW),
    PROGRAM(forks_in_threads, A_FEW + 40 * (A_FEW + 1)),
    PROGRAM(leaf, A_FEW),
    PROGRAM(vforks, 4 * A_FEW),
    PROGRAM(spawns, 4 * A_FEW),
    PROGRAM(clones, 5 * A_FEW),
    PROGRAM(exec_chain, 6 * A_FEW),
    PROGRAM(daemonizes, A_FEW + MANY),
    PROGRAM(waits_for_nobody, MANY),
    PROGRAM(traced, MANY),
    PROGRAM(signals, 1000),
    PROGRAM(timers, A_FEW + 100),
    PROGRAM(timer_threads, 5 * A_FEW),
    PROGRAM(stack_overflow, 3 * A_FEW + 3),
    PROGRAM(sigwaits, MANY + 2),
    PROGRAM(interrupted, MANY + 1),
    PROGRAM(exit_handlers, 40),
    PROGRAM(quick_exits, A_FEW + 1),
    PROGRAM(exits_at_once, A_FEW),
    PROGRAM(aborts, A_FEW),
    PROGRAM(crashes, A_FEW),
    PROGRAM(kills_itself, MANY),
    PROGRAM(broken_pipe, A_FEW),
    PROGRAM(few_descriptors, A_FEW + MANY),
    PROGRAM(little_memory, -1),
    PROGRAM(small_files, -1),
    PROGRAM(deep, 110000),
    PROGRAM(no_processes, A_FEW + MANY),
    PROGRAM(locked_memory, -1),
    PROGRAM(changes_root, A_FEW + MANY),
    PROGRAM(drops_rights, A_FEW + MANY),
    PROGRAM(filters_calls, -1),
    PROGRAM(directory_removed, MANY),
    PROGRAM(closed_mask, MANY),
    PROGRAM(without_environment, 3 * A_FEW),
    PROGRAM(locales, 2 * A_FEW),
    PROGRAM(closes_all, -1),
    PROGRAM(takes_all_numbers, -1),
    PROGRAM(closes_standard, -1),
    PROGRAM(plugins, 20),
};

int main(int argc, char **argv) {
    size_t i;

    setvbuf(stdout, NULL, _IOFBF, 65536);
    self = argv[0];
    plugin = argc > 2 ? argv[2] : "";
    for (i = 0; i < sizeof(programs) / sizeof(programs[0]); i++) {
        if (argc > 1 && !strcmp(argv[1], "--list"))
            printf("%s %d\n", programs[i].name, programs[i].works);
        else if (argc > 1 && !strcmp(argv[1], programs[i].name)) {
            print_descriptors();
            programs[i].run();
            print_descriptors();
        }
    }
    return 0;
}
