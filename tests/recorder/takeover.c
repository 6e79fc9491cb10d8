/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A push that reuses a ring's chunk, step by step: at each step the file is as it would be if the
 * process were killed there. Every chunk of the ring has its size and its flag, and at most one is
 * missing. Prints how many steps there were, and how many of them with a chunk missing. Exit status
 * 77: a process cannot be traced here. */
#include "program.h"

#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/wait.h>

#define RING_FLAG 1
enum { MAGIC = 0x6b436e4e, ALIGN = 16384, MOST = 4096 };

/* As in FORMAT.md. */
struct chunk {
    uint32_t magic, size, process, stream, tid, seq, in_handlers, clock;
    uint64_t base, sample[3], used, dropped, flags;
};

static const volatile struct chunk *chunks[MOST];
static int count;
static uint32_t size;
static long steps, steps_without;

static const volatile struct chunk *newest(void) {
    const volatile struct chunk *found = chunks[0];

    for (int i = 0; i < count; i++) {
        found = chunks[i]->seq > found->seq ? chunks[i] : found;
    }
    return found;
}

static void find_chunks(void) {
    struct stat st;
    int fd = open(getenv("NVTXH_RECORD_FILE"), O_RDONLY);

    MUST(fd >= 0 && fstat(fd, &st) == 0);
    const char *file = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_SHARED, fd, 0);
    MUST(file != MAP_FAILED);
    for (off_t at = ALIGN; at < st.st_size; at += ALIGN) {
        const struct chunk *c = (const struct chunk *)(const void *)(file + at);
        if (c->magic == MAGIC && c->flags == RING_FLAG && c->stream) {
            MUST(count < MOST);
            chunks[count++] = c;
            size = c->size;
        }
    }
    MUST(size > ALIGN && count > 100 && newest()->seq > (uint32_t)count);
}

/* False: the chunk is there again, so later steps are not checked. */
static bool check_step(void) {
    int without = 0;

    for (int i = 0; i < count; i++) {
        const volatile struct chunk *c = chunks[i];
        if (c->size != size || c->flags != RING_FLAG || (c->magic && c->magic != MAGIC)) {
            fprintf(stderr, "at step %ld: a chunk of size %u, flags %lx, magic %x\n", steps,
                    (unsigned)c->size, (unsigned long)c->flags, (unsigned)c->magic);
            exit(1);
        }
        without += !c->magic;
    }
    MUST(without <= 1);
    steps++;
    steps_without += without;
    return without || !steps_without;
}

static void make_range(void) {
    nvtxRangePushA("range");
    nvtxRangePop();
}

static void record(void) {
    for (int i = 0; i < 3000000; i++) {
        make_range();
    }
    find_chunks();
    if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0) {
        _exit(77);
    }
    uint32_t seq = newest()->seq;
    while (newest()->used + 16 < size) {
        make_range();
    }
    raise(SIGSTOP); /* steps begin, and end */
    make_range();
    make_range();
    raise(SIGSTOP);
    MUST(newest()->seq == seq + 1);
    _exit(0);
}

int main(void) {
    int status, stops = 0;
    pid_t child = fork();

    if (child == 0) {
        record();
    }
    while (waitpid(child, &status, 0) == child && WIFSTOPPED(status)) {
        bool stop = WSTOPSIG(status) == SIGSTOP;
        if (stop && !count) {
            find_chunks();
        }
        stops += stop;
        bool goes_on = stops == 1 && check_step();
        ptrace(goes_on ? PTRACE_SINGLESTEP : PTRACE_CONT, child, NULL, NULL);
    }
    if (WIFEXITED(status) && WEXITSTATUS(status) == 77) {
        return 77;
    }
    MUST(WIFEXITED(status) && WEXITSTATUS(status) == 0 && stops == 2);
    printf("%ld %ld\n", steps, steps_without);
    return 0;
}
