/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Ranges whose CPU time is known: the program counts it with CLOCK_THREAD_CPUTIME_ID and getrusage, and prints a line for each range:
 * its name, its wall time and its CPU time in ns, its involuntary and voluntary switches. Each argument is a part of main's table below. */
#define _GNU_SOURCE /* processors of a thread, pipe2 */
#include "../../nvtxh.h"

#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MS = 1000000 };

static long long now(clockid_t clock) {
    struct timespec t;
    clock_gettime(clock, &t);
    return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static void burn(long long ns) {
    long long end = now(CLOCK_THREAD_CPUTIME_ID) + ns;
    while (now(CLOCK_THREAD_CPUTIME_ID) < end) {
    }
}

static pthread_mutex_t held = PTHREAD_MUTEX_INITIALIZER;
static int ends[2], there[2], back[2], is_held;
static long long ping_until;

static void rest(void) {
    usleep(50000);
}

static void mixed(void) {
    for (int i = 0; i < 20; i++) {
        burn(MS);
        usleep(1000);
    }
}

static void spin(void) {
    burn(100 * MS);
}

static void lock(void) {
    pthread_mutex_lock(&held);
    pthread_mutex_unlock(&held);
}

static void pipes(void) {
    char byte;
    for (int i = 0; i < 50; i++) {
        (void)!read(ends[0], &byte, 1);
        burn(MS / 5);
    }
}

/* Two threads that wait for each other. */
static void ping(void) {
    char byte;
    for (int i = 0; i < 12000 || now(CLOCK_MONOTONIC) < ping_until; i++) {
        (void)!write(there[1], "", 1);
        (void)!read(back[0], &byte, 1);
    }
    (void)!write(there[1], "e", 1);
}

static void *pong(void *arg) {
    char byte;
    (void)arg;
    while (read(there[0], &byte, 1) == 1 && !byte) {
        (void)!write(back[1], "", 1);
    }
    return NULL;
}

static void yields(void) {
    for (int i = 0; i < 2000; i++) {
        sched_yield();
    }
}

/* A range around f; prints what it took. */
static void in_range(const char *name, void (*f)(void)) {
    struct rusage before, after;
    {
        NVTX_SCOPE(
            "first"); /* takes memory for the thread's events, in a child for those of the process */
    }
    getrusage(RUSAGE_THREAD, &before);
    long long wall = now(CLOCK_MONOTONIC), cpu = now(CLOCK_THREAD_CPUTIME_ID);
    {
        NVTX_SCOPEF("%s", name);
        f();
    }
    cpu = now(CLOCK_THREAD_CPUTIME_ID) - cpu;
    wall = now(CLOCK_MONOTONIC) - wall;
    getrusage(RUSAGE_THREAD, &after);
    char line[200];
    int size = snprintf(line, sizeof(line), "%s %lld %lld %ld %ld\n", name, wall, cpu,
                        after.ru_nivcsw - before.ru_nivcsw, after.ru_nvcsw - before.ru_nvcsw);
    (void)!write(1, line, (size_t)size);
}

static void *holder(void *arg) {
    (void)arg;
    pthread_mutex_lock(&held);
    __atomic_store_n(&is_held, 1, __ATOMIC_RELEASE);
    burn(30 * MS);
    usleep(30000);
    pthread_mutex_unlock(&held);
    return NULL;
}

static void *writer(void *arg) {
    (void)arg;
    for (int i = 0; i < 50; i++) {
        usleep(500);
        (void)!write(ends[1], "", 1);
    }
    return NULL;
}

static void *threaded(void *arg) {
    char name[40];
    snprintf(name, sizeof(name), "thread %d", (int)(size_t)arg);
    in_range(name, mixed);
    return NULL;
}

static void crowd(void) {
    pthread_t all[16];
    for (size_t i = 0; i < 16; i++) {
        pthread_create(&all[i], NULL, threaded, (void *)i);
    }
    for (size_t i = 0; i < 16; i++) {
        pthread_join(all[i], NULL);
    }
}

static void beside(const char *name, void *(*other)(void *), void (*f)(void)) {
    pthread_t thread;
    pthread_create(&thread, NULL, other, NULL);
    do {
        usleep(5000);
    } while (other == holder && !__atomic_load_n(&is_held, __ATOMIC_ACQUIRE));
    in_range(name, f);
    pthread_join(thread, NULL);
}

/* On one processor, which two threads in turns leave and get, as often as they can, for longer than two seconds. */
static void often(void) {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(sched_getcpu(), &one);
    sched_setaffinity(0, sizeof(one), &one);
    ping_until = now(CLOCK_MONOTONIC) + 2500LL * MS;
    beside("often", pong, ping);
}

/* Keeps this thread and busy children on one processor. */
static void pinned(const char *name, void (*f)(void)) {
    cpu_set_t one, all;
    pid_t children[2];
    sched_getaffinity(0, sizeof(all), &all);
    CPU_ZERO(&one);
    CPU_SET(sched_getcpu(), &one);
    sched_setaffinity(0, sizeof(one), &one);
    for (int i = 0; i < 2; i++) {
        children[i] = fork();
        while (children[i] == 0 && getppid() != 1) {
        }
        if (children[i] == 0) {
            _exit(0);
        }
    }
    in_range(name, f);
    for (int i = 0; i < 2; i++) {
        kill(children[i], SIGKILL);
        waitpid(children[i], NULL, 0);
    }
    sched_setaffinity(0, sizeof(all), &all);
}

int main(int argc, char **argv) {
    (void)!pipe2(ends, O_CLOEXEC);
    (void)!pipe2(there, O_CLOEXEC);
    (void)!pipe2(back, O_CLOEXEC);
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "spin")) {
            in_range("spin", spin);
        } else if (!strcmp(argv[i], "rest")) {
            in_range("rest", rest);
        } else if (!strcmp(argv[i], "mixed")) {
            in_range("mixed", mixed);
        } else if (!strcmp(argv[i], "yields")) {
            in_range("yields", yields);
        } else if (!strcmp(argv[i], "lock")) {
            beside("lock", holder, lock);
        } else if (!strcmp(argv[i], "pipes")) {
            beside("pipes", writer, pipes);
        } else if (!strcmp(argv[i], "ping")) {
            beside("ping", pong, ping);
        } else if (!strcmp(argv[i], "often")) {
            often();
        } else if (!strcmp(argv[i], "crowd")) {
            crowd();
        } else if (!strcmp(argv[i], "pushed off")) {
            pinned("pushed off", spin);
        } else if (!strcmp(argv[i], "rest beside")) {
            pinned("rest beside", mixed);
        } else if (!strcmp(argv[i], "fork")) {
            pid_t child = fork();
            if (child == 0) {
                in_range("child", mixed);
                _exit(0);
            }
            waitpid(child, NULL, 0);
        }
    }
    return 0;
}
