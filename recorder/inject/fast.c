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

/* A signal handler that comes now finds the thread busy, and writes elsewhere. */
static inline void begin(struct thread *t)
{
    t->ready = THREAD_BUSY;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
}

/* What is ready is as it was found: what has come between is the slow path's, which sets it anew. */
static inline void end(struct thread *t, uint32_t ready)
{
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    t->ready = ready;
}

/* False: not there yet, wiped by a fork, not to be recorded now, busy, or without a chunk, all that is
 * not the rule. */
static inline bool is_ready(const struct thread *t, uint32_t *ret_open)
{
    *ret_open = *(volatile uint32_t *)&gate_open;
    return t && t->ready == *ret_open;
}

/* --- kept out of the way, with the registers they need ----------------------------------------- */

static __attribute__((cold, noinline)) int push_slowly(nvtxDomainHandle_t handle,
                                                       const nvtxEventAttributes_t *a)
{
    uint32_t domain = names_domain_id(handle);

    if (a && a->size >= sizeof(*a) && (!handle || names_domain_known(handle))) {
        preset_learn(handle, domain, a, (uint32_t)a->messageType);
    }
    return event_push(domain, a);
}

static __attribute__((cold, noinline)) int push_text_slowly(const char *text)
{
    nvtxEventAttributes_t a = {.message.ascii = text};

    if (text) {
        preset_learn(NULL, 0, &a, NVTX_MESSAGE_TYPE_ASCII | PRESET_PLAIN);
    }
    return event_push_text(text);
}

static __attribute__((cold, noinline)) int pop_slowly(nvtxDomainHandle_t handle, uint32_t low,
                                                      uint32_t high)
{
    return event_pop(names_domain_id(handle), low | (uint64_t)high << 32);
}

/* Where something is amiss after all. */
static __attribute__((cold, noinline)) int push_after_all(struct thread *t, uint32_t open,
                                                          nvtxDomainHandle_t handle,
                                                          const nvtxEventAttributes_t *a)
{
    end(t, open);
    return push_slowly(handle, a);
}

static __attribute__((cold, noinline)) int push_text_after_all(struct thread *t, uint32_t open,
                                                               const char *text)
{
    end(t, open);
    return push_text_slowly(text);
}

static __attribute__((cold, noinline)) int pop_after_all(struct thread *t, uint32_t open,
                                                         nvtxDomainHandle_t handle, uint32_t low,
                                                         uint32_t high)
{
    end(t, open);
    return pop_slowly(handle, low, high);
}

/* --- the rule ---------------------------------------------------------------------------------- */

static inline bool fits(const struct preset *p, nvtxDomainHandle_t domain,
                        const nvtxEventAttributes_t *a)
{
    return p->message == (uint64_t)(uintptr_t)a->message.registered && p->domain == domain &&
           p->type == (uint32_t)a->messageType && p->category == a->category &&
           p->color_type == (uint32_t)a->colorType && p->color == a->color &&
           p->payload_type == (uint32_t)a->payloadType;
}

static inline bool fits_text(const struct preset *p, const char *text)
{
    return p->message == (uint64_t)(uintptr_t)text &&
           p->type == (NVTX_MESSAGE_TYPE_ASCII | PRESET_PLAIN);
}

static inline void publish(struct rec_chunk *chunk, uint64_t used)
{
    __atomic_store_n(&chunk->used, used, __ATOMIC_RELEASE);
}

/* False if it could not. Few values live across the clock: no register need be saved for them. */
static inline __attribute__((always_inline)) bool write_push(struct thread *t,
                                                             const struct preset *p,
                                                             uint64_t payload, int *ret_depth)
{
    struct rec_chunk *chunk = t->stream.chunk;
    uint64_t used = __atomic_load_n(&chunk->used, __ATOMIC_RELAXED);
    uint64_t *at = (uint64_t *)(void *)((char *)chunk + used);
    uint32_t high, low;

    if (RARE(used > t->last)) {
        return false;
    }
    at[1] = payload; /* overwritten by the next record if there is none */
    fetch_ahead((const char *)at);
    uint32_t before = (*p->depth)++;
    low = clock_counter_halves(&high);
    if (RARE(high != t->high)) {
        *p->depth = before;
        return false;
    }
    at[0] = p->word | (uint64_t)low << 32;
    publish(chunk, used + p->bytes);
    *ret_depth = (int)before;
    return true;
}

static inline uint64_t payload_of(const struct preset *p, const nvtxEventAttributes_t *a)
{
    return p->payload_type >= REC_PAYLOAD_U32 ? a->payload.uiValue : a->payload.ullValue;
}

/* The rest of what makes it the same, and the push; begun already. */
static inline __attribute__((always_inline)) int finish(nvtxDomainHandle_t domain,
                                                        const nvtxEventAttributes_t *a,
                                                        struct thread *t, const struct preset *p,
                                                        uint32_t open)
{
    int depth;

    if ((p->text_size && RARE(!preset_says(p, a->message.ascii))) ||
        RARE(!write_push(t, p, payload_of(p, a), &depth))) {
        return push_after_all(t, open, domain, a);
    }
    end(t, open);
    return depth;
}

static __attribute__((noinline)) int push_text(nvtxDomainHandle_t domain,
                                               const nvtxEventAttributes_t *a, struct thread *t,
                                               const struct preset *p, uint32_t open)
{
    return finish(domain, a, t, p, open);
}

static __attribute__((noinline)) int push_second(nvtxDomainHandle_t domain,
                                                 const nvtxEventAttributes_t *a, struct thread *t,
                                                 const struct preset *first, uint32_t open)
{
    const struct preset *p = preset_second(&t->presets, first);

    return fits(p, domain, a) ? finish(domain, a, t, p, open) : push_after_all(t, open, domain, a);
}

/* What needs more registers is apart, so that a registered message needs none to be saved. */
static inline __attribute__((always_inline)) int push(nvtxDomainHandle_t domain,
                                                      const nvtxEventAttributes_t *a)
{
    struct thread *t = thread_self;
    uint32_t open;
    int depth;

    if (RARE(!is_ready(t, &open)) || RARE(!a) || RARE(a->size < sizeof(*a)) ||
        RARE(!a->message.registered)) { /* an empty preset would fit */
        return push_slowly(domain, a);
    }
    begin(t);
    const struct preset *p = preset_first(&t->presets, (uint64_t)(uintptr_t)a->message.registered,
                                          a->color ^ a->category ^ (uint32_t)a->payloadType);
    if (RARE(!fits(p, domain, a))) {
        return push_second(domain, a, t, p, open);
    }
    if (p->text_size) {
        return push_text(domain, a, t, p, open);
    }
    if (RARE(!write_push(t, p, payload_of(p, a), &depth))) {
        return push_after_all(t, open, domain, a);
    }
    end(t, open);
    return depth;
}

static inline __attribute__((always_inline)) int pop(nvtxDomainHandle_t handle)
{
    uint32_t high, low = clock_counter_halves(&high);
    uintptr_t domain = (uintptr_t)handle >> 4;
    struct thread *t = thread_self;
    uint32_t open;

    if (RARE(!is_ready(t, &open)) || RARE(domain > REC_DOMAIN_MAX)) {
        return pop_slowly(handle, low, high);
    }
    begin(t);
    struct rec_chunk *chunk = t->stream.chunk;
    uint32_t *depth = &t->depth[domain], before = *depth;
    uint64_t used = __atomic_load_n(&chunk->used, __ATOMIC_RELAXED);
    if (RARE(used > t->last) || RARE(high != t->high) || RARE(!before)) {
        return pop_after_all(t, open, handle, low, high);
    }
    *depth = before - 1;
    *(uint64_t *)(void *)((char *)chunk + used) = REC_POP | domain << 16 | (uint64_t)low << 32;
    publish(chunk, used + 8);
    end(t, open);
    return (int)before - 1;
}

int fast_push(const nvtxEventAttributes_t *a)
{
    return push(NULL, a);
}

int fast_push_text(const char *text)
{
    struct thread *t = thread_self;
    uint32_t open;
    int depth;

    if (RARE(!is_ready(t, &open)) || RARE(!text)) {
        return push_text_slowly(text);
    }
    begin(t);
    const struct preset *p = preset_first(&t->presets, (uint64_t)(uintptr_t)text, PRESET_PLAIN);
    if (RARE(!fits_text(p, text))) {
        p = preset_second(&t->presets, p);
        if (!fits_text(p, text)) {
            return push_text_after_all(t, open, text);
        }
    }
    if (RARE(!preset_says(p, text)) || RARE(!write_push(t, p, 0, &depth))) {
        return push_text_after_all(t, open, text);
    }
    end(t, open);
    return depth;
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
