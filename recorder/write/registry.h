/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_WRITE_REGISTRY_H
#define NVTXH_WRITE_REGISTRY_H
/*
 * What a program defines once and uses often: domains, registered strings, categories, thread names, schemas, counters,
 * resources. Kept in ordinary memory, because a forked child inherits the handles and must write the definitions to its
 * own part of the recording.
 */
#include "stream.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Locks the registry and this process's part, which begins here if there is none. Returns the stream of definitions, a
 * dead one while nothing is recorded. No signal handler runs and no cancellation happens until registry_unlock.
 */
struct stream *registry_lock(void);
void registry_unlock(void);

/* Registers a domain or a string (REC_DOMAIN, REC_REGISTERED). Returns its id, the same for the same text, or 0 on
 * failure. */
uint32_t registry_intern(enum rec_kind kind, uint32_t domain, const char *text);

/* The text of a registered string, cut to fit; empty for an unknown handle. */
void registry_string_text(const void *handle, char *ret_text, size_t room);

/* Names a category or a thread (REC_CATEGORY, REC_THREAD); the last name counts. */
void registry_name(enum rec_kind kind, uint32_t domain, uint32_t id, const char *name);

/* While locked: whether the program has named that thread. */
bool registry_has_thread(uint32_t tid);

/*
 * Schemas, enums, scopes, counters. The body begins with the number (64 bits) that the program chose. If that is 0, it
 * gets one: the same for the same content, unless `unique`. Returns the number; 0: there was no room, which is counted.
 */
uint64_t registry_define(enum rec_kind kind, uint32_t domain, void *body, size_t size, bool unique);

/* A struct rec_resource and its name. The same type and identifier mean the same resource, unless `unique`. Returns its
 * number; 0 on failure. */
uint32_t registry_resource(uint32_t domain, const void *body, size_t size, bool unique);
void registry_resource_gone(uint32_t id);

/* Writes a record once, and does not keep it. */
void registry_note(enum rec_kind kind, uint32_t domain, uint32_t id, const void *body, size_t size);

#endif /* NVTXH_WRITE_REGISTRY_H */
