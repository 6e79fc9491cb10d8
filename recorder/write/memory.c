/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "memory.h"
#include "block_signals.h"
#include "../format/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { REGION = 1 << 18, ALIGN = 16 };

/* The head of a region. From the region's REGION bytes, arena_new takes block after block. */
struct region {
    size_t used; /* bytes, head included; may exceed REGION once the region is full */
    char header_end[ALIGN - sizeof(size_t)];
};

static struct region *current;

void *scratch_new(size_t size) {
    int error = errno;
    void *map = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    errno = error;
    return map == MAP_FAILED ? NULL : map;
}

void *scratch_resize(void *scratch, size_t size, size_t new_size) {
    int error = errno;
    void *map = mremap(scratch, size, new_size, MREMAP_MAYMOVE);

    errno = error;
    return map == MAP_FAILED ? NULL : map;
}

void scratch_drop(void *scratch, size_t size) {
    int error = errno;

    munmap(scratch, size);
    errno = error;
}

/* Replaces a full region by a new one; false if there is no memory. */
static bool replace_region(struct region *full) {
    struct region *fresh = scratch_new(REGION);

    if (!fresh) {
        return false;
    }
    fresh->used = sizeof(*fresh);
    if (!__atomic_compare_exchange_n(&current, &full, fresh, false, __ATOMIC_ACQ_REL,
                                     __ATOMIC_RELAXED)) {
        scratch_drop(fresh, REGION); /* another thread was faster */
    }
    return true;
}

void *arena_new(size_t size) {
    if (size > REGION / 4) {
        return scratch_new(size);
    }
    size = (size + ALIGN - 1) / ALIGN * ALIGN;
    for (;;) {
        struct region *r = __atomic_load_n(&current, __ATOMIC_ACQUIRE);
        size_t at = r ? __atomic_fetch_add(&r->used, size, __ATOMIC_RELAXED) : REGION;
        if (at <= REGION - size) {
            return (char *)r + at;
        }
        if (!replace_region(r)) {
            return NULL;
        }
    }
}

/* --- memory that a fork wipes ----------------------------------------------------------------- */

#ifndef MADV_WIPEONFORK
#define MADV_WIPEONFORK 18
#endif

enum { PAGE = 4096, LINE = 64 };

static char *page;
static size_t used;
static bool works;

void *wiped_memory_new(size_t size) {
    void *pages = scratch_new(size);

    if (pages) {
        wiped_memory_mark(pages, size);
    } else {
        errno = ENOMEM;
    }
    return pages;
}

void wiped_memory_mark(void *pages, size_t size) {
    madvise(pages, size, MADV_WIPEONFORK);
}

static void wipe(void) {
    memset(page, 0, PAGE);
}

bool wiped_memory_works(void) {
    return works;
}

void *wiped_memory_share(size_t size) {
    size_t at = used;

    if (!page) {
        page = wiped_memory_new(PAGE);
        works = page && madvise(page, PAGE, MADV_WIPEONFORK) == 0;
        if (page && !works) {
            pthread_atfork(NULL, NULL, wipe);
        }
    }
    used += (size + LINE - 1) / LINE * LINE;
    return page && used <= PAGE ? page + at : NULL;
}

/* --- how many mappings the process has -------------------------------------------------------- */

enum {
    USUAL = 65530,      /* the kernel's default of vm.max_map_count */
    KEPT = 8,           /* 1/8 of the limit is left to the program */
    AGAIN = 512,        /* see count_again */
    PAUSE = 1000000000, /* ns between two counts while no more mappings may be made */
};

static struct {
    bool asked;      /* mappings_may_add was called */
    bool counting;   /* a thread is counting the mappings */
    int64_t left;    /* calls of mappings_may_add until mappings are counted again */
    uint64_t paused; /* until this time (CLOCK_MONOTONIC, ns), no mapping may be added */
} * state;           /* wiped in forked children */

bool mappings_init(void) {
    state = wiped_memory_share(sizeof(*state));
    return state != NULL;
}

static int64_t read_limit(void) {
    char text[24] = "";
    int fd = open("/proc/sys/vm/max_map_count", O_RDONLY | O_CLOEXEC);

    if (fd >= 0) {
        (void)!read(fd, text, sizeof(text) - 1);
        close(fd);
    }
    return *text ? atoll(text) : USUAL;
}

/* The number of this process's mappings; 0 if it is unknown. In that case nothing keeps the program
 * from running out of mappings, but the recorder adds only 3 for each 64 threads. */
static int64_t count_mappings(void) {
    static char text[4096]; /* the stack of a signal handler may be small */
    int fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
    int64_t lines = 0;
    ssize_t size;

    while (fd >= 0 && (size = read(fd, text, sizeof(text))) > 0) {
        for (ssize_t i = 0; i < size; i++) {
            lines += text[i] == '\n';
        }
    }
    if (fd >= 0) {
        close(fd);
    }
    return lines;
}

/* Counts the mappings, and sets `left`: how many calls of mappings_may_add come before the next
 * count. Counts are rare, because counting 40,000 mappings takes 10 ms. For each 64 threads, whose
 * stacks take 128 mappings, the recorder calls mappings_may_add() twice. So in room / AGAIN calls
 * the program adds about room / 8 mappings, which is within the limit. */
static bool count_again(uint64_t now) {
    static int64_t limit;                                 /* 0: not read yet */
    struct block_signals blocked = block_signals_enter(); /* no handler may jump out now */

    if (!limit) {
        limit = read_limit();
    }
    int64_t capacity = limit - limit / KEPT - count_mappings();
    __atomic_store_n(&state->left, capacity > 0 ? capacity / AGAIN : 0, __ATOMIC_RELAXED);
    __atomic_store_n(&state->paused, capacity > 0 ? 0 : now + PAUSE, __ATOMIC_RELAXED);
    __atomic_store_n(&state->counting, false, __ATOMIC_RELEASE);
    block_signals_leave(&blocked);
    return capacity > 0;
}

bool mappings_may_add(void) {
    __atomic_store_n(&state->asked, true, __ATOMIC_RELAXED);
    if (__atomic_sub_fetch(&state->left, 1, __ATOMIC_RELAXED) >= 0) {
        return true;
    }
    uint64_t now = clock_ns(CLOCK_MONOTONIC),
             paused = __atomic_load_n(&state->paused, __ATOMIC_RELAXED);
    if (now < paused) {
        return false;
    }
    /* While another thread counts, the result of the previous count holds. */
    return __atomic_exchange_n(&state->counting, true, __ATOMIC_ACQUIRE) ? !paused
                                                                         : count_again(now);
}

bool mappings_are_shared(void) {
    return __atomic_load_n(&state->asked, __ATOMIC_RELAXED);
}
