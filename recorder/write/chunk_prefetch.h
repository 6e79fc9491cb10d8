/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once
/* A thread of the recorder makes chunks (parts of the recording's file) ahead of need and unmaps
 * old ones, so that an event at the end of a chunk does not wait for the file system. This thread
 * starts when a stream of events has grown to chunks of CHUNK_PREFETCH_SIZE: a program with few
 * events never has it. The thread blocks all signals but SIGSYS, and sleeps until a chunk is taken.
 * A process does not have the thread if the process is a forked child, if the thread cannot or must
 * not be made (see namespaces_wanted and options.h), or if signals are blocked whenever a chunk is
 * taken. Without it, a thread that needs a chunk makes the chunk itself. */
#include "../format/format.h"

#include <stdbool.h>
#include <stddef.h>

#define CHUNK_PREFETCH_SIZE (1u << 18) /* bytes */

bool chunk_prefetch_init(void);

/* Called when a thread of the program begins to record, and when it ends. The last
 * chunk_prefetch_leave stops the prefetching thread, which would otherwise keep the process alive
 * after pthread_exit in the main thread. */
void chunk_prefetch_enter(void);
void chunk_prefetch_leave(void);

/* Returns a chunk of CHUNK_PREFETCH_SIZE, or NULL if none is ready. Takes no lock; may be called in
 * a signal handler. */
struct rec_chunk *chunk_prefetch_get(uint32_t recording);

void chunk_prefetch_release(struct rec_chunk *chunk, size_t size); /* unmaps it, now or later */

/* Called when a recording is over: stops the thread, and frees the unused chunks. */
void chunk_prefetch_stop(void);

/* Called when the process ends: ends the thread for good, without waiting for it. */
void chunk_prefetch_end(void);
