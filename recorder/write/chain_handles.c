/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "chain_handles.h"

#include <string.h>
#include <sys/mman.h>

chain_row *chain_blocks[CHAIN_KINDS][CHAIN_BLOCKS];

/* Returns the memory that *place points to, and allocates it zeroed if *place is NULL. Two threads may do this at once.
 * NULL on failure. */
static void *made(void **place, size_t size)
{
    void *there = __atomic_load_n(place, __ATOMIC_ACQUIRE), *expected = NULL;

    if (there) {
        return there;
    }
    void *fresh = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (fresh == MAP_FAILED) {
        return NULL;
    }
    if (__atomic_compare_exchange_n(place, &expected, fresh, false, __ATOMIC_ACQ_REL,
                                    __ATOMIC_ACQUIRE)) {
        return fresh;
    }
    munmap(fresh, size);
    return expected;
}

/* NULL: there is no memory, or the number is too large to be kept. */
static uint64_t *place_of(enum chain_kind kind, uintptr_t number, unsigned tool)
{
    uintptr_t n = number / CHAIN_BLOCK;
    chain_row *block = n < CHAIN_BLOCKS
                           ? made((void **)&chain_blocks[kind][n], CHAIN_BLOCK * sizeof(chain_row))
                           : NULL;
    return block ? &block[number % CHAIN_BLOCK][tool] : NULL;
}

static void keep(enum chain_kind kind, uintptr_t number, unsigned tool, uint64_t theirs)
{
    uint64_t *place = place_of(kind, number, tool);

    if (place) {
        __atomic_store_n(place, theirs, __ATOMIC_RELAXED);
    }
}

void chain_keep_id(uint64_t id, unsigned tool, uint64_t theirs)
{
    if (id >> 32) {
        keep(CHAIN_ID, id - (UINT64_C(1) << 32), tool, theirs);
    }
}

void chain_keep(enum chain_kind kind, const void *handle, unsigned tool, void *theirs)
{
    uintptr_t number = chain_number(kind, handle);

    if (!handle) {
        return;
    }
    bool again = kind == CHAIN_DOMAIN && chain_get(kind, number, tool);
    keep(again ? CHAIN_AGAIN : kind, number, tool, (uintptr_t)theirs);
}

void chain_domain_made(const void *handle)
{
    uint64_t *count = handle ? place_of(CHAIN_DOMAIN, chain_number(CHAIN_DOMAIN, handle), 0) : NULL;

    if (count) {
        __atomic_add_fetch(count, 1, __ATOMIC_RELAXED);
    }
}

void chain_domain_gone(const void *handle, chain_row ret_theirs)
{
    uintptr_t number = chain_number(CHAIN_DOMAIN, handle);
    uint64_t *count = handle ? place_of(CHAIN_DOMAIN, number, 0) : NULL;
    bool last = count && *count && !__atomic_sub_fetch(count, 1, __ATOMIC_RELAXED);
    uint64_t *row = count ? place_of(last ? CHAIN_DOMAIN : CHAIN_AGAIN, number, 0) : NULL;

    for (unsigned t = 1; t <= chain_count; t++) {
        ret_theirs[t] = row ? __atomic_exchange_n(&row[t], 0, __ATOMIC_RELAXED) : 0;
    }
}

/* --- open ranges: tables, each four times as large as the one before; an id lies near its hash ------------- */

enum { TABLES = 12, PROBES = 16, SLOTS_FIRST = 1 << 10 };
#define FREE 0
#define BUSY UINT64_MAX

struct slot {
    uint64_t id;
    chain_row each;
};
static struct slot *tables[TABLES];

static struct slot *slot_at(struct slot *table, int n, uint64_t id, unsigned probe)
{
    size_t slots = (size_t)SLOTS_FIRST << (2 * n);
    uint64_t hash = id * UINT64_C(0x9e3779b97f4a7c15) >> 32;
    return &table[(hash + probe) % slots];
}

/* Takes a slot with that id, and marks it busy. */
static bool take(struct slot *s, uint64_t id)
{
    return __atomic_load_n(&s->id, __ATOMIC_RELAXED) == id &&
           __atomic_compare_exchange_n(&s->id, &id, BUSY, false, __ATOMIC_ACQ_REL,
                                       __ATOMIC_RELAXED);
}

static bool put(uint64_t id, const chain_row each)
{
    for (int n = 0; n < TABLES; n++) {
        size_t size = ((size_t)SLOTS_FIRST << (2 * n)) * sizeof(struct slot);
        struct slot *table = made((void **)&tables[n], size);
        for (unsigned i = 0; table && i < PROBES; i++) {
            struct slot *s = slot_at(table, n, id, i);
            if (take(s, FREE)) {
                memcpy(s->each, each, sizeof(s->each));
                __atomic_store_n(&s->id, id, __ATOMIC_RELEASE);
                return true;
            }
        }
    }
    return false;
}

uint64_t chain_range_open(chain_row each)
{
    static uint64_t own; /* counts ids of ranges that the recorder leaves out */
    uint64_t asked = chain_answers ? each[chain_answers] : 0, theirs = 0;
    uint64_t id = asked != FREE && asked != BUSY ? asked : each[0];

    for (unsigned t = 1; t <= chain_count; t++) {
        theirs |= each[t];
    }
    if (!id && theirs) {
        id = UINT64_C(1) << 63 | __atomic_add_fetch(&own, 1, __ATOMIC_RELAXED);
    }
    return !theirs || put(id, each) ? id : each[0];
}

void chain_range_close(uint64_t id, chain_row ret_each)
{
    memset(ret_each, 0, sizeof(chain_row));
    ret_each[0] = id;
    for (int n = 0; n < TABLES && id != FREE && id != BUSY; n++) {
        struct slot *table = __atomic_load_n(&tables[n], __ATOMIC_ACQUIRE);
        for (unsigned i = 0; table && i < PROBES; i++) {
            struct slot *s = slot_at(table, n, id, i);
            if (take(s, id)) {
                memcpy(ret_each, s->each, sizeof(chain_row));
                __atomic_store_n(&s->id, FREE, __ATOMIC_RELEASE);
                return;
            }
        }
    }
}
