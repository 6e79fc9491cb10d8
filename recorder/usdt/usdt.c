/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A tool of NVTX that has a static probe (SDT) at each event, for debuggers, perf, bpftrace and
 * SystemTap:
 *
 *     nvtxh:push   message, domain                 nvtxh:start   message, domain, id
 *     nvtxh:pop    message, domain, nanoseconds    nvtxh:end     message, domain, nanoseconds, id
 *     nvtxh:mark   message, domain
 *
 * A tracer that watches a probe raises the probe's semaphore. 0 nanoseconds: it is not known when
 * the range began, mostly because no tracer was watching at that time. */
#include "../format/clock.h"
#include "../write/text.h"
#include "../write/subscribe.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define _SDT_HAS_SEMAPHORES 1
#include <sys/sdt.h>

#define SEMAPHORE(name) nvtxh_##name##_semaphore __attribute__((section(".probes")))
volatile unsigned short SEMAPHORE(push), SEMAPHORE(pop), SEMAPHORE(start), SEMAPHORE(end),
    SEMAPHORE(mark);
/* noinline, so that this library has each probe once. */
#define PROBED __attribute__((noinline))
#define WATCHED(name) __builtin_expect(nvtxh_##name##_semaphore, 0)

enum { TEXT = 112, DEEP = 64, RANGES = 1 << 10, BUCKETS = 1 << 10 };

struct range {
    uint64_t id; /* of a process range; 0: this entry is free */
    uint64_t begun;
    const char *domain;
    char text[TEXT]; /* cut to fit */
};

/* The open pushes of a thread. Pushes deeper than DEEP are only counted. */
struct stack {
    unsigned depth;
    struct range ranges[DEEP];
};
static __thread struct stack *stack __attribute__((tls_model("initial-exec")));
static pthread_key_t at_end;
static struct range ranges[RANGES]; /* open process ranges, by the last bits of their ids */

/* Interns a text: returns the copy that was made when the text was first used. A handle of a
 * registered string or domain is a pointer to such a copy. */
static const char *intern(const char *text) {
    static struct text {
        struct text *next;
        char bytes[];
    } * buckets[BUCKETS];
    size_t size = text ? strlen(text) + 1 : 0;
    struct text **first = &buckets[hash_bytes(0, text ? text : "", size) % BUCKETS], *t, *made;

    for (t = __atomic_load_n(first, __ATOMIC_ACQUIRE); t && text; t = t->next) {
        if (!strcmp(t->bytes, text)) {
            return t->bytes;
        }
    }
    if (!text || !(made = malloc(sizeof(*made) + size))) {
        return NULL;
    }
    memcpy(made->bytes, text, size);
    made->next = __atomic_load_n(first, __ATOMIC_RELAXED); /* two threads may add the text twice */
    while (!__atomic_compare_exchange_n(first, &made->next, made, true, __ATOMIC_RELEASE,
                                        __ATOMIC_RELAXED)) {
    }
    return made->bytes;
}

static const char *intern_wide(const wchar_t *wide) {
    BUFFER(text);
    return intern(utf8_make(&text, wide));
}

static const char *intern_in(const void *domain, const char *text) {
    (void)domain;
    return intern(text);
}

static const char *intern_wide_in(const void *domain, const wchar_t *text) {
    return intern_in(domain, intern_wide(text));
}

/* Copies an event's message, cut to fit, to `room`, which has TEXT bytes. */
static void message(char *room, const nvtxEventAttributes_t *a) {
    BUFFER(wide);
    bool whole = a && a->size >= sizeof(*a);
    int type = whole ? a->messageType : NVTX_MESSAGE_UNKNOWN;
    const char *text =
        utf8_make(&wide, type == NVTX_MESSAGE_TYPE_UNICODE ? a->message.unicode : NULL);

    text = type == NVTX_MESSAGE_TYPE_ASCII        ? a->message.ascii
           : type == NVTX_MESSAGE_TYPE_REGISTERED ? (const char *)a->message.registered
                                                  : text;
    *room = 0;
    strncat(room, text ? text : "", TEXT - 1);
}

static const char *default_name; /* on the heap: its page is loaded; kernel tracers can read it */
#define NAME(domain) ((domain) ? (const char *)(domain) : default_name)

static void leave_stack(void *old) {
    stack = NULL;
    munmap(old, sizeof(*stack));
}

static PROBED int push_watched(const void *domain, const nvtxEventAttributes_t *a) {
    char none[TEXT], *text = none;

    if (!stack) {
        int flags = MAP_PRIVATE | MAP_ANONYMOUS;
        void *made = mmap(NULL, sizeof(*stack), PROT_READ | PROT_WRITE, flags, -1, 0);
        stack = made == MAP_FAILED ? NULL : made;
        pthread_setspecific(at_end, stack);
    }
    if (stack && stack->depth++ < DEEP) {
        struct range *r = &stack->ranges[stack->depth - 1];
        r->domain = NAME(domain);
        text = r->text;
        r->begun = clock_ns(CLOCK_MONOTONIC);
    }
    message(text, a);
    if (WATCHED(push)) {
        DTRACE_PROBE2(nvtxh, push, text, NAME(domain));
    }
    return NVTX_NO_PUSH_POP_TRACKING;
}

static PROBED int pop_watched(const void *domain) {
    struct range r = {.domain = NAME(domain)};
    unsigned n = stack && stack->depth <= DEEP ? stack->depth : 0;
    uint64_t ended = clock_ns(CLOCK_MONOTONIC);

    while (n && stack->ranges[n - 1].domain != r.domain) { /* ranges of two domains may overlap */
        n--;
    }
    if (n) {
        r = stack->ranges[n - 1];
        memmove(&stack->ranges[n - 1], &stack->ranges[n], (stack->depth - n) * sizeof(r));
    }
    if (n || (stack && stack->depth > DEEP)) {
        stack->depth--;
    }
    if (WATCHED(pop)) {
        DTRACE_PROBE3(nvtxh, pop, r.text, r.domain, r.begun ? ended - r.begun : 0);
    }
    return NVTX_NO_PUSH_POP_TRACKING;
}

/* True if no tracer watches pushes or pops. If so, also forgets the thread's open pushes, because
 * their pops are not counted while nobody watches. */
static bool nobody(void) {
    if (WATCHED(push) || WATCHED(pop)) {
        return false;
    }
    if (__builtin_expect(stack != NULL, 0)) {
        stack->depth = 0;
    }
    return true;
}

static int domain_push(const void *domain, const nvtxEventAttributes_t *a) {
    return nobody() ? NVTX_NO_PUSH_POP_TRACKING : push_watched(domain, a);
}

static int domain_pop(const void *domain) {
    return nobody() ? NVTX_NO_PUSH_POP_TRACKING : pop_watched(domain);
}

/* The results of domain_mark and domain_end are unused: FORM needs functions with a result. */
static PROBED int domain_mark(const void *domain, const nvtxEventAttributes_t *a) {
    char text[TEXT];

    if (WATCHED(mark)) {
        message(text, a);
        DTRACE_PROBE2(nvtxh, mark, text, NAME(domain));
    }
    return 0;
}

static PROBED nvtxRangeId_t domain_start(const void *domain, const nvtxEventAttributes_t *a) {
    static uint64_t last;
    uint64_t free = 0, id;

    if (!WATCHED(start) && !WATCHED(end)) {
        return 0;
    }
    id = __atomic_add_fetch(&last, 1, __ATOMIC_RELAXED) + RANGES;
    struct range one, *r = &ranges[id % RANGES];
    bool mine = __atomic_compare_exchange_n(&r->id, &free, UINT64_MAX, false, __ATOMIC_ACQUIRE,
                                            __ATOMIC_RELAXED);
    r = mine ? r : &one; /* if the entry is taken, the end cannot know when the range began */
    r->domain = NAME(domain);
    message(r->text, a);
    r->begun = clock_ns(CLOCK_MONOTONIC);
    if (WATCHED(start)) {
        DTRACE_PROBE3(nvtxh, start, r->text, r->domain, id);
    }
    if (mine) {
        __atomic_store_n(&r->id, id, __ATOMIC_RELEASE);
    }
    return id;
}

static PROBED int domain_end(const void *domain, nvtxRangeId_t id) {
    struct range *r = &ranges[id % RANGES], one = {.domain = NAME(domain)};

    if (id && __atomic_load_n(&r->id, __ATOMIC_ACQUIRE) == id) {
        one = *r;
        __atomic_store_n(&r->id, 0, __ATOMIC_RELEASE);
    }
    if (WATCHED(end)) {
        DTRACE_PROBE4(nvtxh, end, one.text, one.domain,
                      one.begun ? clock_ns(CLOCK_MONOTONIC) - one.begun : 0, id);
    }
    return 0;
}

/* Macros that define the callbacks of the default domain, in each form of text that NVTX has. */
#define MESSAGE(kind, member)                                                                      \
    &(nvtxEventAttributes_t) {                                                                     \
        .size = sizeof(nvtxEventAttributes_t), .messageType = NVTX_MESSAGE_TYPE_##kind,            \
        .message.member = text                                                                     \
    }
#define FORM(type, name, form, params, ...)                                                        \
    static type name##_##form params {                                                             \
        return domain_##name(__VA_ARGS__);                                                         \
    }
#define FORMS(type, name)                                                                          \
    FORM(type, name, ex, (const nvtxEventAttributes_t *a), NULL, a)                                \
    FORM(type, name, a, (const char *text), NULL, MESSAGE(ASCII, ascii))                           \
    FORM(type, name, w, (const wchar_t *text), NULL, MESSAGE(UNICODE, unicode))
FORMS(int, mark)
FORMS(int, push)
FORMS(nvtxRangeId_t, start)

FORM(int, pop, plain, (void), NULL)
FORM(int, end, plain, (nvtxRangeId_t id), NULL, id)

#define CORE(name, function) CALLBACK(CORE, NVTX_CBID_CORE_##name, function)
#define CORE2(name, function) CALLBACK(CORE2, NVTX_CBID_CORE2_Domain##name, function)
#define ALL(name, function)                                                                        \
    CORE(name##Ex, function##_ex), CORE(name##A, function##_a), CORE(name##W, function##_w),       \
        CORE2(name##Ex, domain_##function)
static const struct callback callbacks[] = {
    ALL(Mark, mark),
    ALL(RangePush, push),
    ALL(RangeStart, start),
    CORE(RangePop, pop_plain),
    CORE(RangeEnd, end_plain),
    CORE2(RangePop, domain_pop),
    CORE2(RangeEnd, domain_end),
    CORE2(RegisterStringA, intern_in),
    CORE2(RegisterStringW, intern_wide_in),
    CORE2(CreateA, intern),
    CORE2(CreateW, intern_wide),
    {0},
};

__attribute__((visibility("default"))) int InitializeInjectionNvtx2(NvtxGetExportTableFunc_t get);

__attribute__((constructor)) static void loaded(void) {
    pthread_key_create(&at_end, leave_stack);
    default_name = intern("default");
}

int InitializeInjectionNvtx2(NvtxGetExportTableFunc_t get) {
    subscribe(get(NVTX_ETID_CALLBACKS), callbacks);
    return 1;
}
