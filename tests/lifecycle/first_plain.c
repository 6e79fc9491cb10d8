/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Threads whose first annotations are plain, in the default domain, while another thread's first
 * one loads the tool. With an argument the tool fails: NVTX itself then sets its pointers to
 * functions. Needs the logging tool. */
#include "nvtxh.h"
#include "check.h"

#include <pthread.h>

enum { THREADS = 6 };

static pthread_barrier_t barrier;

/* Each thread begins with another macro. */
static void *run(void *number) {
    int i = (int)(intptr_t)number;

    pthread_barrier_wait(&barrier);
    for (; i < 6; i++)
        switch (i % 3) {
        case 0: {
            NVTX_SCOPE("scope");
            break;
        }
        case 1:
            NVTX_PUSH("push");
            NVTX_POP();
            break;
        default:
            NVTX_MARK("mark");
        }
    return NULL;
}

int main(int argc, char **argv) {
    pthread_t threads[THREADS];
    int i;

    pthread_barrier_init(&barrier, NULL, THREADS);
    for (i = 0; i < THREADS; i++)
        check(!pthread_create(&threads[i], NULL, run, (void *)(intptr_t)(i % 3)));
    for (i = 0; i < THREADS; i++)
        check(!pthread_join(threads[i], NULL));
    check(log_count(LOG_INIT, NULL, NULL) == 1);
    (void)argv;
    if (argc > 1)
        return log_size() != 1;
    check(log_count(LOG_PUSH, "", "scope") == 2 * (2 + 1 + 1));
    check(log_count(LOG_PUSH, "", "push") == 2 * (2 + 2 + 1));
    check(log_count(LOG_MARK, "", "mark") == 2 * (2 + 2 + 2));
    check_balance();
    return 0;
}
