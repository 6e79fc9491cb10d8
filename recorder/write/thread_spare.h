/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_WRITE_THREAD_SPARE_H
#define NVTXH_WRITE_THREAD_SPARE_H
/*
 * What threads that have ended leave to the next ones: their memory, and their stream if it can go
 * on. So a program whose threads are short does not pay for a stream, and its room in the file,
 * with each of them. Empty in a forked child.
 */
#include <stdbool.h>

struct thread;

bool thread_spare_init(void);

/* Leaves a thread to the next ones. False: there are enough; then it is as it was, but its stream may have been
 * closed. */
bool thread_spare_put(struct thread *t);

/* Takes one over. Its depths are zero; nothing of it is of use but the stream, if that has a number. NULL: there
 * is none. */
struct thread *thread_spare_get(void);

#endif /* NVTXH_WRITE_THREAD_SPARE_H */
