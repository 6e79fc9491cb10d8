/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Ranges in quantity: load THREADS RANGES [PROGRESS [PAUSE [close]]]. With RANGES 0 it goes on
 * until it is killed. PROGRESS is a file of one 64-bit number per thread: how many ranges that
 * thread has finished. PAUSE is in us, after every 100 ranges. close: after the first range, the
 * program closes all descriptors but 0, 1 and 2, as daemons do. */
#include "program.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <sys/mman.h>

static uint64_t *progress;
static uint64_t ranges;
static unsigned pause_us;
static nvtxDomainHandle_t domain;
static pthread_barrier_t done; /* so that no thread overwrites in a ring what another has left */

static void *work(void *arg) {
    uint64_t n = 0;
    uint64_t *mine = &progress[(intptr_t)arg];
    nvtxEventAttributes_t a = with_text("work");

    a.payloadType = NVTX_PAYLOAD_TYPE_UNSIGNED_INT64;
    while (ranges == 0 || n < ranges) {
        a.payload.ullValue = n;
        errno = 4711;
        nvtxDomainRangePushEx(domain, &a);
        MUST(nvtxDomainRangePop(domain) <= 0);
        MUST(errno == 4711);
        n++;
        __atomic_store_n(mine, n, __ATOMIC_RELEASE);
        if (pause_us && n % 100 == 0) {
            usleep(pause_us);
        }
    }
    pthread_barrier_wait(&done);
    int cancel; /* a new chunk is made without it, and with it again afterwards */
    MUST(pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &cancel) == 0 &&
         cancel == PTHREAD_CANCEL_ENABLE);
    return NULL;
}

int main(int argc, char **argv) {
    static uint64_t unseen[1024];
    pthread_t threads[1024];

    MUST(argc >= 3);
    int count = atoi(argv[1]);
    MUST(count > 0 && count <= 1024);
    ranges = strtoull(argv[2], NULL, 10);
    progress = unseen;
    if (argc > 3) {
        int fd = open(argv[3], O_RDWR);
        MUST(fd >= 0);
        progress = mmap(NULL, sizeof(unseen), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        MUST(progress != MAP_FAILED);
        close(fd);
    }
    pause_us = argc > 4 ? (unsigned)atoi(argv[4]) : 0;
    domain = nvtxDomainCreateA("load");
    MUST(pthread_barrier_init(&done, NULL, (unsigned)count) == 0);
    for (intptr_t i = 0; i < count; i++) {
        MUST(pthread_create(&threads[i], NULL, work, (void *)i) == 0);
    }
    while (argc > 5 && !__atomic_load_n(&progress[0], __ATOMIC_ACQUIRE)) {
        usleep(1000);
    }
    for (int fd = 3; argc > 5 && fd < 1024; fd++) {
        close(fd);
    }
    for (int i = 0; i < count; i++) {
        pthread_join(threads[i], NULL);
    }
    puts("finished");
    return 5;
}
