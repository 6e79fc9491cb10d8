/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Does what each line of stdin says, in one of four threads: THREAD WHAT NUMBER DOMAIN HELD. Domain
 * 0 is the default domain. The message is "held" or the number, which is also the payload of a
 * process range.
 *
 *   m mark    p push    o pop    s begin process range NUMBER    e end it
 *   b begin recording NUMBER, of this program itself    x stop it
 *   q ask to pause or to resume, as another process does, from 2^62 + NUMBER ticks on
 *   f fork: the child makes a mark, a pop and a mark, and ends by _exit, or by exit if HELD. Only
 *     its parent says when the recording ended. */
#include "program.h"

#include "nvtxh_record.h"

#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { THREADS = 4, RANGES = 1 << 12 };
enum { END = 64, PAUSES = 1408, PAUSED = 1416 }; /* in the header: see FORMAT.md */

static struct {
    char what;
    int number, domain, held;
} line;

static nvtxDomainHandle_t domains[2];
static nvtxRangeId_t ranges[RANGES];
static sem_t begin[THREADS], done;
static const char *path; /* of the recording under way, or NULL */

static char *header_map(void) {
    int fd = open(path, O_RDWR);
    char *header = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

    MUST(header != MAP_FAILED);
    close(fd);
    return header;
}

static bool has_end(void) {
    char *header = header_map();
    bool has = *(uint64_t *)(void *)(header + END) != 0;

    munmap(header, 4096);
    return has;
}

static void ask_pause(uint64_t ticks) {
    char *header = header_map();
    uint32_t *pauses = (uint32_t *)(void *)(header + PAUSES);
    uint64_t *moments =
        (uint64_t *)(void *)(header + PAUSED); /* of the last 64 pauses and resumptions */

    moments[*pauses % 64] = ticks;
    __atomic_fetch_add(pauses, 1, __ATOMIC_RELEASE);
    munmap(header, 4096);
}

static void make_event(char what, const char *text) {
    nvtxDomainHandle_t d = domains[line.domain];
    nvtxEventAttributes_t a = with_text(text);

    if (what == 's') {
        a.payloadType = NVTX_PAYLOAD_TYPE_UNSIGNED_INT64;
        a.payload.ullValue = (uint64_t)line.number;
    }
    switch (what) {
    case 'm':
        d ? nvtxDomainMarkEx(d, &a) : nvtxMarkEx(&a);
        break;
    case 'p':
        d ? nvtxDomainRangePushEx(d, &a) : nvtxRangePushEx(&a);
        break;
    case 'o':
        d ? nvtxDomainRangePop(d) : nvtxRangePop();
        break;
    case 's':
        ranges[line.number] = d ? nvtxDomainRangeStartEx(d, &a) : nvtxRangeStartEx(&a);
        break;
    case 'e':
        d ? nvtxDomainRangeEnd(d, ranges[line.number]) : nvtxRangeEnd(ranges[line.number]);
        break;
    default:
        MUST(false);
    }
}

static void carry_out(void) {
    static char name[32];
    char text[16];

    snprintf(text, sizeof(text), line.held ? "held" : "%d", line.number);
    switch (line.what) {
    case 'b':
        snprintf(name, sizeof(name), "%d.nvtxh", line.number);
        path = name;
        MUST(nvtxh_record_start(path) == 0);
        break;
    case 'x':
        MUST(nvtxh_record_stop() == 0 && has_end());
        path = NULL;
        break;
    case 'q':
        ask_pause((UINT64_C(1) << 62) + (uint64_t)line.number);
        break;
    case 'f': {
        pid_t child = fork();
        if (child == 0) {
            make_event('m', "first");
            make_event('o', "");
            make_event('m', "second");
            line.held ? exit(0) : _exit(0);
        }
        MUST(waitpid(child, NULL, 0) == child && (!path || !has_end()));
        break;
    }
    default:
        make_event(line.what, text);
    }
}

static void *work(void *arg) {
    for (;;) {
        sem_wait(arg);
        if (!line.what) {
            return NULL;
        }
        carry_out();
        sem_post(&done);
    }
}

int main(void) {
    pthread_t threads[THREADS];
    int thread;

    domains[1] = nvtxDomainCreateA("other");
    sem_init(&done, 0, 0);
    for (int i = 0; i < THREADS; i++) {
        sem_init(&begin[i], 0, 0);
        MUST(pthread_create(&threads[i], NULL, work, &begin[i]) == 0);
    }
    while (scanf("%d %c %d %d %d", &thread, &line.what, &line.number, &line.domain, &line.held) ==
           5) {
        sem_post(&begin[thread]);
        sem_wait(&done);
    }
    line.what = 0;
    for (int i = 0; i < THREADS; i++) {
        sem_post(&begin[i]);
        pthread_join(threads[i], NULL);
    }
    return 0;
}
