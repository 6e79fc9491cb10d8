/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_WRITE_THREAD_SPARE_H
#define NVTXH_WRITE_THREAD_SPARE_H
/*
 * What ended threads leave to new ones: their memory, and their stream if it can be continued. So a program with short
 * threads does not need a new stream, and its room in the file, for each thread. A forked child inherits none of this.
 */
#include <stdbool.h>

struct thread;

bool thread_spare_init(void);

/* Keeps a thread's state for a new thread. False: the state cannot be reused, or enough are kept. Then the state is
 * unchanged, but its stream may be closed. */
bool thread_spare_put(struct thread *t);

/* Takes the state of an ended thread; NULL if there is none. The depths are zero. If the stream has a number, it can be
 * continued with stream_resume. */
struct thread *thread_spare_get(void);

#endif /* NVTXH_WRITE_THREAD_SPARE_H */
