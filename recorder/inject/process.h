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

/* Once per process image: opens the recording that the environment asks for, or waits for the
 * program to say when it is recorded, where the recorder is linked into it. False: there is nothing
 * to record to. */
bool process_init(void);

/* Begins and ends a recording of this process by itself: 0 or an errno. A ring of 0: what the
 * environment says. */
int process_start(const char *path, bool force, uint64_t ring);
int process_stop(void);

/* In a forked child: whoever was about to do one of these is not there any more. */
void process_control_forked(void);

/* A capture begins: starts a recording that is called like it, if the program is one that says when
 * it is recorded, and none is on. True if so; the end of the last capture stops it. */
bool process_capture_begin(const char *name);
void process_capture_end(void);
bool process_capturing(void);

/* With the names locked: ends this process's part. Nobody begins another in what is about to be closed. */
struct stream;
void process_end_part(struct stream *names, void *unused);

/* Bytes of the ring that the next part gets; 0: none. */
extern uint64_t process_ring;

/* Whether the program says when it is recorded. */
bool process_is_linked(void);

/* Memory that is zero in the beginning and again in a forked child; NULL if there is none. */
void *process_private_memory(size_t size);

/* A new stream in the recording of that number, with no chunk yet. False: nothing is recorded. */
bool process_new_stream(uint32_t number, struct stream *ret);

/* Counts something that could not be recorded. */
void process_lose(enum rec_loss what);

/* Runs f with the names locked, and with the stream they are written to: a dead one while nothing is
 * recorded. Signals are blocked meanwhile. False: not here. */
bool process_with_names(void (*f)(struct stream *names, void *arg), void *arg);

#endif /* NVTXH_INJECT_PROCESS_H */
