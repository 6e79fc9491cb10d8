/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* ranges CASE [OBJECT]: process ranges that end on other threads, in another linked object, in a
 * signal handler, after their thread, in a forked child. In the end, every range that the tool got
 * has ended once: with the logging tool, this program checks it; the tool of `signals` and `forked`
 * checks it itself. `grows` is about memory, and needs a tool that keeps nothing. */
#include "nvtxh.h"
#include "check.h"

#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <sys/time.h>
#include <sys/wait.h>

enum { MANY = 1000, THREADS = 8 };

NVTX_DOMAIN(here, "here");

static struct nvtxh_range start(int i) {
    return i % 2 ? NVTX_START("of the program") : NVTX_START("of the program", .domain = &here);
}

static void check_each_ended_once(void) {
    size_t i, n = log_size(), starts = log_count(LOG_START, NULL, NULL);
    char *seen = (char *)calloc(1, starts + 1);

    check(log_count(LOG_END, NULL, NULL) == starts);
    for (i = 0; i < n; i++)
        if (log_at(i)->kind == LOG_END) {
            long id = log_at(i)->result;

            check(!log_at(i)->bad && id > 0 && (size_t)id <= starts && !seen[id]++);
        }
    free(seen);
}

/* --- another linked object --- */

static void objects(const char *path) {
    static struct nvtxh_range ours[MANY], theirs[MANY];
    struct nvtxh_range (*object_start)(int);
    void (*object_end)(struct nvtxh_range);
    void *object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    int i, turn;

    check(object);
    *(void **)&object_start = dlsym(object, "object_start");
    *(void **)&object_end = dlsym(object, "object_end");
    /* The first of all ends in an object that has not looked for a tool yet. */
    object_end(start(0));
    for (turn = 0; turn < 3; turn++) {
        for (i = 0; i < MANY; i++) {
            ours[i] = start(i);
            theirs[i] = object_start(i);
        }
        for (i = 0; i < MANY; i++) {
            if (i % 3)
                nvtxh_end(theirs[i]);
            object_end(ours[i]);
            object_end(theirs[i]);
            nvtxh_end(ours[i]);
        }
    }
    check(log_count(LOG_START, NULL, NULL) == 1 + 2 * 3 * MANY);
    check(!dlclose(object));
}

/* --- other threads --- */

static struct nvtxh_range passed[THREADS][MANY];
static pthread_barrier_t barrier;

/* Each range is ended by two other threads at the same time. */
static void *pass(void *number) {
    int self = (int)(intptr_t)number, turn, i;

    for (turn = 0; turn < 3; turn++) {
        for (i = 0; i < MANY; i++) {
            passed[self][i] = start(i);
            nvtxh_end(start(i + 1));
        }
        pthread_barrier_wait(&barrier);
        for (i = 0; i < MANY; i++) {
            nvtxh_end(passed[(self + 1) % THREADS][i]);
            nvtxh_end(passed[(self + 2) % THREADS][i]);
        }
        pthread_barrier_wait(&barrier);
    }
    return NULL;
}

static void threads(void) {
    pthread_t thread[THREADS];
    int i;

    pthread_barrier_init(&barrier, NULL, THREADS);
    for (i = 0; i < THREADS; i++)
        check(!pthread_create(&thread[i], NULL, pass, (void *)(intptr_t)i));
    for (i = 0; i < THREADS; i++)
        check(!pthread_join(thread[i], NULL));
}

/* --- threads that have ended --- */

static void *leave(void *ret_range) {
    nvtxh_end(start(0));
    *(struct nvtxh_range *)ret_range = start(1);
    return NULL;
}

static void after(void) {
    struct nvtxh_range left[THREADS];
    pthread_t thread;
    int i, turn;

    for (turn = 0; turn < MANY; turn += THREADS) {
        for (i = 0; i < THREADS; i++) {
            check(!pthread_create(&thread, NULL, leave, &left[i]));
            check(!pthread_join(thread, NULL));
        }
        for (i = 0; i < THREADS; i++)
            nvtxh_end(left[i]);
    }
}

/* Neither threads that come and go nor ranges that end elsewhere take any more memory. */
static void grows(void) {
    long before;

    threads();
    after();
    before = resident();
    threads();
    after();
    check(resident() - before < 400);
}

/* --- a signal handler --- */

static struct nvtxh_range kept[16];
static volatile sig_atomic_t interrupted;

static void handler(int number) {
    int i = (int)(interrupted++ % 16);

    (void)number;
    nvtxh_end(kept[i]);
    kept[i] = start(i);
    nvtxh_end(start(i + 1));
}

static void signals(void) {
    struct itimerval every = {{0, 50}, {0, 50}}, none = {{0, 0}, {0, 0}};
    struct nvtxh_range ranges[8];
    struct sigaction action;
    int i, turn;

    memset((void *)kept, 0, sizeof(kept));
    memset((void *)ranges, 0, sizeof(ranges));
    memset(&action, 0, sizeof(action));
    action.sa_handler = handler;
    nvtxh_end(start(0));
    check(!sigaction(SIGALRM, &action, NULL) && !setitimer(ITIMER_REAL, &every, NULL));
    for (turn = 0; turn < 20000 || interrupted < 200; turn++) {
        i = turn % 8;
        nvtxh_end(ranges[i]);
        ranges[i] = start(turn);
    }
    check(!setitimer(ITIMER_REAL, &none, NULL));
    for (i = 0; i < 8; i++)
        nvtxh_end(ranges[i]);
    for (i = 0; i < 16; i++)
        nvtxh_end(kept[i]);
}

/* --- a forked child --- */

static void *many_here(void *unused) {
    struct nvtxh_range ranges[40];
    int i, turn;

    pthread_barrier_wait(&barrier);
    for (turn = 0; turn < 100 * MANY; turn++) {
        for (i = 0; i < 40; i++)
            ranges[i] = start(i);
        for (i = 0; i < 40; i++)
            nvtxh_end(ranges[i]);
    }
    return unused;
}

/* In the child, no thread takes over the pool of the thread that forked. */
static void forked(void) {
    struct nvtxh_range open = start(0);
    pthread_t thread[2];
    int i, status;
    pid_t child = fork();

    check(child >= 0);
    pthread_barrier_init(&barrier, NULL, 3);
    for (i = 0; i < 2; i++)
        check(!pthread_create(&thread[i], NULL, many_here, NULL));
    many_here(NULL);
    for (i = 0; i < 2; i++)
        check(!pthread_join(thread[i], NULL));
    nvtxh_end(open);
    if (!child) {
        check_each_ended_once();
        exit(0);
    }
    check(waitpid(child, &status, 0) == child && status == 0);
}

int main(int argc, char **argv) {
    const char *name = argc > 1 ? argv[1] : "";

    if (!strcmp(name, "objects"))
        objects(argv[2]);
    else if (!strcmp(name, "threads"))
        threads();
    else if (!strcmp(name, "after"))
        after();
    else if (!strcmp(name, "grows"))
        grows();
    else if (!strcmp(name, "signals"))
        signals();
    else
        forked();
    check_each_ended_once();
    return 0;
}
