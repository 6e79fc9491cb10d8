/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "thread_memory.h"
#include "memory.h"
#include "../format/format.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#define DEPTH_SIZE ((size_t)(REC_DOMAIN_MAX + 1) * sizeof(uint32_t))

enum {
    MOST = 64,      /* threads of a slab */
    FIRST = 63,     /* threads that get memory without asking how many mappings there are */
    PAGE = 1 << 16, /* the largest size of a page */
};

/* A mapping with the states of `count` threads, and behind them their depths. Slabs are never unmapped. The first is
 * for one thread, each further one for twice as many as the one before, up to MOST. */
struct slab {
    struct slab *next;
    uint64_t free; /* a bit for each thread */
    char *states, *depths;
    size_t count, before; /* `before`: threads of older slabs */
};

static struct slab **slabs; /* the newest; NULL in a forked child, which makes its own */
static size_t state_size;

bool thread_memory_init(size_t size)
{
    state_size = (size + PAGE - 1) / PAGE * PAGE;
    slabs = wiped_memory_share(sizeof(struct slab *));
    return slabs != NULL;
}

static struct slab *make(size_t count, size_t before)
{
    struct slab *s = arena_new(sizeof(*s));
    size_t states = count * state_size, size = states + count * DEPTH_SIZE;
    char *map = s ? mmap(NULL, size, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
                  : MAP_FAILED;

    if (map == MAP_FAILED) {
        return NULL;
    }
    madvise(map, size, MADV_NOHUGEPAGE); /* a thread uses only some pages of its state */
    wiped_memory_mark(map, states);
    *s = (struct slab){.free = UINT64_MAX >> (64 - count),
                       .states = map,
                       .depths = map + states,
                       .count = count,
                       .before = before};
    return s;
}

/* Adds a slab before `head`. True if there is a new one, perhaps another thread's. */
static bool add(struct slab *head)
{
    size_t count = !head ? 1 : head->count < MOST ? 2 * head->count : MOST;
    size_t before = head ? head->before + head->count : 0;
    struct slab *s = NULL;

    if (before >= FIRST && !mappings_may_add()) {
        errno = EUSERS;
        return false;
    }
    for (; count && !s; count /= 2) { /* the address space may be limited (RLIMIT_AS) */
        s = make(count, before);
    }
    if (!s) {
        return false;
    }
    s->next = head;
    if (!__atomic_compare_exchange_n(slabs, &head, s, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) {
        munmap(s->states, s->count * (state_size + DEPTH_SIZE));
    }
    return true;
}

void *thread_memory_new(uint32_t **ret_depth)
{
    for (;;) {
        struct slab *head = __atomic_load_n(slabs, __ATOMIC_ACQUIRE);
        for (struct slab *s = head; s; s = s->next) {
            uint64_t free = __atomic_load_n(&s->free, __ATOMIC_RELAXED);
            while (free) {
                size_t i = (size_t)__builtin_ctzll(free);
                if (__atomic_compare_exchange_n(&s->free, &free, free & (free - 1), false,
                                                __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) {
                    *ret_depth = (uint32_t *)(void *)(s->depths + i * DEPTH_SIZE);
                    return s->states + i * state_size;
                }
            }
        }
        if (!add(head)) {
            return NULL;
        }
    }
}

/* Gives the pages back to the system. The memory is zero then. */
static void clear(char *at, size_t size)
{
    if (madvise(at, size, MADV_DONTNEED) != 0) { /* the program has locked it (mlockall) */
        memset(at, 0, size);
    }
}

/* In a forked child, the thread that has forked has memory of the parent's slabs, which the child does not use again. */
void thread_memory_free(void *thread)
{
    int error = errno;

    clear(thread, state_size);
    for (struct slab *s = __atomic_load_n(slabs, __ATOMIC_ACQUIRE); s; s = s->next) {
        size_t i = (size_t)((char *)thread - s->states) / state_size;
        if (i < s->count) {
            clear(s->depths + i * DEPTH_SIZE, DEPTH_SIZE);
            __atomic_fetch_or(&s->free, UINT64_C(1) << i, __ATOMIC_RELEASE);
        }
    }
    errno = error;
}
