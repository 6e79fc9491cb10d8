/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "fast.h"
#include "event.h"
#include "names.h"
#include "thread.h"

#define RARE(condition) __builtin_expect(!!(condition), 0)

enum { AHEAD = 64 };

/* The lines of a new chunk were last written by another core: ask for them early, and for writing.
 */
static inline void fetch_ahead(const uint64_t *at)
{
#if defined(__x86_64__)
    __asm__("prefetchw %0" : : "m"(at[AHEAD])); /* the compiler's own asks for reading only */
#else
    __builtin_prefetch(&at[AHEAD], 1);
#endif
}

/* Not there yet, wiped by a fork, not to be recorded now, busy, or at the end of its chunk: all that
 * is not the rule. */
static inline bool is_ready(const struct thread *t)
{
    return t && t->stream.number == __atomic_load_n(&gate_open, __ATOMIC_RELAXED) && !t->busy &&
           t->stream.at < t->stream.last; /* not so with neither */
}

static inline void publish(struct thread *t, uint64_t *next)
{
    struct rec_chunk *chunk = t->stream.chunk;

    t->stream.at = next;
    __atomic_store_n(&chunk->used, (uint64_t)((char *)next - (char *)chunk), __ATOMIC_RELEASE);
}

/* Kept out of the way, with the registers they need. */
static __attribute__((cold, noinline)) int push_slowly(uint32_t domain,
                                                       const nvtxEventAttributes_t *a)
{
    return event_push(domain, a);
}

static __attribute__((cold, noinline)) int push_specially(nvtxDomainHandle_t domain,
                                                          const nvtxEventAttributes_t *a)
{
    return event_push(names_domain_id(domain), a);
}

static __attribute__((cold, noinline)) int pop_specially(nvtxDomainHandle_t domain)
{
    return event_pop(names_domain_id(domain), clock_counter());
}

/* Half a payload makes a word with the category, and a whole one stands by itself. Returns the end.
 */
static inline uint64_t *put_payload(uint64_t *at, const nvtxEventAttributes_t *a, uint32_t payload,
                                    uint64_t *flags)
{
    uint64_t category = a->category;

    *flags |= category ? REC_HAS_CATEGORY : 0;
    if (payload >= REC_PAYLOAD_U32) {
        *at = category | (uint64_t)a->payload.uiValue << 32;
        return at + 1;
    }
    *at = category; /* overwritten if there is none */
    at += category != 0;
    *at = a->payload.ullValue;
    return at + (payload != 0);
}

static inline __attribute__((always_inline)) int push(uint32_t domain,
                                                      const nvtxEventAttributes_t *a)
{
    struct thread *t = thread_self;

    if (RARE(!is_ready(t)) || RARE(!a) || RARE(a->size < sizeof(*a)) ||
        RARE(a->messageType != NVTX_MESSAGE_TYPE_REGISTERED)) {
        return push_slowly(domain, a);
    }
    uint32_t payload = (uint32_t)a->payloadType;
    uint64_t word = names_string_known(a->message.registered);
    if (RARE(payload > REC_PAYLOAD_F32) || RARE(!word)) {
        return push_slowly(domain, a);
    }
    t->busy = true;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    uint64_t *at = t->stream.at;
    uint64_t flags = (uint64_t)payload << 5 | (uint64_t)domain << 16 | REC_PUSH;
    fetch_ahead(at);
    flags |= a->colorType == NVTX_COLOR_ARGB ? REC_HAS_COLOR : 0;
    at[1] = word | (uint64_t)a->color << 32; /* without the flag it means nothing */
    uint64_t *next = put_payload(at + 2, a, payload, &flags);
    int depth = (int)t->depth[domain];
    uint64_t delta = clock_counter() - t->stream.base;
    if (RARE(delta > t->stream.limit)) {
        thread_leave(t);
        return push_slowly(domain, a);
    }
    t->depth[domain] = (uint32_t)depth + 1;
    at[0] = flags | delta << 32;
    publish(t, next);
    thread_leave(t);
    return depth;
}

static inline __attribute__((always_inline)) int pop(uint32_t domain)
{
    uint64_t ticks = clock_counter();
    struct thread *t = thread_self;

    if (RARE(!is_ready(t))) {
        return event_pop(domain, ticks);
    }
    uint64_t delta = ticks - t->stream.base;
    uint32_t *depth = &t->depth[domain];
    uint32_t open = *depth;
    if (RARE(delta > t->stream.limit) || RARE(!open)) {
        return event_pop(domain, ticks);
    }
    t->busy = true;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    uint64_t *at = t->stream.at;
    *depth = open - 1;
    at[0] = REC_POP | (uint64_t)domain << 16 | delta << 32;
    publish(t, at + 1);
    thread_leave(t);
    return (int)open - 1;
}

int fast_push(const nvtxEventAttributes_t *a)
{
    return push(0, a);
}

int fast_pop(void)
{
    return pop(0);
}

int fast_domain_push(nvtxDomainHandle_t domain, const nvtxEventAttributes_t *a)
{
    if (RARE(!names_domain_known(domain))) {
        return push_specially(domain, a);
    }
    return push((uint32_t)((uintptr_t)domain >> 4), a);
}

int fast_domain_pop(nvtxDomainHandle_t domain)
{
    if (RARE(!names_domain_known(domain))) {
        return pop_specially(domain);
    }
    return pop((uint32_t)((uintptr_t)domain >> 4));
}
