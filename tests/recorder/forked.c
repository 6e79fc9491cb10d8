/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A process that forks in captures: one of the thread that forks, and one of another thread. */
#include "program.h"

#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

static nvtxDomainHandle_t captures;
static pthread_barrier_t barrier;

static void work(const char *name) {
    nvtxRangePushA(name);
    nvtxRangePop();
}

static void capture(void) {
    nvtxEventAttributes_t a = with_text("steady");
    nvtxDomainRangePushEx(captures, &a);
}

static void *other(void *arg) {
    capture();
    pthread_barrier_wait(&barrier); /* the capture is open */
    pthread_barrier_wait(&barrier); /* the fork is done */
    nvtxDomainRangePop(captures);
    return arg;
}

static void wait_for(pid_t pid) {
    int status;

    MUST(pid > 0 && waitpid(pid, &status, 0) == pid && status == 0);
}

int main(void) {
    pthread_t thread;

    captures = nvtxDomainCreateA("nvtxh.capture");
    capture();
    pid_t pid = fork();
    if (pid == 0) {
        work("in the capture");
        nvtxDomainRangePop(captures);
        work("after the capture");
        capture();
        work("in the child's own");
        nvtxDomainRangePop(captures);
        return 0;
    }
    wait_for(pid);
    nvtxDomainRangePop(captures);
    work("after the capture");

    pthread_barrier_init(&barrier, NULL, 2);
    pthread_create(&thread, NULL, other, NULL);
    pthread_barrier_wait(&barrier);
    pid = fork();
    if (pid == 0) {
        work("without the thread");
        return 0;
    }
    wait_for(pid);
    work("with the thread");
    pthread_barrier_wait(&barrier);
    pthread_join(thread, NULL);
    work("after the capture");
    return 0;
}
