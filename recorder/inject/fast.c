/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "fast.h"
#include "event.h"
#include "names.h"
#include "thread.h"

/*
 * What is here costs as much as the processor needs to take the instructions in: nothing waits for
 * anything but the clock, which runs beside it. So it is few instructions and few stores that count, and
 * that jumps do not lie across 32 bytes (see meson.build).
 */
#define RARE(condition) __builtin_expect(!!(condition), 0)

enum { AHEAD = 512 };

/* The lines of a new chunk were last written by another core: ask for them early, and for writing.
 */
static inline void fetch_ahead(const char *at)
{
#if defined(__x86_64__)
    __asm__("prefetchw %0" : : "m"(at[AHEAD])); /* the compiler's own asks for reading only */
#else
    __builtin_prefetch(&at[AHEAD], 1);
#endif
}

/* False: busy, or not there yet, wiped by a fork, not to be recorded now, or without a chunk: all that is not
 * the rule. */
static inline bool is_ready(const struct thread *t)
{
    return t->ready == __atomic_load_n(&gate_open, __ATOMIC_RELAXED);
}

/* A signal handler that comes now finds the thread busy, and writes elsewhere. */
static inline void begin(struct thread *t)
{
    t->ready = THREAD_BUSY;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
}

/* Ready it is as it was: what has come between is the slow path's, which sets it anew. */
static inline void end(struct thread *t)
{
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    t->ready = t->stream.number;
}

/* Where the next record goes. */
static inline uint64_t place(const struct rec_chunk *chunk)
{
    return __atomic_load_n(&chunk->used, __ATOMIC_RELAXED);
}

static inline uint64_t *at(struct rec_chunk *chunk, uint64_t used)
{
    return (uint64_t *)(void *)((char *)chunk + used);
}

static inline void publish(struct rec_chunk *chunk, uint64_t used)
{
    __atomic_store_n(&chunk->used, used, __ATOMIC_RELEASE);
}

/* --- kept out of the way, with the registers they need ----------------------------------------- */

static __attribute__((cold, noinline)) int push_slowly(nvtxDomainHandle_t handle,
                                                       const nvtxEventAttributes_t *a)
{
    uint32_t domain = names_domain_id(handle);

    if (a && a->size >= sizeof(*a) && (!handle || names_domain_known(handle)) &&
        (a->messageType == NVTX_MESSAGE_TYPE_REGISTERED ||
         a->messageType == NVTX_MESSAGE_TYPE_ASCII)) {
        preset_learn(handle, domain, a,
                     a->messageType == NVTX_MESSAGE_TYPE_REGISTERED ? PRESET_REGISTERED
                                                                    : PRESET_TEXT_OF);
    }
    return event_push(domain, a);
}

static __attribute__((cold, noinline)) int push_plain_slowly(const char *text)
{
    nvtxEventAttributes_t a = {.message.ascii = text};

    if (text) {
        preset_learn(NULL, 0, &a, PRESET_PLAIN);
    }
    return event_push_text(text);
}

static __attribute__((cold, noinline)) int pop_slowly(nvtxDomainHandle_t handle, uint32_t low,
                                                      uint32_t high)
{
    return event_pop(names_domain_id(handle), low | (uint64_t)high << 32);
}

/* Where something is amiss after all: nothing has been written. */
static __attribute__((cold, noinline)) int push_after_all(nvtxDomainHandle_t handle,
                                                          const nvtxEventAttributes_t *a)
{
    end(thread_self);
    return push_slowly(handle, a);
}

static __attribute__((cold, noinline)) int push_plain_after_all(const char *text)
{
    end(thread_self);
    return push_plain_slowly(text);
}

static __attribute__((cold, noinline)) int pop_after_all(nvtxDomainHandle_t handle, uint32_t low,
                                                         uint32_t high)
{
    end(thread_self);
    return pop_slowly(handle, low, high);
}

/* Where the depth has been counted already. */
static __attribute__((cold, noinline)) int push_at_last(nvtxDomainHandle_t handle,
                                                        const nvtxEventAttributes_t *a)
{
    thread_self->depth[names_domain_id(handle)]--;
    return push_after_all(handle, a);
}

static __attribute__((cold, noinline)) int push_plain_at_last(const char *text)
{
    thread_self->depth[0]--;
    return push_plain_after_all(text);
}

/* --- the rule ---------------------------------------------------------------------------------- */

/* All of it but the message. */
static inline bool fits(const struct preset *p, nvtxDomainHandle_t domain,
                        const nvtxEventAttributes_t *a)
{
    return p->domain == domain && p->category == a->category &&
           p->color_type == (uint32_t)a->colorType && p->color == a->color &&
           p->payload_type == (uint32_t)a->payloadType;
}

static inline uint64_t payload_of(const nvtxEventAttributes_t *a)
{
    return RARE((uint32_t)a->payloadType >= REC_PAYLOAD_U32) ? a->payload.uiValue
                                                             : a->payload.ullValue;
}

/* False if it could not, but for the depth. Few values live across the clock: no register need be saved for them. */
static inline __attribute__((always_inline)) bool write_push(struct thread *t,
                                                             struct rec_chunk *chunk, uint64_t used,
                                                             const struct preset *p,
                                                             uint64_t payload, int *ret_depth)
{
    uint32_t high, low;

    *at(chunk, used + 8) = payload; /* overwritten by the next record if there is none */
    fetch_ahead((const char *)at(chunk, used));
    uint32_t before = (*p->depth)++;
    low = clock_counter_halves(&high);
    if (RARE(high != t->high)) {
        return false;
    }
    __asm__("" : "+r"(used)); /* the compiler would keep the sum in one more register */
    *at(chunk, used) = p->word | (uint64_t)low << 32;
    publish(chunk, used + p->bytes);
    end(t);
    *ret_depth = (int)before;
    return true;
}

static __attribute__((noinline)) int push_second(nvtxDomainHandle_t domain,
                                                 const nvtxEventAttributes_t *a)
{
    struct thread *t = thread_self;
    struct rec_chunk *chunk = t->stream.chunk;
    uint64_t key = preset_key(PRESET_REGISTERED, a->message.registered);
    const struct preset *p = preset_spread(&t->presets, key, preset_differs(a));
    int depth;

    if (p->key != key || !fits(p, domain, a)) {
        return push_after_all(domain, a);
    }
    return RARE(!write_push(t, chunk, place(chunk), p, payload_of(a), &depth))
               ? push_at_last(domain, a)
               : depth;
}

static __attribute__((noinline)) int push_text(nvtxDomainHandle_t domain,
                                               const nvtxEventAttributes_t *a)
{
    struct thread *t = thread_self;
    uint64_t key = preset_key(PRESET_TEXT_OF, a->message.ascii);
    int depth;

    if (a->messageType != NVTX_MESSAGE_TYPE_ASCII || RARE(!a->message.ascii)) {
        return push_slowly(domain, a);
    }
    begin(t);
    struct rec_chunk *chunk = t->stream.chunk;
    uint64_t used = place(chunk);
    const struct preset *p = preset_spread(&t->presets, key, preset_differs(a));
    if (p->key != key || !fits(p, domain, a)) {
        p = preset_beside(&t->presets, p);
    }
    if (RARE(used > t->last) || p->key != key || !fits(p, domain, a) ||
        RARE(!preset_says(p, a->message.ascii))) {
        return push_after_all(domain, a);
    }
    return RARE(!write_push(t, chunk, used, p, payload_of(a), &depth)) ? push_at_last(domain, a)
                                                                       : depth;
}

/* What needs more registers is apart, so that a registered message needs none to be saved. */
static inline __attribute__((always_inline)) int push(nvtxDomainHandle_t domain,
                                                      const nvtxEventAttributes_t *a)
{
    struct thread *t = thread_self;
    int depth;

    if (RARE(!is_ready(t)) || RARE(!a) || RARE(a->size < sizeof(*a))) {
        return push_slowly(domain, a);
    }
    if (RARE(a->messageType != NVTX_MESSAGE_TYPE_REGISTERED)) {
        return push_text(domain, a);
    }
    nvtxStringHandle_t message = a->message.registered;
    if (RARE(!message)) { /* no preset's key, and no preset */
        return push_slowly(domain, a);
    }
    begin(t);
    struct rec_chunk *chunk = t->stream.chunk;
    uint64_t used = place(chunk);
    if (RARE(used > t->last)) {
        return push_after_all(domain, a);
    }
    const struct preset *p = preset_registered(&t->presets, message);
    if (RARE(p->key != preset_key(PRESET_REGISTERED, message)) || RARE(!fits(p, domain, a))) {
        return push_second(domain, a);
    }
    return RARE(!write_push(t, chunk, used, p, payload_of(a), &depth)) ? push_at_last(domain, a)
                                                                       : depth;
}

static inline __attribute__((always_inline)) int pop(nvtxDomainHandle_t handle)
{
    uint32_t high, low = clock_counter_halves(&high);
    uintptr_t domain = (uintptr_t)handle >> 4;
    struct thread *t = thread_self;

    if (RARE(!is_ready(t)) || RARE(domain > REC_DOMAIN_MAX)) {
        return pop_slowly(handle, low, high);
    }
    begin(t);
    struct rec_chunk *chunk = t->stream.chunk;
    uint64_t used = place(chunk);
    uint32_t *depth = &t->depth[domain], after;
    if (RARE(used > t->last) || RARE(high != t->high) ||
        RARE(__builtin_sub_overflow(*depth, 1, &after))) {
        return pop_after_all(handle, low, high);
    }
    *depth = after;
    *at(chunk, used) = ((uint64_t)low << 32) + (domain << 16) + REC_POP;
    publish(chunk, used + 8);
    end(t);
    return (int)after;
}

int fast_push(const nvtxEventAttributes_t *a)
{
    return push(NULL, a);
}

int fast_push_text(const char *text)
{
    struct thread *t = thread_self;
    uint64_t key = preset_key(PRESET_PLAIN, text);
    int depth;

    if (RARE(!is_ready(t)) || RARE(!text)) {
        return push_plain_slowly(text);
    }
    begin(t);
    struct rec_chunk *chunk = t->stream.chunk;
    uint64_t used = place(chunk);
    const struct preset *p = preset_spread(&t->presets, key, 0);
    if (RARE(p->key != key)) {
        p = preset_beside(&t->presets, p);
    }
    if (RARE(used > t->last) || RARE(p->key != key) || RARE(!preset_says(p, text))) {
        return push_plain_after_all(text);
    }
    return RARE(!write_push(t, chunk, used, p, 0, &depth)) ? push_plain_at_last(text) : depth;
}

int fast_pop(void)
{
    return pop(NULL);
}

int fast_domain_push(nvtxDomainHandle_t domain, const nvtxEventAttributes_t *a)
{
    return push(domain, a);
}

int fast_domain_pop(nvtxDomainHandle_t domain)
{
    return pop(domain);
}
