/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_LIVE_FOLLOW_STATISTICS_H
#define NVTXH_LIVE_FOLLOW_STATISTICS_H
/* The part of follow.h that reads recordings that hold statistics only. */
#include "follow.h"

/* A new version of the file replaces the old one from time to time. The window is the time between the last two
 * versions that were read; the first window begins with the recording. */
void follow_statistics_read(struct follow *f);

#endif /* NVTXH_LIVE_FOLLOW_STATISTICS_H */
