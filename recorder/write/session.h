/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_WRITE_SESSION_H
#define NVTXH_WRITE_SESSION_H
/* Starts and stops recordings of this process, in a program that says itself when it is recorded; and ends the last one
 * with the process. */
#include <stdbool.h>
#include <stdint.h>

/* 0 or an errno. A ring of 0: what the environment says. */
int session_start(const char *path, bool force, uint64_t ring);
int session_stop(void);

/* A recording that a capture starts, which ends with the last capture. Nothing stops if it is not one of these. */
int session_start_capture(const char *path);
void session_stop_capture(void);
bool session_is_capture(void);

/* In a forked child: a thread that was starting or stopping one is not there any more. */
void session_forked(void);

#endif /* NVTXH_WRITE_SESSION_H */
