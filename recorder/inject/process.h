/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_INJECT_PROCESS_H
#define NVTXH_INJECT_PROCESS_H
/*
 * This process's part of the recording. Its state lies in memory that a fork finds empty, so a
 * child begins a part of its own with its first call, by whatever way it was forked.
 */
#include "../format/format.h"

#include <stdbool.h>
#include <stddef.h>

/* Once per process image. False if there is nothing to record to. */
bool process_init(void);

/* Memory that is zero in the beginning and again in a forked child; NULL if there is none. */
void *process_private_memory(size_t size);

/* For a new stream: the number of this process, and one for the stream. False: nothing is recorded.
 */
bool process_new_stream(uint32_t *ret_process, uint32_t *ret_stream);

/* Counts something that could not be recorded. */
void process_lose(enum rec_loss what);

/* Runs f with the process's stream of names locked, once the process has its part. Signals are
 * blocked meanwhile. */
struct stream;
bool process_with_names(void (*f)(struct stream *names, void *arg), void *arg);

#endif /* NVTXH_INJECT_PROCESS_H */
