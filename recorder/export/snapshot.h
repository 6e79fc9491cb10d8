/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_EXPORT_SNAPSHOT_H
#define NVTXH_EXPORT_SNAPSHOT_H
/*
 * A snapshot: what there is of a recording at a moment, as a recording of its own. Of one under way it holds every event
 * that was published before that moment and has not been overwritten while it was copied. Nobody waits for it: chunks
 * are read as they are, and one that its writer fills again meanwhile is left out.
 */
#include "../read/recording.h"

struct snapshot {
    /* The window, in ns since the recording began: from `last` ns before its end, or if that is 0 from `from` on. `to`
     * is 0: up to now, or to the end of a recording that has ended. Both are filled in. */
    int64_t last, from, to;
    const char *reason;
    uint64_t overwritten; /* chunks that were left out, since they were filled again meanwhile */
};

/* Writes one of the recording at `path` into the new one that is open at `fd`. False with a message; with `ret_error`
 * empty, with errno: what failed is writing. */
bool snapshot_write(struct snapshot *s, const char *path, int fd, char *ret_error,
                    size_t error_size);

#endif /* NVTXH_EXPORT_SNAPSHOT_H */
