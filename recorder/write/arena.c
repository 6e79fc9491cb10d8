/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "arena.h"

#include <errno.h>
#include <stdbool.h>
#include <sys/mman.h>

enum { REGION = 1 << 18, ALIGN = 16 };

/* The header of a region. The memory behind it is handed out in the order of addresses. */
struct region {
    size_t used; /* bytes, with the header; exceeds REGION once the region is full */
    char header_end[ALIGN - sizeof(size_t)];
};

static struct region *current;

void *scratch_new(size_t size)
{
    int error = errno;
    void *map = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    errno = error;
    return map == MAP_FAILED ? NULL : map;
}

void *scratch_resize(void *scratch, size_t size, size_t new_size)
{
    int error = errno;
    void *map = mremap(scratch, size, new_size, MREMAP_MAYMOVE);

    errno = error;
    return map == MAP_FAILED ? NULL : map;
}

void scratch_drop(void *scratch, size_t size)
{
    int error = errno;

    munmap(scratch, size);
    errno = error;
}

/* Replaces a full region by a new one; false if there is no memory. */
static bool replace(struct region *full)
{
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

void *arena_new(size_t size)
{
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
        if (!replace(r)) {
            return NULL;
        }
    }
}
