/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_WRITE_SESSION_H
#define NVTXH_WRITE_SESSION_H
/* Starts and stops recordings of this process, if the recorder is linked into the program; and ends the last one when
 * the process ends. */
#include <stdbool.h>
#include <stdint.h>

/* Called once per process image. Opens the recording that the environment names; or, if the recorder is linked into the
 * program, waits for the program to start one. False: there is nothing to record to. */
bool session_init(void);

/* 0 or an errno. A ring of 0: the size in the environment. */
int session_start(const char *path, bool force, uint64_t ring);

/* Stops the recording of that number: 0, or EINVAL if there is no such recording. */
int session_stop(uint32_t recording);

#endif /* NVTXH_WRITE_SESSION_H */
