/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_WRITE_THREAD_NAME_H
#define NVTXH_WRITE_THREAD_NAME_H
/*
 * The system's name of a thread (pthread_setname_np). It is recorded if the program has not named the thread with NVTX.
 * The program's name, which all threads have at first, is not recorded. The name is looked up when a thread gets a
 * stream, and when the thread or the recording ends.
 */
#include <stdbool.h>
#include <stdint.h>

struct stream;

/* The name of a thread that records; all zero before the thread records. */
struct thread_name {
    struct thread_name *next,
        **from; /* the next name in the list of all; what points to this name there */
    uint32_t tid;
    bool begun;    /* it is in use; only the thread itself accesses this */
    char text[16]; /* what is in the recording */
};

bool thread_name_init(void);

/* With the registry locked: the thread got a stream, new or taken over from an ended thread. Allocates nothing. */
void thread_name_begin(struct stream *definitions, struct thread_name *n, uint32_t tid);

/* The thread has ended. */
void thread_name_end(struct thread_name *n);

/* With the registry locked: the recording is about to end. */
void thread_name_write_all(struct stream *definitions);

#endif /* NVTXH_WRITE_THREAD_NAME_H */
