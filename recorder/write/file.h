/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once
/* The recording's file, as the recorded program writes it. A process has one recording at a time,
 * and its forked children share it. A process's recordings are numbered 1, 3, 5 ... Functions
 * that allocate take the number of a recording, and fail if that is no longer the current one. */
#include "../format/format.h"

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

extern enum rec_clock file_clock; /* set once, before the first recording */

/* Opens or creates the recording that the environment names. Returns 0, or an errno whose meaning
 * has been printed. */
int file_open(void);

/* Reports, in the recording that the environment names and on stderr, that this program cannot be
 * recorded, and why. `error` is an errno, or 0 if programs of this kind can never be recorded. */
void file_refuse(const char *what, const char *why, int error);

/* Stores the path of the program's file in ret_exe, or "program" if it is not known. Returns the
 * path's last part. Does not use argv[0], which the program may have overwritten. */
const char *file_program(char ret_exe[PATH_MAX]);

/* Creates a recording at `path` (NULL: PROGRAM.PID.nvtxh). Prints nothing. Returns 0 or errno. */
int file_create(const char *path, bool force);

/* Ends the recording: no more room is allocated; existing mappings stay. */
void file_end(void);

/* After file_end: waits about 1 s at most for threads that are allocating; closes the file. */
void file_close(void);

/* Called when the process ends: writes the end time, if the process has made the recording. */
void file_finish(void);

uint32_t file_recording(void);        /* number of the recording; 0: none */
struct rec_sample file_started(void); /* when the recording began */

/* Returns a descriptor of the recording that the program cannot close or reuse. For this, the
 * calling thread, which prefetches chunks, gets a descriptor table of its own, with nothing else in
 * it. -1 on failure, for example if the kernel cannot make such a table. */
int file_own_descriptor(void);

uint32_t file_next_process(void); /* returns a number for a new log (registry.h) */

/* Locks byte REC_LOCK_OFFSET + process of the file, which tells readers that the process is alive.
 * Forked children do not inherit the lock. */
void file_lock(uint32_t process);

/* The counters for losses of processes without a log (registry.h), one for each enum rec_loss.
 * They stay mapped. */
uint64_t *file_losses(void);

/* The requests of other processes, in the file's header. The memory stays mapped after the
 * recording, because threads may still read it. */
const struct rec_control *file_control(void);

/* Prints one line: what failed, why, and that the program continues unrecorded. */
void file_say(const char *what, const char *why);

/* Reports once per recording, in its header and on stderr, that recording has stopped, and why. */
void file_complain(uint32_t recording, int error);

bool file_alloc_init(void);

/* Maps room in the file for a chunk. Its blocks are allocated, so stores to it cannot fail. NULL
 * with errno when the disk is full, a limit is reached or the file is gone. munmap frees the
 * memory; what was written stays in the file. In a process with many threads, several chunks share
 * a mapping, and the call fails with EUSERS if the process must not have more mappings (see
 * memory.h). With `anyway`, the chunk always gets a mapping of its own. `sure` is the descriptor of
 * file_own_descriptor, or -1. If it is a descriptor, zeroes are written through it first, which is
 * cheaper than stores to new pages. */
struct rec_chunk *file_alloc_chunk(uint32_t recording, int sure, size_t size, bool anyway);

/* file_alloc_reserve maps room in the file for which the disk has no blocks yet. Nothing may be
 * stored in a part of the room before file_alloc_blocks has allocated the blocks of that part.
 * file_alloc_blocks returns 0 or an errno. file_alloc_populate has the kernel map the pages before
 * the first store, only for speed. */
void *file_alloc_reserve(uint32_t recording, size_t size, uint64_t *ret_offset);
int file_alloc_blocks(uint32_t recording, uint64_t offset, size_t size);
void file_alloc_populate(void *memory, size_t size);
