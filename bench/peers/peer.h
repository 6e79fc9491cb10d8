/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Every peer records a scope with a name around a call into another file. Each is a program of its
 * own: peer.c with one of the others. */
#ifndef BENCH_PEER_H
#define BENCH_PEER_H

#include "bench.h"

#include <stdbool.h>

void peer_scope(void);

/* For peers that record to a file of their own, where NVTXH_BENCH_FILE in the environment names one.
 * False: the peer cannot. */
bool peer_begin(const char *file);
void peer_end(void);

#endif
