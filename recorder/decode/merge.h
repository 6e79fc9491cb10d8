/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once
/* Makes recordings: snapshots and merged recordings. */
#include "recording.h"

/* A snapshot: the contents of a recording at one moment, as a recording of its own. If the
 * recording is still being written, the snapshot has every event that was published before that
 * moment and was not overwritten during the copy. No thread waits for the copy: a chunk that its
 * writer reuses during the copy is left out. */
struct snapshot {
    /* The window is from `from` to `to`, in ns since the recording began. If `to` is 0, the window
     * ends now, or at the end of the recording. If `last` is not 0, the window begins `last` ns
     * before its end. Writing the snapshot fills in `from` and `to`. */
    int64_t last, from, to;
    const char *reason;
    int64_t whole_from; /* filled in; ns; events before this time may have been overwritten */
};

/* Writes a snapshot of the recording at `path` to the new file that is open at `fd`. False with a
 * message or, if the message is empty, with errno. */
bool snapshot_write(struct snapshot *s, const char *path, int fd, struct error *ret_error);

/* Call it if snapshot_write cannot return because no memory is left. Closes the recording and `fd`;
 * allocates nothing. */
void snapshot_abandon(void);

/* Makes one recording of several: copies their chunks into the new recording that is open at `fd`.
 * A recording whose file is closed is opened by its path for the copy. False with a message. */
bool merge_recordings(struct source *const *parts, char *const *paths, size_t count, int fd,
                      struct error *ret_error);
