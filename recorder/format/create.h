/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_RECORDER_CREATE_H
#define NVTXH_RECORDER_CREATE_H
/* Creates the file of a recording, and joins one that is being written. */
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Creates an empty recording with permissions `mode` (usually REC_MODE). Never follows a symbolic link or overwrites.
 * With `force`, first removes a regular file or a link (not its target). Returns a descriptor, or -1 with errno.
 * Completes the session, which is random; the first 8 bytes stay if they are not 0. */
int rec_create(const char *path, bool force, mode_t mode, const char *command, uint8_t session[16]);
#define REC_MODE 0600

/* Opens a file, but never as descriptor 0, 1 or 2: a program that has closed one of them may still write to it, which
 * would change the file. O_CREAT makes the file with REC_MODE. -1 with errno on failure. */
int rec_open(const char *path, int flags);

/* The session as text, for REC_ENV_SESSION. */
void rec_session_text(const uint8_t session[16], char ret_text[33]);

/* Opens a recording that is being written, and checks its session (NULL: any session will do). Returns a descriptor, or
 * -1 with errno (EINVAL: not a recording, or of another session). */
int rec_join(const char *path, const char *session);

#endif /* NVTXH_RECORDER_CREATE_H */
