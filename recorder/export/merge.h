/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_EXPORT_MERGE_H
#define NVTXH_EXPORT_MERGE_H
/* Writes recordings into the new one that is open at `fd`, chunk by chunk. False with errno. */
#include "../read/recording.h"

bool merge_recordings(const struct recording *parts, size_t count, int fd);

#endif /* NVTXH_EXPORT_MERGE_H */
