/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_WRITE_CHUNK_PREFETCH_H
#define NVTXH_WRITE_CHUNK_PREFETCH_H
/*
 * A thread of our own makes chunks ahead of need and unmaps old ones. So an event at the end of a chunk finds the next
 * chunk ready, and does not wait for the file system.
 *
 * The thread begins when a stream has grown to chunks of CHUNK_PREFETCH_SIZE, so that a program with few events never
 * has it. It blocks all signals but SIGSYS, and sleeps while no chunk is taken or released. Forked children do not have
 * the thread, nor do processes in which it cannot or must not be made (see namespaces_wanted and options.h), or in which signals
 * are blocked whenever a chunk is taken. There, an event that needs a new chunk makes it.
 */
#include "../format/format.h"

#include <stdbool.h>
#include <stddef.h>

#define CHUNK_PREFETCH_SIZE (1u << 18) /* bytes */

bool chunk_prefetch_init(void);

/*
 * Called by a thread that begins to record, and by one that ends. The last one to end stops the prefetching thread:
 * once the main thread has called pthread_exit, the process lives until its last thread ends, so no thread of ours may
 * stay.
 */
void chunk_prefetch_enter(void);
void chunk_prefetch_leave(void);

/* A chunk of CHUNK_PREFETCH_SIZE, or NULL if none is ready. Takes no lock; may be called in a signal
 * handler. */
struct rec_chunk *chunk_prefetch_take(uint32_t recording);

/* Unmaps a chunk, now or later. */
void chunk_prefetch_release(struct rec_chunk *chunk, size_t size);

/* Frees unused chunks, because the recording is over. Another recording may follow. */
void chunk_prefetch_stop(void);

/* Ends the thread for good, without waiting for it. */
void chunk_prefetch_end(void);

#endif /* NVTXH_WRITE_CHUNK_PREFETCH_H */
