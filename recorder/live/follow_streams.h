/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_LIVE_FOLLOW_STREAMS_H
#define NVTXH_LIVE_FOLLOW_STREAMS_H
/* The part of follow.h that reads new records from the streams of a recording. */
#include "follow.h"

void follow_streams_read(struct follow *f, struct recording *r);

#endif /* NVTXH_LIVE_FOLLOW_STREAMS_H */
