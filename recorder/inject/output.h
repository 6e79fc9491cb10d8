/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_INJECT_OUTPUT_H
#define NVTXH_INJECT_OUTPUT_H
/* The file of the recording, seen from the program that is recorded. One at a time, and a fork
 * shares it. Recordings of one process are counted from 1; who asks for room says for which. */
#include "../format/format.h"

#include <stdbool.h>
#include <stddef.h>

extern enum rec_clock output_clock; /* constant from the first look at the environment on */

/* Finds or creates the recording the environment asks for. 0, or an errno after having said so. */
int output_open(void);

/* Counts this program, in the recording that the environment asks for, as one that cannot be recorded, and says
 * so. */
void output_refuse(const char *what, const char *why);

/* Creates one; NULL: PROGRAM.PID.nvtxh. 0, or an errno and nothing said. */
int output_create(const char *path, bool force);

/* No more room is made in it; what is mapped stays. */
void output_end(void);

/* After that: waits for those who were making some, and closes the file. */
void output_close(void);

/* The process ends: says so in a recording of its own. */
void output_finish(void);

uint32_t output_number(void); /* 0: there is none */
struct rec_sample output_start(void);

/* Room for a chunk, mapped and ready to be written without faults that could fail; NULL with errno
 * when the disk is full, a limit is reached or the file is gone. */
struct rec_chunk *output_chunk(uint32_t number, size_t size);

/* Room for much: mapped, but nothing may be stored in a part of it before that is allocated, which returns 0 or
 * an errno. The third makes pages ready, for speed. */
void *output_reserve(uint32_t number, size_t size, uint64_t *ret_offset);
int output_allocate(uint32_t number, uint64_t offset, size_t size);
void output_populate(void *room, size_t size);

/* For room.c. A descriptor of that recording, which is not closed before it is let go, whatever comes back;
 * -1 with errno if there is none. `sure`: one that is known to be right, or -1. */
int output_hold(uint32_t number, int sure);
void output_let_go(int fd, int sure);

/* So much of the file is the caller's; from where on. Given back it is nobody's, unless somebody has taken
 * more since: then it stays a gap. */
uint64_t output_take_offset(size_t size);
void output_give_back(uint64_t offset, size_t size);

/* For a thread of our own: a descriptor that the program cannot close or take for something else,
 * since the thread has a table of its own from then on, with nothing else in it. -1: not here. */
int output_own_descriptor(void);

/* The same as output_chunk with such a descriptor, and done so that it costs least in all. */
struct rec_chunk *output_chunk_ahead(uint32_t number, int own_descriptor, size_t size);

void output_release(void *room, size_t size);

uint32_t output_next_process(void);

/* One line on stderr: what cannot be, and that the program runs on; and any other. */
void output_say(const char *what, const char *why);
void output_note(const char *line);

/* Says once per recording that it has stopped, and why. */
void output_complain(uint32_t number, int error);

#endif /* NVTXH_INJECT_OUTPUT_H */
