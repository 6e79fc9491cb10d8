/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_WRITE_THREAD_SPARE_H
#define NVTXH_WRITE_THREAD_SPARE_H
/*
 * What ended threads leave to new ones: their memory, and their stream if it can go on. So programs with short threads
 * do not pay for a stream, and its room in the file, with each thread. Empty in a forked child.
 */
#include <stdbool.h>

struct thread;

bool thread_spare_init(void);

/* Keeps a thread's state for a new thread. False: there are enough. Then it is unchanged, but its stream may be closed. */
bool thread_spare_put(struct thread *t);

/* Takes the state of an ended thread. Its depths are zero; only the stream is still of use, if it has a number. NULL:
 * there is none. */
struct thread *thread_spare_get(void);

#endif /* NVTXH_WRITE_THREAD_SPARE_H */
