/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "event.h"
#include "handle.h"
#include "thread.h"
#include "../format/clock.h"

/* The fast path of pushes and pops. Reading the clock takes longest, and the processor does all
 * else at the same time. What matters is the fetching of instructions, so this path has few of
 * them, and few stores. */
#define RARE(condition) __builtin_expect(!!(condition), 0)

enum { AHEAD = 512 }; /* bytes from a record to the place that is fetched into the cache */

/* Whether the fast path may write. False: the thread has no state yet, a fork has wiped the state,
 * nothing is recorded now, the thread is writing an event, or thread_leave wants the slow path. */
static inline bool is_ready(const struct thread *t) {
    return t && t->ready == __atomic_load_n(&gate_open, __ATOMIC_RELAXED);
}

static inline void end_event(struct thread *t) {
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    t->ready = t->stream.number;
}

/* Finds the offset of the next record; false: there is no chunk, or the chunk has no room. */
static inline bool has_space(const struct thread *t, const struct rec_chunk *chunk,
                             uint64_t *ret_used) {
    if (RARE(!chunk)) {
        return false;
    }
    *ret_used = __atomic_load_n(&chunk->used, __ATOMIC_RELAXED);
    return *ret_used <= t->last;
}

static inline uint64_t *at(struct rec_chunk *chunk, uint64_t used) {
    return (uint64_t *)(void *)((char *)chunk + used);
}

static inline void publish(struct rec_chunk *chunk, uint64_t used) {
    __atomic_store_n(&chunk->used, used, __ATOMIC_RELEASE);
}

/* --- pushes and pops -------------------------------------------------------------------------- */

/* Whether a preset has the attributes of a push; the bytes of a text are not compared. A push
 * without a message has the key 0, and so has a preset that is not in the stream yet. Such a preset
 * may seem to fit; write_push refuses it, because its `depth` is NULL. */
static inline bool fits(const struct preset *p, uint64_t key, nvtxDomainHandle_t domain,
                        const nvtxEventAttributes_t *a) {
    return p->key == key && p->domain == domain && p->category == a->category &&
           p->color_type == (uint32_t)a->colorType && p->color == a->color &&
           p->payload_type == (uint32_t)a->payloadType;
}

/* Writes a push with a preset. Returns COUNTED if a new base for the ticks must be written first,
 * BEGUN if the preset cannot be used. Few values are live across the read of the clock, so no
 * register has to be saved for them. */
static inline __attribute__((always_inline)) enum progress write_push(
    struct thread *t, struct rec_chunk *chunk, uint64_t used, const struct preset *p,
    const uint64_t *payload, int *ret_depth) {
    uint32_t high, low, *depth = p->depth;

    if (RARE(!depth)) { /* the preset is not in the stream yet (see fits), or a fork has wiped it */
        return BEGUN;
    }
    if (payload) {
        *at(chunk, used + 8) = *payload; /* the next record overwrites it if there is no payload */
    }
    /* Prefetches a later place: the lines of a new chunk may be in the cache of another core. */
    __builtin_prefetch((const char *)at(chunk, used) + AHEAD, 1);
    uint32_t before = (*depth)++;
    low = clock_counter_halves(&high);
    if (RARE(high != t->high)) {
        return COUNTED;
    }
    *at(chunk, used) = p->word | (uint64_t)low << 32;
    publish(chunk, used + p->bytes);
    end_event(t);
    *ret_depth = (int)before;
    return WRITTEN;
}

static inline __attribute__((always_inline)) int finish(struct thread *t, struct rec_chunk *chunk,
                                                        uint64_t used, const struct preset *p,
                                                        nvtxDomainHandle_t domain,
                                                        const nvtxEventAttributes_t *a) {
    int depth;
    bool is_short = RARE((uint32_t)a->payloadType >= REC_PAYLOAD_U32);
    uint64_t payload = is_short ? a->payload.uiValue : a->payload.ullValue;
    enum progress done = write_push(t, chunk, used, p, &payload, &depth);

    return RARE(done != WRITTEN) ? entry_slow_push(domain, a, done) : depth;
}

static __attribute__((noinline)) int push_ascii(nvtxDomainHandle_t domain,
                                                const nvtxEventAttributes_t *a) {
    struct thread *t = thread_self;
    uint64_t key = preset_key(PRESET_ASCII, a->message.ascii), used;

    if (a->messageType != NVTX_MESSAGE_TYPE_ASCII || RARE(!a->message.ascii)) {
        return entry_slow_push(domain, a, NOTHING);
    }
    thread_begin(t);
    struct rec_chunk *chunk = t->stream.chunk;
    const struct preset *p = preset_spread(&t->presets, key, preset_differs(a, true));
    if (!fits(p, key, domain, a)) {
        p = preset_beside(&t->presets, p);
    }
    if (RARE(!has_space(t, chunk, &used)) || !fits(p, key, domain, a) ||
        RARE(!preset_has_text(p, a->message.ascii))) {
        return entry_slow_push(domain, a, BEGUN);
    }
    return finish(t, chunk, used, p, domain, a);
}

/* Code that needs more registers is in other functions, so that a push with a registered message
 * saves no registers on the stack. */
static inline __attribute__((always_inline)) int push_any(nvtxDomainHandle_t domain,
                                                          const nvtxEventAttributes_t *a) {
    struct thread *t = thread_self;

    if (RARE(!is_ready(t)) || RARE(!a) || RARE(a->size < sizeof(*a))) {
        return entry_slow_push(domain, a, NOTHING);
    }
    if (RARE(a->messageType != NVTX_MESSAGE_TYPE_REGISTERED)) {
        return push_ascii(domain, a);
    }
    uint64_t key = preset_key(PRESET_REGISTERED, a->message.registered), used;
    thread_begin(t);
    struct rec_chunk *chunk = t->stream.chunk;
    if (RARE(!has_space(t, chunk, &used))) {
        return entry_slow_push(domain, a, BEGUN);
    }
    const struct preset *p = preset_spread(&t->presets, key, preset_differs(a, false));
    if (RARE(!fits(p, key, domain, a))) {
        p = preset_beside(&t->presets, p);
        if (!fits(p, key, domain, a)) {
            return entry_slow_push(domain, a, BEGUN);
        }
    }
    return finish(t, chunk, used, p, domain, a);
}

static inline __attribute__((always_inline)) int pop(nvtxDomainHandle_t handle) {
    uint32_t high, low = clock_counter_halves(&high);
    uintptr_t domain = (uintptr_t)handle >> HANDLE_SHIFT;
    struct thread *t = thread_self;

    if (RARE(!is_ready(t)) || RARE(domain > REC_DOMAIN_MAX)) {
        return entry_slow_pop(handle, low, high, NOTHING);
    }
    thread_begin(t);
    struct rec_chunk *chunk = t->stream.chunk;
    uint64_t used;
    uint32_t *depth = t->depth, after;
    if (RARE(!has_space(t, chunk, &used)) || RARE(high != t->high) ||
        RARE(__builtin_sub_overflow(depth[domain], 1, &after))) {
        return entry_slow_pop(handle, low, high, BEGUN);
    }
    depth[domain] = after;
    *at(chunk, used) = ((uint64_t)low << 32) + (domain << 16) + REC_POP;
    publish(chunk, used + 8);
    end_event(t);
    return (int)after;
}

int entry_fast_push(const nvtxEventAttributes_t *a) {
    return push_any(NULL, a);
}

int entry_fast_push_text(const char *text) {
    struct thread *t = thread_self;
    uint64_t key = preset_key(PRESET_PLAIN, text), used;
    int depth;

    if (RARE(!is_ready(t)) || RARE(!text)) {
        return entry_slow_push_text(text, NOTHING);
    }
    thread_begin(t);
    const struct preset *p = preset_spread(&t->presets, key, 0);
    if (RARE(p->key != key)) {
        p = preset_beside(&t->presets, p);
        if (RARE(p->key != key)) {
            return entry_slow_push_text(text, BEGUN);
        }
    }
    if (RARE(!preset_has_text(p, text))) {
        return entry_slow_push_text(text, BEGUN);
    }
    struct rec_chunk *chunk = t->stream.chunk;
    if (RARE(!has_space(t, chunk, &used))) {
        return entry_slow_push_text(text, BEGUN);
    }
    enum progress done = write_push(t, chunk, used, p, NULL, &depth);
    return RARE(done != WRITTEN) ? entry_slow_push_text(text, done) : depth;
}

int entry_fast_pop(void) {
    return pop(NULL);
}

int entry_fast_domain_push(nvtxDomainHandle_t domain, const nvtxEventAttributes_t *a) {
    return push_any(domain, a);
}

int entry_fast_domain_pop(nvtxDomainHandle_t domain) {
    return pop(domain);
}
