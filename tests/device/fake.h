/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_TEST_FAKE_H
#define NVTXH_TEST_FAKE_H

/* The interface between the parts of the fake runtime: see fake_cuda.h. */

#include "fake_cuda.h"

#include <cuda_runtime_api.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { NODES = 4096, DEPS = 16, REFS = 4096, QUEUE = 1000 };

struct node {
    cudaHostFn_t function;
    void *data;
    int n_deps, deps[DEPS];
};

/* A graph, and also what it is instantiated as. */
struct graph {
    int n_nodes, n_refs, holders; /* an instantiation is held by its launches as well */
    struct node *nodes;
    struct CUuserObject_st **refs;
    pthread_mutex_t running; /* one launch at a time */
};

struct capture {
    unsigned long long id;
    struct graph *graph; /* NULL: it has ended, or its graph is gone */
    struct CUstream_st *origin;
    enum cudaStreamCaptureMode mode;
    pthread_t thread;
    bool invalid;
    struct capture *next;
};

/* What a captured stream's next node depends on. */
struct frontier {
    struct capture *capture;
    int n, nodes[DEPS];
};

struct CUevent_st {
    uint64_t recorded, reached; /* how often */
    struct frontier frontier;
};

struct CUuserObject_st {
    int references;
    void *data;
    cudaHostFn_t destroy;
    struct CUuserObject_st *next; /* to be destroyed */
};

struct op {
    enum { OP_HOST, OP_RECORD, OP_WAIT, OP_GRAPH } kind;
    cudaHostFn_t function;
    void *data;
    cudaEvent_t event;
    uint64_t number;
    struct graph *graph;
    struct op *next;
};

struct CUstream_st {
    pthread_t thread;
    struct op *first, **last;
    uint64_t enqueued, done;
    bool closed, blocking; /* with the legacy stream */
    struct frontier frontier;
    struct CUstream_st *next;
};

/* One lock and one condition for everything, because the fake need not be fast. */
extern pthread_mutex_t fake_lock;
extern pthread_cond_t fake_changed;
extern unsigned fake_seed;

unsigned fake_random(void);
/* With the lock: the status that a call returns at once, or cudaSuccess. */
cudaError_t fake_enter(const char *function);
cudaError_t fake_leave(cudaError_t status);
/* Around host functions and destructors: CUDA may not be called in between. */
void fake_call_back(cudaHostFn_t function, void *data);
/* Unlocks, and remembers an error for cudaGetLastError(). */
struct CUstream_st *fake_stream(cudaStream_t stream);
void fake_enqueue(struct CUstream_st *stream, struct op op);
bool fake_dropped(void); /* is this host function to be dropped? */
bool fake_broken_for_good(void);

#define GRAPH(handle) ((struct graph *)(void *)(handle))

/* With the lock: every stream that takes part in a capture leaves it. */
void fake_end_capture(const struct capture *capture);
/* A capture in which a blocking stream takes part: the legacy stream may not be used meanwhile. */
struct capture *fake_blocking_capture(void);
/* With the lock: the thread does something unsafe while it or another thread captures. Those
 * captures are lost then. */
bool fake_prohibited(void);
/* For certain errors the graph is gone before the capture has ended. */
void fake_spoil_capture(struct capture *capture);
/* With the lock: a stream has got to an event. */
void fake_reach(cudaEvent_t event, uint64_t number);
/* Graphs, with the lock. */
struct graph *fake_new_graph(void);
int fake_add_node(struct frontier *frontier, cudaHostFn_t function, void *data);
void fake_join(struct frontier *frontier, const struct frontier *other);
void fake_release_graph(struct graph *graph);
/* Without the lock. */
void fake_run_graph(struct graph *graph);

#endif
