/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_READ_REGISTRY_H
#define NVTXH_READ_REGISTRY_H
/* The processes of a recording, and the names that they gave. */
#include "cursor.h"
#include "recording.h"

/* Makes the processes of the sorted chunks, and reads their streams of definitions. */
void registry_load(struct recording *r);

/* Calls f for each record of a process's stream of definitions. */
void registry_each(struct recording *r, const struct process *p,
                   void (*f)(void *arg, const struct record *rec), void *arg);

#endif /* NVTXH_READ_REGISTRY_H */
