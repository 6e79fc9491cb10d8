/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_WRITE_FILE_H
#define NVTXH_WRITE_FILE_H
/* The file of the recording, seen from the program that is recorded. One at a time, and a fork
 * shares it. Recordings of one process are counted from 1; who asks for room says for which. */
#include "../format/format.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

extern enum rec_clock file_clock; /* constant from the first look at the environment on */

/* Finds or creates the recording the environment asks for. 0, or an errno after having said so. */
int file_open(void);

/* Counts this program, in the recording that the environment asks for, as one that cannot be recorded, and says
 * so. */
void file_refuse(const char *what, const char *why);

/* Creates one; NULL: PROGRAM.PID.nvtxh. 0, or an errno and nothing said. */
int file_create(const char *path, bool force);

/* No more room is made in it; what is mapped stays. */
void file_end(void);

/* After that: waits for those who were making some, and closes the file. */
void file_close(void);

/* The process ends: says so in a recording of its own. */
void file_finish(void);

uint32_t file_recording(void); /* 0: there is none */
struct rec_sample file_started(void);

/* For file_alloc.c. A descriptor of that recording, which is not closed before it is let go, whatever comes back;
 * -1 with errno if there is none. `sure`: one that is known to be right, or -1. */
int file_hold(uint32_t number, int sure);
void file_let_go(int fd, int sure);

/* So much of the file is the caller's; from where on. Given back it is nobody's, unless somebody has taken
 * more since: then it stays a gap. */
uint64_t file_take_offset(size_t size);
void file_give_back(uint64_t offset, size_t size);

/* For a thread of our own: a descriptor that the program cannot close or take for something else,
 * since the thread has a table of its own from then on, with nothing else in it. -1: not here. */
int file_own_descriptor(void);

uint32_t file_next_process(void);

/* One line on stderr: what cannot be, and that the program runs on; and any other. */
void file_say(const char *what, const char *why);
void file_note(const char *line);

/* Says once per recording that it has stopped, and why. */
void file_complain(uint32_t number, int error);

#endif /* NVTXH_WRITE_FILE_H */
