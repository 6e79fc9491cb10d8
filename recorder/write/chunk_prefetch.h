/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_WRITE_CHUNK_PREFETCH_H
#define NVTXH_WRITE_CHUNK_PREFETCH_H
/*
 * A thread of our own makes chunks ahead of need and unmaps old ones. So an event at the end of a chunk finds the
 * next one ready, and does not wait for the file system.
 *
 * The thread begins when a stream has grown to chunks of CHUNK_PREFETCH_SIZE, so that a program with few
 * events never has it; it blocks all signals but SIGSYS and sleeps while nothing is taken. There is none in
 * forked children, nor where it cannot be made, or must not be: see namespaces.h and options.h. There events make their
 * chunks themselves.
 */
#include "../format/format.h"

#include <stdbool.h>
#include <stddef.h>

#define CHUNK_PREFETCH_SIZE (1u << 18)

bool chunk_prefetch_init(void);

/*
 * A thread begins or ends to record. When the last one ends, the helper ends before it: after pthread_exit in the main
 * thread, a process ends with its last thread, which must be one of the program's own.
 */
void chunk_prefetch_enter(void);
void chunk_prefetch_leave(void);

/* A chunk of CHUNK_PREFETCH_SIZE, or NULL if none is ready. Takes no lock; may be called in a signal
 * handler. */
struct rec_chunk *chunk_prefetch_take(uint32_t recording);

/* Unmaps a chunk, now or later. */
void chunk_prefetch_release(struct rec_chunk *chunk, size_t size);

/* The recording is over: its unused chunks are freed. Another may follow. */
void chunk_prefetch_stop(void);

/* Ends the thread. */
void chunk_prefetch_end(void);

#endif /* NVTXH_WRITE_CHUNK_PREFETCH_H */
