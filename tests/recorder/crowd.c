/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Many threads at once: crowd THREADS [FREE]. Each makes a range, leaves one open and waits for the
 * others. While all are there, a forked child makes 100 threads. When all have ended, the process
 * makes as many, 20 times.
 *
 * With FREE, the process first makes as many mappings as it can have but FREE. Each thread is made
 * when the one before has made its range, and instead of the child the main thread makes 20,000
 * ranges. When the threads have ended and the mappings are gone, the process makes 100 threads.
 *
 * The second line of the output is how many mappings there were while all threads were there. The
 * third is how many came between the first and the last of the 20 times. */
#include "program.h"

#include <semaphore.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>

static pthread_barrier_t barrier;
static sem_t made;

static void *work(void *text) {
    MUST(nvtxRangePushA(text) <= 0); /* negative without the recorder, or if the event is dropped */
    nvtxRangePop();
    nvtxRangePushA("open"); /* the next thread with this memory must not be nested in it */
    sem_post(&made);
    pthread_barrier_wait(&barrier);
    pthread_barrier_wait(&barrier);
    return NULL;
}

static int mappings(void) {
    FILE *maps = fopen("/proc/self/maps", "re");
    int lines = 0;

    MUST(maps);
    for (int c; (c = fgetc(maps)) != EOF; lines += c == '\n') {
    }
    fclose(maps);
    return lines;
}

/* Every second page of an area differs from its neighbours, so each page is a mapping. Returns the
 * area. */
static char *fill(int most, int free, size_t *ret_size) {
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    *ret_size = (size_t)most * page;
    char *area =
        mmap(NULL, *ret_size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    int i = 1;

    MUST(area != MAP_FAILED);
    while (mprotect(area + (size_t)i * page, page, PROT_READ) == 0) {
        i += 2;
        MUST(i < most);
    }
    for (; free > 0; free -= 2) {
        i -= 2;
        MUST(mprotect(area + (size_t)i * page, page, PROT_NONE) == 0);
    }
    return area;
}

/* `meanwhile` is called while all threads are there. */
static void crowd(int count, char *text, bool one_by_one, void (*meanwhile)(void)) {
    pthread_t *threads = calloc((size_t)count, sizeof(*threads));
    pthread_attr_t small;

    sem_init(&made, 0, 0);
    pthread_barrier_init(&barrier, NULL, (unsigned)count + 1);
    MUST(threads && pthread_attr_init(&small) == 0 &&
         pthread_attr_setstacksize(&small, 1 << 16) == 0);
    for (int i = 0; i < count; i++) {
        int error = pthread_create(&threads[i], &small, work, text);
        if (error) {
            printf("thread %d: %s\n", i, strerror(error));
            fflush(stdout);
            _exit(1);
        }
        while (one_by_one && sem_wait(&made) != 0) {
        }
    }
    pthread_barrier_wait(&barrier);
    if (meanwhile) {
        meanwhile();
    }
    pthread_barrier_wait(&barrier);
    for (int i = 0; i < count; i++) {
        pthread_join(threads[i], NULL);
    }
    free(threads);
}

static int peak;

static void fork_child(void) {
    int status;

    peak = mappings();
    pid_t child = fork();
    if (child == 0) {
        crowd(100, "in the child", false, NULL);
        _exit(0);
    }
    MUST(waitpid(child, &status, 0) == child && status == 0);
}

static void be_busy(void) {
    for (int i = 0; i < 20000; i++) {
        nvtxRangePushA("busy");
        nvtxRangePop();
    }
    peak = mappings();
}

int main(int argc, char **argv) {
    MUST(argc > 1);
    int count = atoi(argv[1]);

    nvtxMarkA("begins"); /* loads the recorder */
    if (argc == 2) {
        crowd(count, "work", false, fork_child);
    } else {
        size_t size;
        char *area = fill(1 << 18, atoi(argv[2]), &size);
        crowd(count, "work", true, be_busy);
        munmap(area, size);
        usleep(1200000); /* the recorder counts mappings again after a second */
    }
    crowd(100, "after", true, NULL);
    int before = mappings();
    for (int i = 1; i < 20 && argc == 2; i++) {
        crowd(100, "after", true, NULL);
    }
    printf("all were made\n%d\n%d\n", peak, mappings() - before);
    return 0;
}
