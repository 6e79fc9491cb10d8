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

/* Reads from the options what is wanted of the default domain. */
void names_init(void);

/* The number of a text, the same for the same one again. 0: none to be had. */
uint32_t names_registered(uint32_t domain, const char *text);

void names_category(uint32_t domain, uint32_t category, const char *name);
void names_thread(uint32_t tid, const char *name);
void names_gone(uint32_t domain);

/*
 * Schemas, enums, scopes, counters. The body begins with the number (64 bits) that the program
 * chose, or 0: then it gets one, the same for the same content again unless `unique`. Returns the
 * number; 0: it could not be kept, and that is counted.
 */
uint64_t names_define(enum rec_kind kind, uint32_t domain, void *body, size_t size, bool unique);

/* A struct rec_resource and its name; the same type and identifier again are the same resource
 * unless `unique`. Returns its number, 0: none. */
uint32_t names_resource(uint32_t domain, const void *body, size_t size, bool unique);
void names_resource_gone(uint32_t id);

/* A record that is written once and not kept. */
void names_note(enum rec_kind kind, uint32_t domain, uint32_t id, const void *body, size_t size);

/* In place of a domain: nothing of it is wanted. */
#define NAMES_UNWANTED UINT32_MAX

/* What the default domain is called where events are written: 0, or unwanted. */
extern uint32_t names_default;

/* Bits in handles of domains that the fast path must not take for usual ones: those of captures, and
 * those that are not wanted. */
enum { NAMES_SPECIAL = 1 << 24, NAMES_EXCLUDED = 1 << 25 };

/* The handle of a domain: NULL if it could not be had. */
void *names_domain_handle(const char *name);

/* Whether the default domain can go the fast way. */
bool names_default_usual(void);

/* A domain where ranges may be captures. */
bool names_captures(uint32_t domain);

/* A handle has its number above, and below what it is of: domain, string or resource. */
enum { NAMES_HANDLE_SHIFT = 4 };

static inline void *names_handle(uintptr_t number, unsigned of)
{
    uintptr_t handle = number ? number << NAMES_HANDLE_SHIFT | of : 0;
    return (void *)handle; /* NOLINT(performance-no-int-to-ptr) */
}

static inline void *names_resource_handle(uint32_t id)
{
    return names_handle(id, 3);
}

/* How many have been given out: grows only. */
extern uint32_t names_domains, names_strings, names_resources;

/* 0 and a complaint for what was never given out. */
uint32_t names_bad_handle(void);

/* Of handles that are not usual ones. */
uint32_t names_special_domain(uintptr_t handle);

/* The text of a registered string, cut to fit; empty for what was never given out. */
void names_string_text(const void *handle, char *ret_text, size_t room);

static inline bool names_domain_known(const void *handle)
{
    return (uintptr_t)handle >> NAMES_HANDLE_SHIFT <=
           __atomic_load_n(&names_domains, __ATOMIC_RELAXED);
}

static inline uint32_t names_domain_id(const void *handle)
{
    if (__builtin_expect(!names_domain_known(handle), 0)) {
        return names_special_domain((uintptr_t)handle);
    }
    return handle ? (uint32_t)((uintptr_t)handle >> NAMES_HANDLE_SHIFT) : names_default;
}

static inline void *names_string_handle(uint32_t id)
{
    return names_handle(id, 2);
}

/* 0 for what was never given out, and nothing said. */
static inline uint32_t names_string_known(const void *handle)
{
    uintptr_t id = (uintptr_t)handle >> NAMES_HANDLE_SHIFT;

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

static inline uint32_t names_resource_id(const void *handle)
{
    uintptr_t id = (uintptr_t)handle >> NAMES_HANDLE_SHIFT;

    if (id - 1 >= __atomic_load_n(&names_resources, __ATOMIC_RELAXED)) {
        return names_bad_handle();
    }
    return (uint32_t)id;
}

#endif /* NVTXH_INJECT_NAMES_H */
