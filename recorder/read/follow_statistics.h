/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_READ_FOLLOW_STATISTICS_H
#define NVTXH_READ_FOLLOW_STATISTICS_H
/* The part of follow.h that reads recordings that hold statistics only. */
#include "follow.h"

/* The window is the time between two versions of the file; the first window is all of its time. */
void follow_statistics_read(struct follow *f, struct recording *r);

#endif /* NVTXH_READ_FOLLOW_STATISTICS_H */
