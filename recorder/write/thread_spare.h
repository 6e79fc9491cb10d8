/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_WRITE_THREAD_SPARE_H
#define NVTXH_WRITE_THREAD_SPARE_H
/*
 * What threads that have ended leave to the next ones: memory, and the stream where it can go on. So a program whose
 * threads are short does not pay for a stream and its room in the file with each. Empty in a forked child.
 */
#include <stdbool.h>

struct thread;

bool thread_spare_init(void);

/* False: it is not wanted, and as it was but for its stream, which may have been closed. */
bool thread_spare_put(struct thread *t);

/* With depths of all zero, and nothing else that is of use but the stream, if it has a number; NULL: there is none. */
struct thread *thread_spare_get(void);

#endif /* NVTXH_WRITE_THREAD_SPARE_H */
