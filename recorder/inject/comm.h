/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_INJECT_COMM_H
#define NVTXH_INJECT_COMM_H
/*
 * What the system calls a thread (pthread_setname_np). It stands in the recording where the program has not
 * named the thread with NVTX, unless it is only the program's name, which all threads begin with. Looked up
 * when a thread gets a stream, and when it or the recording ends.
 */
#include <stdbool.h>
#include <stdint.h>

struct stream;

/* Of a thread that records; all zero is of one that does not yet. */
struct comm {
    struct comm *next, **from; /* in the list of all */
    uint32_t tid;
    bool begun;    /* the thread's own business */
    char text[16]; /* what is in the recording */
};

bool comm_init(void);

/* The thread has a stream in a new recording. Allocates nothing. */
void comm_begin(struct comm *c, uint32_t tid);

/* The thread is over. */
void comm_end(struct comm *c);

/* With the names locked: the recording is about to end. */
void comm_write_all(struct stream *names, void *unused);

#endif /* NVTXH_INJECT_COMM_H */
