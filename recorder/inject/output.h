/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_INJECT_OUTPUT_H
#define NVTXH_INJECT_OUTPUT_H
/* The file of the recording, seen from the program that is recorded. One per process; a fork shares
 * it. */
#include "../format/format.h"

#include <stddef.h>

extern enum rec_clock output_clock; /* set by output_open, constant from then on */

/* Finds or creates the recording the environment asks for. 0, or an errno after having said so. */
int output_open(void);

/* Room for a chunk, mapped and ready to be written without faults that could fail; NULL with errno
 * when the disk is full, a limit is reached or the file is gone. */
struct rec_chunk *output_chunk(size_t size);

/* For a thread of our own: a descriptor that the program cannot close or take for something else,
 * since the thread has a table of its own from then on, with nothing else in it. -1: not here. */
int output_own_descriptor(void);

/* The same as output_chunk with such a descriptor, and done so that it costs least in all. */
struct rec_chunk *output_chunk_ahead(int own_descriptor, size_t size);

void output_release(struct rec_chunk *chunk, size_t size);

uint32_t output_next_process(void);

/* Says once per recording that it has stopped, and why. */
void output_complain(int error);

#endif /* NVTXH_INJECT_OUTPUT_H */
