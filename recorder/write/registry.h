/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once
/* This process's log in the recording, and the registry. The registry has what a program defines
 * once and uses often: domains, registered strings, categories, thread names, schemas, counters,
 * resources. Forks do not wipe its memory, because a child goes on using the handles, and must
 * write the definitions to its own log in the recording. */
#include "stream.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* --- the process log -------------------------------------------------------------------------- */

/* This process's log in the recording: the description of the process, and the stream of its
 * definitions. A forked child begins its own log at its first NVTX call. One lock guards the log
 * and the registry. */
bool process_log_init(void);

/* Bytes of the ring (stream.h) of the next log; 0: no ring. */
extern uint64_t process_log_ring_size;

/* Locks the log; begins one if there is none and a recording is under way. *ret_begun: whether
 * this call has begun one. Returns the stream of definitions or, without a log, a stream that
 * takes no records. Blocks signals until process_log_unlock. Only registry_lock calls this. */
struct stream *process_log_lock(bool *ret_begun);
void process_log_unlock(void);

/* Call it with the log locked. Makes *ret, whose `tid` and `in_handlers` are set, a stream of
 * `recording` without a chunk. False: that recording has ended, or no more can be written to it. */
bool process_log_new_stream(uint32_t recording, struct stream *ret);

void process_log_end(void); /* ends the log; call it after file_end, with the log locked */

/* Writes the current time as the end of the log. Called when the process or the recording ends. */
void process_log_write_end(void);

bool process_log_is_ready(void);

/* Whether this process is a forked child of the process that began to record. */
bool process_log_is_forked(void);

/* --- the registry ----------------------------------------------------------------------------- */

/* Locks the registry and this process's log; begins a log if there is none and a recording is
 * under way. Returns the stream of definitions or, without a log, a stream that takes no records.
 * Blocks signals and cancellation until registry_unlock. */
struct stream *registry_lock(void);
void registry_unlock(void);

/* Registers a domain or a string (REC_DOMAIN, REC_REGISTERED). Returns its id; 0 on failure.
 * Domains with equal names have the same id, and so do equal strings in one domain. */
uint32_t registry_intern(enum rec_kind kind, uint32_t domain, const char *text);

/* The text of a registered string, cut to fit; empty for an unknown handle. */
void registry_string_text(const void *handle, char *ret_text, size_t capacity);

/* Names or renames a category, thread or NVTX tool (REC_CATEGORY, REC_THREAD, REC_EXTENDED). */
void registry_name(enum rec_kind kind, uint32_t domain, uint32_t id, const char *name);

bool registry_has_thread(uint32_t tid); /* whether the program has named the thread; lock first */

/* Defines a schema, enum, scope or counter. The body begins with the definition's
 * number (64 bits) if the program has chosen one, else with 0. For 0, the recorder chooses a
 * number: the same for equal content, unless `unique`. Returns the number. If the body is too large
 * or there is no memory, returns 0 and counts a REC_LOSS_SCHEMA. */
uint64_t registry_define(enum rec_kind kind, uint32_t domain, void *body, size_t size, bool unique);

/* Defines a resource; the body is a struct rec_resource and a name. The same type and identifier
 * mean the same resource, unless `unique`. Returns the resource's number; 0 on failure. */
uint32_t registry_resource(uint32_t domain, const void *body, size_t size, bool unique);
void registry_resource_gone(uint32_t id);

/* Records that the program has destroyed a domain. Forked children and later recordings do not get
 * this record. */
void registry_domain_gone(uint32_t domain);
