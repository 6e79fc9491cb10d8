/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "mappings.h"
#include "block_signals.h"
#include "wiped_memory.h"
#include "../format/clock.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum {
    USUAL = 65530,      /* the kernel's default of vm.max_map_count */
    KEPT = 8,           /* 1/8 of the limit is left to the program */
    AGAIN = 512,        /* see count_again */
    PAUSE = 1000000000, /* ns between two counts while no more mappings may be made */
};

static struct {
    bool asked;
    bool counting;   /* a thread counts the mappings */
    int64_t left;    /* how many may be added before the mappings are counted again */
    uint64_t paused; /* the time in ns until which none may be added; 0: they may */
} * state;           /* wiped in forked children */

bool mappings_init(void)
{
    state = wiped_memory_share(sizeof(*state));
    return state != NULL;
}

static int64_t read_limit(void)
{
    char text[24] = "";
    int fd = open("/proc/sys/vm/max_map_count", O_RDONLY | O_CLOEXEC);

    if (fd >= 0) {
        (void)!read(fd, text, sizeof(text) - 1);
        close(fd);
    }
    return *text ? atoll(text) : USUAL;
}

/* The number of this process's mappings. 0 if it cannot be found out: then the program is not protected, but the
 * recorder needs only 3 mappings for 64 threads. */
static int64_t count(void)
{
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

/* To count 40,000 mappings takes some 10 ms. So it is done rarely: a mapping of the recorder is for up to 64 threads,
 * which have 128 mappings of the program; after room / AGAIN of them the program has taken about a quarter of the room
 * that there was. */
static bool count_again(uint64_t now)
{
    static int64_t limit;                                 /* 0: not read yet */
    struct block_signals blocked = block_signals_enter(); /* no handler may jump out of this */

    if (!limit) {
        limit = read_limit();
    }
    int64_t room = limit - limit / KEPT - count();
    __atomic_store_n(&state->left, room > 0 ? room / AGAIN : 0, __ATOMIC_RELAXED);
    __atomic_store_n(&state->paused, room > 0 ? 0 : now + PAUSE, __ATOMIC_RELAXED);
    __atomic_store_n(&state->counting, false, __ATOMIC_RELEASE);
    block_signals_leave(&blocked);
    return room > 0;
}

bool mappings_may_add(void)
{
    __atomic_store_n(&state->asked, true, __ATOMIC_RELAXED);
    if (__atomic_sub_fetch(&state->left, 1, __ATOMIC_RELAXED) >= 0) {
        return true;
    }
    uint64_t now = clock_ns(CLOCK_MONOTONIC);
    uint64_t paused = __atomic_load_n(&state->paused, __ATOMIC_RELAXED);
    if (now < paused) {
        return false;
    }
    /* While another thread counts, the result of the count before holds. */
    return __atomic_exchange_n(&state->counting, true, __ATOMIC_ACQUIRE) ? !paused
                                                                         : count_again(now);
}

bool mappings_are_shared(void)
{
    return __atomic_load_n(&state->asked, __ATOMIC_RELAXED);
}
