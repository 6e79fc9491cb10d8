/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_DERIVE_SNAPSHOT_H
#define NVTXH_DERIVE_SNAPSHOT_H
/* A snapshot: the contents of a recording at one moment, as a recording of its own. If the recording is still being
 * written, the snapshot has every event that was published before that moment and was not overwritten during the copy.
 * No thread waits for the copy: a chunk that its writer reuses meanwhile is left out. */
#include "../read/recording.h"

struct snapshot {
    /* The window is from `from` to `to`, in ns since the recording began. Set `to` to 0 for a window that ends now, or
     * where the recording has ended. Set `last` for a window that begins that many ns before its end, else to 0. When
     * the snapshot is written, `from` and `to` are filled in. */
    int64_t last, from, to;
    const char *reason;
    int64_t whole_from; /* filled in: ns; events before this time may have been overwritten */
};

/* Writes a snapshot of the recording at `path` to the new file that is open at `fd`. False with a message. If
 * `ret_error` is empty, writing has failed with errno. */
bool snapshot_write(struct snapshot *s, const char *path, int fd, struct error *ret_error);

/* Where snapshot_write will not return because no memory was left: closes the recording. Allocates nothing. */
void snapshot_abandon(void);

#endif /* NVTXH_DERIVE_SNAPSHOT_H */
