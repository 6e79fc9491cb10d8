/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_STATS_CLOCK_H
#define NVTXH_STATS_CLOCK_H

/*
 * What statistics stand on: memory, the thread's identity, the clock. Not API; part of stats.h.
 */

NVTXH_I_C_BEGIN

/* --- memory: never given back, and not from malloc, which may be annotated itself --- */

static inline void *nvtxh_i_stats_map(size_t size, int flags)
{
    void *memory = mmap(NVTXH_I_NULL, size, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | NVTXH_I_ANONYMOUS | flags, -1, 0);

    return memory == MAP_FAILED ? NVTXH_I_NULL : memory;
}

/* Zeroed, on a cache line of its own; NULL if there is none. Whoever needs a second chunk is given it
 * with its pages, which costs a third of what faults do. */
static inline void *nvtxh_i_stats_take(struct nvtxh_i_stats_arena *arena, size_t size)
{
    size_t chunk = 65536;
    char *memory;

    size = (size + 63) & ~NVTXH_I_CAST(size_t, 63);
    if (arena->left < size) {
        chunk = size > chunk / 4 ? size : chunk;
        memory = NVTXH_I_CAST(char *, nvtxh_i_stats_map(chunk, arena->next ? NVTXH_I_POPULATE : 0));
        if (!memory || chunk == size)
            return memory;
        arena->next = memory;
        arena->left = chunk;
    }
    memory = arena->next;
    arena->next += size;
    arena->left -= size;
    return memory;
}

/* Which thread this is: where it keeps what is its own. */
NVTXH_I_INLINE uintptr_t nvtxh_i_stats_self(void)
{
#if defined(__x86_64__) && defined(__LP64__)
    uintptr_t self;

    __asm__("movq %%fs:0, %0" : "=r"(self));
    return self;
#else
    return NVTXH_I_BITS(uintptr_t, pthread_self());
#endif
}

/* --- the clock --- */

/* The processor's counter, where there is one. */
NVTXH_I_INLINE uint64_t nvtxh_i_stats_counter(void)
{
#if defined(__x86_64__)
    return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
    uint64_t ticks;

    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
    return ticks;
#else
    return 0;
#endif
}

typedef uint32_t __attribute__((__may_alias__)) nvtxh_i_half;

/* The counter into *START. */
NVTXH_I_INLINE void nvtxh_i_stats_note(uint64_t *start)
{
#if NVTXH_I_FLAGS && !NVTXH_I_TSAN
    /* In halves, as it comes. */
    nvtxh_i_half *halves = NVTXH_I_BITS(nvtxh_i_half *, start);

    __asm__ volatile("rdtsc\n\tmovl %%eax, %0\n\tmovl %%edx, %1"
                     : "=m"(halves[0]), "=m"(halves[1])
                     :
                     : "eax", "edx");
#else
    *start = nvtxh_i_stats_counter();
#endif
}

/* The counter's ticks since then; false if they are less than none, or 2^32 and more. */
NVTXH_I_INLINE bool nvtxh_i_stats_lately(const uint64_t *start, uint64_t *ret_ticks)
{
#if NVTXH_I_FLAGS && !NVTXH_I_TSAN
    const nvtxh_i_half *halves = NVTXH_I_BITS(const nvtxh_i_half *, start);
    uint32_t low, high;
    bool other;

    __asm__ volatile("rdtsc\n\tsubl %3, %0\n\tsbbl %4, %1"
                     : "=&a"(low), "=&d"(high), "=@ccne"(other)
                     : "m"(halves[0]), "m"(halves[1]));
    *ret_ticks = low;
    return !other;
#else
    *ret_ticks = nvtxh_i_stats_counter() - *start;
    return !(*ret_ticks >> 32);
#endif
}

static inline uint64_t nvtxh_i_stats_now(bool counter)
{
    struct timespec t;

    if (counter)
        return nvtxh_i_stats_counter();
    nvtxh_i_clock_gettime(1 /* CLOCK_MONOTONIC */, &t);
    return NVTXH_I_CAST(uint64_t, t.tv_sec) * 1000000000u + NVTXH_I_CAST(uint64_t, t.tv_nsec);
}

/* The same moment by both clocks, as near as a few tries get. */
static inline void nvtxh_i_stats_both(bool counter, uint64_t *ret_ticks, uint64_t *ret_ns)
{
    uint64_t narrowest = UINT64_MAX, before, ns, after;
    int i;

    for (i = 0; i < 5; i++) {
        before = nvtxh_i_stats_now(counter);
        ns = nvtxh_i_stats_now(false);
        after = nvtxh_i_stats_now(counter);
        if (after - before < narrowest) {
            narrowest = after - before;
            *ret_ticks = before + narrowest / 2;
            *ret_ns = ns;
        }
    }
}

/* Does the processor's counter run at one rate on all cores? */
static inline bool nvtxh_i_stats_has_counter(void)
{
#if defined(__x86_64__)
    unsigned a, b, c, d;

    return __get_cpuid(0x80000007, &a, &b, &c, &d) && (d & 1u << 8);
#elif defined(__aarch64__)
    return true;
#else
    return false;
#endif
}

NVTXH_I_C_END

#endif
