/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_DERIVE_DERIVE_H
#define NVTXH_DERIVE_DERIVE_H
/* Makes recordings: snapshots and merged ones of others, and recordings of sums. */
#include "../read/recording.h"
#include "../sums/summary.h"

/* A snapshot: the contents of a recording at one moment, as a recording of its own. If the
 * recording is still being written, the snapshot has every event that was published before that
 * moment and was not overwritten during the copy. No thread waits for the copy: a chunk that its
 * writer reuses meanwhile is left out. */
struct snapshot {
    /* The window is from `from` to `to`, in ns since the recording began. Set `to` to 0 for a
     * window that ends now, or where the recording has ended. Set `last` for a window that begins
     * that many ns before its end, else to 0. When the snapshot is written, `from` and `to` are
     * filled in. */
    int64_t last, from, to;
    const char *reason;
    int64_t whole_from; /* filled in: ns; events before this time may have been overwritten */
};

/* Writes a snapshot of the recording at `path` to the new file that is open at `fd`. False with a
 * message. If `ret_error` is empty, writing has failed with errno. */
bool snapshot_write(struct snapshot *s, const char *path, int fd, struct error *ret_error);

/* Where snapshot_write will not return because no memory was left: closes the recording and `fd`.
 * Allocates nothing. */
void snapshot_abandon(void);

/* Makes one recording of several: copies them, chunk by chunk, into the new one that is open at
 * `fd`. A recording whose file is closed is opened by its path while it is copied. False with a
 * message. */
bool merge_recordings(struct source *const *parts, char *const *paths, size_t count, int fd,
                      struct error *ret_error);

/* A recording that holds statistics only: see statistics_each. */
struct statistics_file {
    struct rec_header head;
    struct rec_process process; /* the command that writes it */
    struct rec_statistics of;
    uint64_t bound; /* ns; shorter ranges were left out. 0: none were */
    const struct texts *texts;
    const struct summary_row *rows; /* distribution_finish was not called for their durations */
    size_t count;
};

/* Writes to an empty file that is open at `fd`. False with errno. */
bool statistics_file_write(const struct statistics_file *s, int fd, uint64_t *ret_size);

#endif /* NVTXH_DERIVE_DERIVE_H */
