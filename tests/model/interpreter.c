/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Runs a script: see script.py for its lines, and model.py for what a recording of it must contain.
 * Prints which thread of the script had which number. */
#include "macros.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { THREADS = 16 };
enum { KEPT = ELNRNG }; /* errno, which neither annotations nor the recorder change */

struct thread {
    struct op *ops;
    size_t count, room, at;
    int number, depth;
    pid_t tid;
};

static struct thread threads[THREADS];
static struct thread of_main; /* between the phases */
static int thread_count;
static pthread_barrier_t barrier;
static pid_t parent;
static long handled, asynchronous;

static void say(const char *what, long number, long is) {
    char line[LINE];
    int size = snprintf(line, sizeof(line), "%s %ld %ld\n", what, number, is);

    if (write(1, line, (size_t)size) != size) {
        abort();
    }
}

static void on_raise(int number) {
    (void)number;
    annotate_raised();
}

static void on_signal(int number) {
    (void)number;
    annotate_asynchronous();
    __atomic_add_fetch(&handled, 1, __ATOMIC_SEQ_CST);
}

static void *run_thread(void *thread);

static void go_on_elsewhere(struct thread *t) {
    pthread_t successor;

    if (pthread_create(&successor, NULL, run_thread, t) || pthread_detach(successor)) {
        abort();
    }
    pthread_exit(NULL);
}

static bool is_child(void) {
    return getpid() != parent;
}

/* The child runs the lines up to 'F' or to the next barrier. The parent waits for it and skips
 * them. */
static void fork_here(struct thread *t) {
    int status;
    pid_t child = fork();

    if (child < 0) {
        abort();
    }
    if (child == 0) {
        return;
    }
    while (waitpid(child, &status, 0) != child) {
    }
    if (status && status != SIGKILL) {
        fprintf(stderr, "a child ended with %x\n", (unsigned)status);
        exit(1);
    }
    say("child", t->ops[t->at - 1].arg, child);
    while (t->at < t->count && t->ops[t->at].what != 'F' && t->ops[t->at].what != 'b') {
        t->at++;
    }
}

static void run(void *arg) {
    struct thread *t = arg;

    errno = KEPT;
    while (t->at < t->count) {
        const struct op *op = &t->ops[t->at++];

        if (errno != KEPT) {
            fprintf(stderr, "before line %zu of thread %d: errno has become %d\n", t->at, t->number,
                    errno);
            exit(1);
        }
        switch (op->what) {
        case 'e':
            if (t->depth) {
                return;
            }
            break;
        case 's':
            t->depth++;
            scope(op, run, t);
            t->depth--;
            break;
        case 'p':
            push(op);
            break;
        case 'o':
            pop(op);
            break;
        case 'm':
            mark(op);
            break;
        case 'r':
            start(op);
            break;
        case 'x':
            end(op);
            break;
        case 'g':
            raise(SIGUSR1);
            break;
        case 'n':
            nvtxh_thread_name("a name");
            break;
        case 'f':
            if (!is_child()) {
                fork_here(t);
                errno = KEPT;
            }
            break;
        case 'F':
            if (is_child()) {
                _exit(0);
            }
            break;
        case 'q':
            if (!t->depth && !is_child()) {
                go_on_elsewhere(t);
            }
            break;
        case 'k':
            if (is_child()) {
                kill(getpid(), SIGKILL);
            }
            break;
        case 'b':
            if (is_child()) {
                _exit(0);
            }
            pthread_barrier_wait(&barrier);
            errno = KEPT;
            break;
        default:
            fprintf(stderr, "no such line: %c\n", op->what);
            exit(2);
        }
    }
    if (is_child()) {
        _exit(0);
    }
}

static void *run_thread(void *thread) {
    struct thread *t = thread;

    __atomic_store_n(&t->tid, (pid_t)syscall(SYS_gettid), __ATOMIC_SEQ_CST);
    say("thread", t->number, t->tid);
    run(t);
    if (t->at == t->count) {
        t->at++;
        pthread_barrier_wait(&barrier);
    }
    return NULL;
}

static void add(struct thread *t, struct op op) {
    if (t->count == t->room) {
        t->room = t->room ? t->room * 2 : 64;
        t->ops = realloc(t->ops, t->room * sizeof(*t->ops));
        if (!t->ops) {
            abort();
        }
    }
    t->ops[t->count++] = op;
}

static void read_script(const char *path) {
    FILE *in = fopen(path, "r");
    struct op op;
    int thread;

    if (!in || fscanf(in, "%d %ld", &thread_count, &asynchronous) != 2 || thread_count > THREADS) {
        abort();
    }
    while (fscanf(in, "%d %c %d %ld", &thread, &op.what, &op.kind, &op.arg) == 4) {
        if (op.what == 'b') {
            for (int i = 0; i < thread_count; i++) {
                add(&threads[i], op);
            }
        }
        add(thread < 0 ? &of_main : &threads[thread], op);
    }
    fclose(in);
    op = (struct op){.what = 'b'}; /* main may kill before scopes end */
    for (int i = 0; i < thread_count; i++) {
        add(&threads[i], op);
    }
}

/* While threads are at work: one signal at a time. */
static void send_signals(void) {
    /* so that no signal interrupts the search for a tool, where its events would be missing */
    (void)nvtxh_listening();
    for (long i = 0; i < asynchronous; i++) {
        long before = __atomic_load_n(&handled, __ATOMIC_SEQ_CST);
        pid_t tid =
            __atomic_load_n(&threads[(before * 7 + i) % thread_count].tid, __ATOMIC_SEQ_CST);

        if (tid && !syscall(SYS_tgkill, getpid(), tid, SIGUSR2)) {
            while (__atomic_load_n(&handled, __ATOMIC_SEQ_CST) == before) {
                usleep(20);
            }
        }
    }
}

/* Barriers divide main's lines into phases; the threads' lines run between two barriers. */
int main(int argc, char **argv) {
    struct sigaction raised = {.sa_handler = on_raise, .sa_flags = SA_RESTART};
    struct sigaction sent = {.sa_handler = on_signal, .sa_flags = SA_RESTART};

    if (argc != 2) {
        return 2;
    }
    parent = getpid();
    sigaction(SIGUSR1, &raised, NULL);
    sigaction(SIGUSR2, &sent, NULL);
    read_script(argv[1]);
    verbs_begin();
    pthread_barrier_init(&barrier, NULL, (unsigned)thread_count + 1);
    for (int i = 0; i < thread_count; i++) {
        pthread_t thread;
        threads[i].number = i;
        if (pthread_create(&thread, NULL, run_thread, &threads[i]) || pthread_detach(thread)) {
            abort();
        }
    }
    while (of_main.at < of_main.count) {
        const struct op *op = &of_main.ops[of_main.at++];

        if (op->what == 'w') {
            nvtxh_enable(op->arg);
        } else if (op->what == 'b') {
            if (op->kind && nvtxh_enabled()) {
                send_signals();
            }
            pthread_barrier_wait(&barrier);
        } else if (op->what == 'k') {
            say("handled", 0, handled);
            kill(getpid(), SIGKILL);
        }
    }
    pthread_barrier_wait(&barrier);
    pthread_barrier_wait(&barrier);
    say("handled", 0, handled);
    return 0;
}
