/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_READ_RECORDING_OPEN_H
#define NVTXH_READ_RECORDING_OPEN_H
/* Opens a recording: finds its chunks, and reads what its processes named. */
#include "recording.h"

/* False: not a recording, and ret_error says why in one line. */
bool recording_open(struct recording *r, const char *path, char *ret_error, size_t error_size);

#endif /* NVTXH_READ_RECORDING_OPEN_H */
