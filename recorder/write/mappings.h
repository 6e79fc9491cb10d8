/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_WRITE_MAPPINGS_H
#define NVTXH_WRITE_MAPPINGS_H
/*
 * A process can have a limited number of mappings (vm.max_map_count, usually 65,530). A thread of the program takes two
 * for its stack, and can no longer be made when none is left. So the recorder makes few mappings, each for many
 * threads, and none once the process has 7/8 of that number. The first 64 threads or so do not ask.
 */
#include <stdbool.h>

bool mappings_init(void);

/* Whether a mapping for many threads may be made. False: the process has nearly as many as it can have. May be called
 * in a signal handler; leaves errno alone. */
bool mappings_may_add(void);

/* Whether this process has so many threads that it has called mappings_may_add. */
bool mappings_are_shared(void);

#endif /* NVTXH_WRITE_MAPPINGS_H */
