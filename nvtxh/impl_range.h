/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_IMPL_RANGE_H
#define NVTXH_IMPL_RANGE_H

/*
 * Process ranges: a table of slots that only grows, and a free list without a lock. A handle is a
 * slot and the generation it was given out in; ending advances the generation, so that of all
 * copies of a handle one ends the range and the others do nothing. Not API; part of impl.h.
 */

struct nvtxh_i_range_slot {
    uint32_t generation; /* odd: open */
    uint32_t next;       /* in the free list: index + 1 */
    uint32_t index;
    struct nvtxh_domain *domain;
    nvtxRangeId_t id;
    bool told;       /* to the tool */
    uint32_t resets; /* of the statistics, when it began */
    size_t row;      /* there; 0: not counted */
    uint64_t ticks;
};

#define nvtxh_i_grow_ranges NVTXH_I_SYMBOL(grow_ranges)

NVTXH_I_C_BEGIN

NVTXH_I_COLD bool nvtxh_i_grow_ranges(void);

/* Chunk k holds 64 << k slots, from index 64 * (2^k - 1) on. */
NVTXH_I_INLINE struct nvtxh_i_range_slot *nvtxh_i_range_slot_at(uint32_t index)
{
    uint32_t k = 31u - NVTXH_I_CAST(uint32_t, __builtin_clz(index / 64 + 1));

    return &__atomic_load_n(&nvtxh_i_shared.range_chunks[k],
                            __ATOMIC_ACQUIRE)[index - 64 * ((1u << k) - 1)];
}

/* The head of the free list: index + 1 below, above it a count of changes against ABA. */
static inline void nvtxh_i_range_put(struct nvtxh_i_range_slot *first,
                                     struct nvtxh_i_range_slot *last)
{
    uint64_t head = __atomic_load_n(&nvtxh_i_shared.free_ranges, __ATOMIC_RELAXED), next;

    do {
        __atomic_store_n(&last->next, NVTXH_I_CAST(uint32_t, head), __ATOMIC_RELAXED);
        next = (((head >> 32) + 1) << 32) | (first->index + 1);
    } while (!__atomic_compare_exchange_n(&nvtxh_i_shared.free_ranges, &head, next, false,
                                          __ATOMIC_RELEASE, __ATOMIC_RELAXED));
}

/* NULL: no memory. */
static inline struct nvtxh_i_range_slot *nvtxh_i_range_take(void)
{
    uint64_t head = __atomic_load_n(&nvtxh_i_shared.free_ranges, __ATOMIC_ACQUIRE), next;
    struct nvtxh_i_range_slot *slot;

    do {
        while (!NVTXH_I_CAST(uint32_t, head)) {
            if (!nvtxh_i_grow_ranges())
                return NVTXH_I_NULL;
            head = __atomic_load_n(&nvtxh_i_shared.free_ranges, __ATOMIC_ACQUIRE);
        }
        slot = nvtxh_i_range_slot_at(NVTXH_I_CAST(uint32_t, head) - 1);
        next = (((head >> 32) + 1) << 32) | __atomic_load_n(&slot->next, __ATOMIC_RELAXED);
    } while (!__atomic_compare_exchange_n(&nvtxh_i_shared.free_ranges, &head, next, false,
                                          __ATOMIC_ACQUIRE, __ATOMIC_ACQUIRE));
    return slot;
}

NVTXH_I_LINKONCE bool nvtxh_i_grow_ranges(void)
{
    int cancel = 0, saved_errno = errno;
    bool locked = nvtxh_i_lock(&cancel), grown = true;
    struct nvtxh_i_range_slot *chunk;

    /* Somebody else may have been faster. */
    if (!NVTXH_I_CAST(uint32_t, __atomic_load_n(&nvtxh_i_shared.free_ranges, __ATOMIC_RELAXED))) {
        uint32_t k = nvtxh_i_shared.n_range_chunks, n = 64u << k, i;

        chunk = k < NVTXH_I_RANGE_CHUNKS
                    ? NVTXH_I_CAST(struct nvtxh_i_range_slot *, calloc(n, sizeof(*chunk)))
                    : NVTXH_I_NULL;
        if (chunk) {
            for (i = 0; i < n; i++) {
                chunk[i].index = 64 * ((1u << k) - 1) + i;
                chunk[i].next = chunk[i].index + 2;
            }
            __atomic_store_n(&nvtxh_i_shared.range_chunks[k], chunk, __ATOMIC_RELEASE);
            nvtxh_i_shared.n_range_chunks++;
            nvtxh_i_range_put(&chunk[0], &chunk[n - 1]);
        }
        grown = chunk;
    }
    if (locked)
        nvtxh_i_unlock(cancel);
    errno = saved_errno;
    return grown;
}

/* When the object is unloaded. A range still open keeps the table: somebody may yet end it. */
NVTXH_I_LINKONCE void nvtxh_i_free_ranges(void)
{
    uint32_t k, i;

    for (k = 0; k < nvtxh_i_shared.n_range_chunks; k++)
        for (i = 0; i < 64u << k; i++)
            if (nvtxh_i_shared.range_chunks[k][i].generation & 1)
                return;
    for (k = 0; k < nvtxh_i_shared.n_range_chunks; k++)
        free(nvtxh_i_shared.range_chunks[k]);
    nvtxh_i_shared.n_range_chunks = 0;
    nvtxh_i_shared.free_ranges = 0;
}

/* EVENT is NULL where there is no tool. */
static inline struct nvtxh_range nvtxh_i_range_begin(const struct nvtxh_i_site *site,
                                                     struct nvtxh_domain *domain,
                                                     const nvtxEventAttributes_t *event)
{
    struct nvtxh_range range = {0};
    bool told = event && (domain ? NVTXH_I_CAST(bool, NVTXH_I_NVTX(nvtxDomainRangeStartEx))
                                 : NVTXH_I_CAST(bool, NVTXH_I_NVTX(nvtxRangeStartEx)));
    bool counted = nvtxh_i_stats_on();
    struct nvtxh_i_range_slot *slot;
    uint32_t generation;

    if (!told && !counted)
        return range;
    slot = nvtxh_i_range_take();
    if (!slot)
        return range;
    slot->domain = domain;
    slot->told = told;
    if (told)
        slot->id = domain ? NVTXH_I_NVTX(nvtxDomainRangeStartEx)(nvtxh_i_handle_of(domain), event)
                          : NVTXH_I_NVTX(nvtxRangeStartEx)(event);
    slot->row = 0;
    if (NVTXH_I_UNLIKELY(counted))
        nvtxh_i_stats_range_begin(slot, site);
    generation = slot->generation + 1;
    range.nvtxh_i_value =
        NVTXH_I_CAST(nvtxh_i_uint128, generation) << 64 | NVTXH_I_BITS(uintptr_t, slot);
    __atomic_store_n(&slot->generation, generation, __ATOMIC_RELEASE);
    return range;
}

NVTXH_I_LINKONCE struct nvtxh_range nvtxh_i_range_start(
    const struct nvtxh_i_site *site, struct nvtxh_domain *domain, struct nvtxh_category *category,
    uint32_t color, const struct nvtxh_i_payload_type *payload_type, uint64_t payload_bits)
{
    struct nvtxh_i_whole_event event;

    if (!nvtxh_i_tool_on())
        return nvtxh_i_range_begin(site, domain, NVTXH_I_NULL);
    nvtxh_i_event(&event, site, domain, category, color, payload_type, payload_bits);
    return nvtxh_i_range_begin(site, domain, &event.nvtx);
}

NVTXH_I_LINKONCE struct nvtxh_range nvtxh_i_range_startf(const struct nvtxh_i_site *site,
                                                         const char *format, ...)
{
    struct nvtxh_i_message message;
    nvtxEventAttributes_t event;
    struct nvtxh_range range;

    if (!nvtxh_i_tool_on())
        return nvtxh_i_range_begin(site, site->domain, NVTXH_I_NULL);
    NVTXH_I_FORMAT_MESSAGE(&message, format);
    nvtxh_i_eventf(&event, site, message.text);
    range = nvtxh_i_range_begin(site, site->domain, &event);
    nvtxh_i_free_message(&message);
    return range;
}

NVTXH_I_LINKONCE void nvtxh_i_range_end(struct nvtxh_range range,
                                        const struct nvtxh_i_payload_type *payload_type,
                                        uint64_t payload_bits)
{
    int depth;
    struct nvtxh_i_range_slot *slot =
        NVTXH_I_BITS(struct nvtxh_i_range_slot *, NVTXH_I_CAST(uintptr_t, range.nvtxh_i_value));
    uint32_t generation = NVTXH_I_CAST(uint32_t, range.nvtxh_i_value >> 64);

    if (!__atomic_compare_exchange_n(&slot->generation, &generation, generation + 1, false,
                                     __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
        return;
    if (NVTXH_I_UNLIKELY(slot->row != 0))
        nvtxh_i_stats_range_end(slot);
    if (slot->told && payload_type && NVTXH_I_IS_LINKED(nvtxh_i_payload_close) &&
        nvtxh_i_payload_close(slot->domain, &slot->id, payload_type, payload_bits, &depth))
        ;
    else if (slot->told && slot->domain && NVTXH_I_NVTX(nvtxDomainRangeEnd))
        NVTXH_I_NVTX(nvtxDomainRangeEnd)(nvtxh_i_handle_of(slot->domain), slot->id);
    else if (slot->told && !slot->domain && NVTXH_I_NVTX(nvtxRangeEnd))
        NVTXH_I_NVTX(nvtxRangeEnd)(slot->id);
    nvtxh_i_range_put(slot, slot);
}

NVTXH_I_C_END

#endif
