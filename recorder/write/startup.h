/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_WRITE_STARTUP_H
#define NVTXH_WRITE_STARTUP_H
#include <stdbool.h>

/* Once per process image: opens the recording that the environment asks for, or waits for the program to say when it is
 * recorded, where the recorder is linked into it. False: there is nothing to record to. */
bool startup(void);

#endif /* NVTXH_WRITE_STARTUP_H */
