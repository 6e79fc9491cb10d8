/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A signal handler with an instrumented function comes where a hook has just unmapped its thread's
 * table of functions: when the table gets larger, and when the thread ends. Prints how often the
 * handler came, with once outside of a hook. Each table is unmapped as it was mapped. */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#define QUIET __attribute__((no_instrument_function))
#ifdef __cplusplus
#define FROM_C extern "C"
#else
#define FROM_C extern
#endif

enum { DEEP = 257 }; /* one more than a thread's first table holds */
static volatile int handled;

static struct {
    void *at;
    size_t size;
} mapped[256];
static int n_mapped, wrong;

FROM_C void *mmap(void *at, size_t size, int protection, int flags, int fd, long offset) QUIET;
FROM_C int munmap(void *at, size_t size) QUIET;

/* Both take the place of the C library's functions. */
void *mmap(void *at, size_t size, int protection, int flags, int fd, long offset) {
    void *made = (void *)syscall(SYS_mmap, at, size, protection, flags, fd, offset);
    int i = __atomic_fetch_add(&n_mapped, 1, __ATOMIC_RELAXED) % 256;

    mapped[i].at = made;
    mapped[i].size = size;
    return made;
}

int munmap(void *at, size_t size) {
    int status = (int)syscall(SYS_munmap, at, size), i;

    for (i = 0; i < 256 && (mapped[i].at != at || mapped[i].size != size); i++)
        ;
    if (i < 256)
        mapped[i].at = NULL;
    else
        wrong++;
    raise(SIGUSR1);
    return status;
}

static void in_handler(void) {
}

QUIET static void handler(int number) {
    (void)number;
    in_handler();
    handled++;
}

static void deep(int n) {
    if (n > 1)
        deep(n - 1);
}

QUIET static void *run(void *unused) {
    deep(DEEP);
    return unused;
}

QUIET int main(void) {
    pthread_t thread;

    alarm(60); /* without what this tests, a hook may wait for itself */
    signal(SIGUSR1, handler);
    raise(SIGUSR1);
    pthread_create(&thread, NULL, run, NULL);
    pthread_join(thread, NULL);
    printf("%d\n", handled);
    return wrong;
}
