/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* forks SEED: threads make the first events of many sites, with a slow tool, while the process
 * forks repeatedly, at first during the loading of the tool. No child hangs, whatever its parent
 * was doing. In each child, annotations still work, seen or not, and the parent loses nothing. */
#include "nvtxh.h"
#include "check.h"

#include <pthread.h>
#include <sys/wait.h>

enum { THREADS = 4, CHILDREN = 24 };

NVTX_DOMAIN(a, "a");
NVTX_DOMAIN(b, "b");
NVTX_DOMAIN(c, "c");
NVTX_CATEGORY(category_a, &a, "category");

static int stop;

#define SITE(name)                                                                                 \
    {                                                                                              \
        NVTX_SCOPE(name, .domain = i % 3 == 0 ? &a : i % 3 == 1 ? &b : &c);                        \
        NVTX_MARK(name, .domain = &a, .category = &category_a);                                    \
        nvtxh_end(NVTX_START(name));                                                               \
    }
#define SITES(name)                                                                                \
    SITE(name "0")                                                                                 \
    SITE(name "1")                                                                                 \
    SITE(name "2")                                                                                 \
    SITE(name "3")                                                                                 \
    SITE(name "4")                                                                                 \
    SITE(name "5")

static void parent_sites(int i) {
    SITES("x")
    SITES("y")
}

static void child_sites(int i) {
    SITES("child")
}

static void *run(void *unused) {
    int i;

    (void)unused;
    for (i = 0; i < 3 || !__atomic_load_n(&stop, __ATOMIC_RELAXED); i++)
        parent_sites(i);
    return NULL;
}

int main(int argc, char **argv) {
    pthread_t threads[THREADS];
    pid_t children[CHILDREN];
    int i, status;

    alarm(60); /* a hang is a failure */
    for (i = 0; i < THREADS; i++)
        check(!pthread_create(&threads[i], NULL, run, NULL));
    usleep((unsigned)(argc > 1 ? atoi(argv[1]) : 0) * 700);
    for (i = 0; i < CHILDREN; i++) {
        children[i] = fork();
        check(children[i] >= 0);
        if (!children[i]) {
            int k;

            alarm(30);
            for (k = 0; k < 3; k++)
                child_sites(k);
            nvtxh_enable(false);
            nvtxh_enable(true);
            nvtxh_thread_name("child");
            _exit(7);
        }
        usleep(1500);
    }
    for (i = 0; i < CHILDREN; i++) {
        check(waitpid(children[i], &status, 0) == children[i]);
        check(WIFEXITED(status) && WEXITSTATUS(status) == 7);
    }
    __atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
    for (i = 0; i < THREADS; i++)
        check(!pthread_join(threads[i], NULL));
    if (getenv("NVTX_INJECTION64_PATH")) {
        check(log_count(LOG_INIT, NULL, NULL) == 1);
        check(log_count(LOG_DOMAIN, NULL, NULL) == 3);
        check(log_count(LOG_CATEGORY, NULL, NULL) == 1);
        check(log_count(LOG_STRING, "b", "x3") == 1);
        check_balance();
    }
    return 0;
}
