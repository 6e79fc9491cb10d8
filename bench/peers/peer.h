/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Every peer records a scope with a name around a call into another file. Each is a program of its
 * own: peer.c with one of the others.
 *
 *   peer-NAME BURSTS [FILE]    ns of two clock reads, of a scope and of nothing: medians of BURSTS bursts
 *                              with pauses between them; with a FILE, what is recorded goes there
 *   peer-NAME --count N        N scopes in peer_counted(), and as many empty functions, for callgrind */
#ifndef BENCH_PEER_H
#define BENCH_PEER_H

#include "work.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Each peer defines these. FILE is NULL if nobody is to listen. False: the peer cannot do that. */
bool peer_begin(const char *file);
void peer_scope(void);
void peer_end(void);

#ifdef __cplusplus
}
#endif

#endif
