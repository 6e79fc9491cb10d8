/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once
/* Handles of domains, registered strings and resources. A handle is not a pointer, so an old handle
 * or another tool's cannot crash anything. Its upper bits are a number, its lower bits the kind. */
#include "../format/format.h"

#include <stdbool.h>
#include <stdint.h>

/* Reads from the options if the default domain is recorded, and if it has captures (session.h). */
void handle_init(void);

/* Stands in place of the number of a domain whose events are left out. */
#define DOMAIN_UNWANTED UINT32_MAX

/* The number of the default domain: 0, or DOMAIN_UNWANTED if its events are left out. */
extern uint32_t handle_default_domain;

/* Whether the fast path may write events of the default domain. */
bool handle_default_usual(void);

/* The domain's handle, with the flags that the options ask for; NULL for the default domain. */
void *handle_of_domain(uint32_t domain, const char *name);

bool handle_is_capture(uint32_t domain); /* its ranges may be captures (session.h) */

enum handle_of { HANDLE_DOMAIN = 1, HANDLE_STRING, HANDLE_RESOURCE };
enum { HANDLE_SHIFT = 4 }; /* bits for the kind, below the number */

/* Flags in a domain's handle. They keep its events off the fast path, because the domain has
 * captures or is left out. */
enum { HANDLE_CAPTURE = 1 << 24, HANDLE_EXCLUDED = 1 << 25 };

/* The handle of a number; NULL for 0. */
static inline void *handle_make(uintptr_t number, enum handle_of of) {
    uintptr_t handle = number ? number << HANDLE_SHIFT | of : 0;
    return (void *)handle; /* NOLINT(performance-no-int-to-ptr) */
}

/* How many handles of each kind were given out. Only registry.c increases the counts. */
extern uint32_t handle_domains, handle_strings, handle_resources;

/* Counts a loss: the use of a handle that was never given out. Returns 0. */
uint32_t handle_bad(void);

/* The rare part of handle_domain: handles that have a flag, or were never given out. */
uint32_t handle_special_domain(uintptr_t handle);

static inline bool handle_domain_known(const void *handle) {
    return (uintptr_t)handle >> HANDLE_SHIFT <= __atomic_load_n(&handle_domains, __ATOMIC_RELAXED);
}

static inline uint32_t handle_domain(const void *handle) {
    if (__builtin_expect(!handle_domain_known(handle), 0)) {
        return handle_special_domain((uintptr_t)handle);
    }
    return handle ? (uint32_t)((uintptr_t)handle >> HANDLE_SHIFT) : handle_default_domain;
}

/* A string's number with the flag REC_TEXT_REGISTERED. A bad handle gives 0, and counts no loss. */
static inline uint32_t handle_string_known(const void *handle) {
    uintptr_t id = (uintptr_t)handle >> HANDLE_SHIFT;

    if (__builtin_expect(id - 1 >= __atomic_load_n(&handle_strings, __ATOMIC_RELAXED), 0)) {
        return 0;
    }
    return (uint32_t)id | REC_TEXT_REGISTERED;
}

static inline uint32_t handle_string(const void *handle) {
    uint32_t id = handle_string_known(handle);

    return id || !handle ? id : handle_bad();
}

/* A resource's handle also has the number of its domain, in the bits above the resource's number,
 * because NVTX's calls for synchronization objects pass no domain. */
enum { RESOURCE_BITS = 28, RESOURCE_DOMAINS = 1 << 17 /* the last number means DOMAIN_UNWANTED */ };

/* NULL if there are too many resources. */
static inline void *handle_of_resource(uint32_t domain, uint32_t id) {
    uintptr_t upper = (uintptr_t)(domain % RESOURCE_DOMAINS) << RESOURCE_BITS;

    return handle_make(id && !(id >> RESOURCE_BITS) ? upper | id : 0, HANDLE_RESOURCE);
}

/* A resource's number; 0 for a bad handle, which only handle_resource counts as a loss. */
static inline uint32_t handle_resource_known(const void *handle, uint32_t *ret_domain) {
    uintptr_t number = (uintptr_t)handle >> HANDLE_SHIFT, domain = number >> RESOURCE_BITS,
              id = number & ((1 << RESOURCE_BITS) - 1);
    bool unwanted = domain == RESOURCE_DOMAINS - 1;

    *ret_domain = unwanted ? DOMAIN_UNWANTED : (uint32_t)domain;
    return id <= __atomic_load_n(&handle_resources, __ATOMIC_RELAXED) &&
                   (unwanted || domain <= __atomic_load_n(&handle_domains, __ATOMIC_RELAXED))
               ? (uint32_t)id
               : 0;
}

static inline uint32_t handle_resource(const void *handle, uint32_t *ret_domain) {
    uint32_t id = handle_resource_known(handle, ret_domain);

    return id ? id : handle_bad();
}
