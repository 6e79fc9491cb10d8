/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_DERIVE_MERGE_H
#define NVTXH_DERIVE_MERGE_H
/* Makes one recording of several. */
#include "../source/source.h"

/* Copies recordings, chunk by chunk, into the new one that is open at `fd`. A recording whose file is closed is
 * opened by its path while it is copied. False with a message. */
bool merge_recordings(struct source *const *parts, char *const *paths, size_t count, int fd, struct error *ret_error);

#endif /* NVTXH_DERIVE_MERGE_H */
