/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_RECORDER_CREATE_H
#define NVTXH_RECORDER_CREATE_H
/* Creates the file of a recording, and joins one that is being written. */
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * Creates an empty recording with these permissions (usually REC_MODE), never through a symbolic link, never over
 * something that exists. With `force` a regular file (or a link, not what it points to) is removed first. Returns a
 * descriptor, or -1 with errno.
 */
int rec_create(const char *path, bool force, mode_t mode, const char *command,
               uint8_t ret_session[16]);
#define REC_MODE 0600

/* The session as text, for REC_ENV_SESSION. */
void rec_session_text(const uint8_t session[16], char ret_text[33]);

/* Opens a recording that is being written, and checks that it is the one of this session (any
 * session if NULL). Returns a descriptor, or -1 with errno (EINVAL: something else is there). */
int rec_join(const char *path, const char *session);

#endif /* NVTXH_RECORDER_CREATE_H */
