/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_INJECT_SUPPLY_H
#define NVTXH_INJECT_SUPPLY_H
/*
 * Chunks made ahead of need, by a thread of our own, and old ones unmapped by it: an event that
 * comes to the end of a chunk finds the next one ready instead of waiting for the file system.
 *
 * The thread begins when a stream has grown to chunks of SUPPLY_CHUNK, so that a program with few
 * events never has it; it blocks all signals and sleeps while nothing is taken. There is none in
 * forked children, nor where it cannot be made: there events make their chunks themselves.
 */
#include "../format/format.h"

#include <stddef.h>

#define SUPPLY_CHUNK (1u << 18)

void supply_init(void);

/*
 * A thread begins, or ends, to record. When the last one ends, the helper ends before it: a process
 * whose main thread has left by pthread_exit is over with its last thread, and that must be one of
 * the program's own.
 */
void supply_enter(void);
void supply_leave(void);

/* A chunk of SUPPLY_CHUNK, or NULL if none is ready. Takes no lock; may be called in a signal
 * handler. */
struct rec_chunk *supply_take(uint32_t recording);

/* Unmaps a chunk, now or soon. */
void supply_release(struct rec_chunk *chunk, size_t size);

/* The recording is over, and what was made for it is given back. Another may follow. */
void supply_stop(void);

/* Nothing is made any more. */
void supply_end(void);

/* In a forked child whose memory was not wiped. */
void supply_forget(void);

#endif /* NVTXH_INJECT_SUPPLY_H */
