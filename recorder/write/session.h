/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_WRITE_SESSION_H
#define NVTXH_WRITE_SESSION_H
/* Starts and stops recordings of this process, in a program that says itself when it is recorded; and ends the last one
 * with the process. */
#include <stdbool.h>
#include <stdint.h>

/* Once per process image: opens the recording that the environment asks for, or waits for the program to say when it is
 * recorded, where the recorder is linked into it. False: there is nothing to record to. */
bool session_init(void);

/* 0 or an errno. A ring of 0: what the environment says. */
int session_start(const char *path, bool force, uint64_t ring);

/* Stops the recording of that number: 0, or EINVAL if there is no such recording. */
int session_stop(uint32_t recording);

#endif /* NVTXH_WRITE_SESSION_H */
