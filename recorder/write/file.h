/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_WRITE_FILE_H
#define NVTXH_WRITE_FILE_H
/* The file of the recording, in the program that is recorded. There is one at a time; a forked child shares its
 * parent's. The recordings of a process have odd numbers, from 1. Who allocates says for which of them, since in
 * the meantime another may have begun. */
#include "../format/format.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

extern enum rec_clock file_clock; /* constant from the first look at the environment on */

/* Opens or creates the recording that the environment asks for. 0, or an errno, which has been printed. */
int file_open(void);

/* Says in the recording that the environment asks for, and on stderr, that this program cannot be recorded: why, and
 * with which errno; 0: it is of a kind that never can. */
void file_refuse(const char *what, const char *why, int error);

/* Creates one; NULL: PROGRAM.PID.nvtxh. 0, or an errno, which is not printed. */
int file_create(const char *path, bool force);

/* Ends it: nothing more is allocated; what is mapped stays. */
void file_end(void);

/* After file_end: waits for threads that are allocating, and closes the file. */
void file_close(void);

/* The process ends: writes the end time, if it has made the recording. */
void file_finish(void);

uint32_t file_recording(void);        /* 0: there is none */
struct rec_sample file_started(void); /* when it began */

/* For file_alloc.c. A descriptor of that recording, which is not closed before file_let_go, to be called whatever is
 * returned; -1 with errno on failure. `sure`: a descriptor that is known to be right, or -1. */
int file_hold(uint32_t recording, int sure);
void file_let_go(int fd, int sure);

/* Takes `size` bytes of the file; returns their offset. When given back they are free again, unless somebody has
 * taken more since: then they stay a gap. */
uint64_t file_take_offset(size_t size);
void file_give_back(uint64_t offset, size_t size);

/* For a thread of our own: a descriptor that the program cannot close or reuse, since the thread gets a descriptor
 * table of its own with nothing else in it. -1: not on this system. */
int file_own_descriptor(void);

uint32_t file_next_process(void); /* the number of a new part */

/* Counters for what is lost by a process that has no part, by enum rec_loss. They stay mapped. */
uint64_t *file_losses(void);

/* Prints one line: what failed, and that the program goes on unrecorded. And prints any other line. */
void file_say(const char *what, const char *why);
void file_note(const char *line);

/* Prints once per recording that it has stopped, and why. */
void file_complain(uint32_t recording, int error);

#endif /* NVTXH_WRITE_FILE_H */
