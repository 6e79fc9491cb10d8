/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_INJECT_NAMES_H
#define NVTXH_INJECT_NAMES_H
/*
 * What a program names once and uses often: domains, registered strings, categories, threads. Kept
 * in ordinary memory, since a forked child inherits the handles and must write the names to its own
 * part. Handles carry the number itself and point nowhere, so a stale or foreign one cannot crash
 * anything.
 */
#include "../format/format.h"

#include <stdbool.h>
#include <stddef.h>

/* The number of a name, the same for the same name again. 0: none to be had. */
uint32_t names_domain(const char *name);
uint32_t names_registered(uint32_t domain, const char *text);

void names_category(uint32_t domain, uint32_t category, const char *name);
void names_thread(uint32_t tid, const char *name);
void names_gone(uint32_t domain);

struct stream;
void names_write_all(struct stream *s);

static inline void *names_domain_handle(uint32_t id)
{
    return id ? (void *)((uintptr_t)id << 4 | 1) : NULL; /* NOLINT(performance-no-int-to-ptr) */
}

/* How many have been given out: grows only. */
extern uint32_t names_domains, names_strings;

/* 0 and a complaint for what was never given out. */
uint32_t names_bad_handle(void);

static inline bool names_domain_known(const void *handle)
{
    return (uintptr_t)handle >> 4 <= __atomic_load_n(&names_domains, __ATOMIC_RELAXED);
}

static inline uint32_t names_domain_id(const void *handle)
{
    if (__builtin_expect(!names_domain_known(handle), 0)) {
        return names_bad_handle();
    }
    return (uint32_t)((uintptr_t)handle >> 4);
}

static inline void *names_string_handle(uint32_t id)
{
    return id ? (void *)((uintptr_t)id << 4 | 2) : NULL; /* NOLINT(performance-no-int-to-ptr) */
}

/* 0 for what was never given out, and nothing said. */
static inline uint32_t names_string_known(const void *handle)
{
    uintptr_t id = (uintptr_t)handle >> 4;

    if (__builtin_expect(id - 1 >= __atomic_load_n(&names_strings, __ATOMIC_RELAXED), 0)) {
        return 0;
    }
    return (uint32_t)id | REC_TEXT_REGISTERED;
}

static inline uint32_t names_string_id(const void *handle)
{
    uint32_t id = names_string_known(handle);

    return id || !handle ? id : names_bad_handle();
}

#endif /* NVTXH_INJECT_NAMES_H */
