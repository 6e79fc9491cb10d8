/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_READ_REGISTRY_H
#define NVTXH_READ_REGISTRY_H
/* The names that a process gave: of domains, registered strings, categories and threads. */
#include "recording.h"

/* Reads the process's stream of definitions: these names, and all else that struct process has. */
void registry_load(struct recording *r, struct process *p);

/* The name of a domain, 0 for the default domain. */
uint32_t registry_domain(const struct process *p, uint32_t domain);

/* The names of a category and of a thread, 0 where the program gave none. */
uint32_t registry_category(const struct process *p, uint32_t domain, uint32_t category);
uint32_t registry_thread(const struct process *p, uint32_t tid);

#endif /* NVTXH_READ_REGISTRY_H */
