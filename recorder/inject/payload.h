/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_INJECT_PAYLOAD_H
#define NVTXH_INJECT_PAYLOAD_H
/* Payloads of the payload extension: their bytes, and what those point to where the program has
 * marked it for copying. */
#include "extension.h"
#include "stream.h"

/* Writes one record of that kind. Too much of it, or no room, is counted. */
void payload_write(struct stream *s, uint32_t domain, enum rec_extended what,
                   const struct ext_data *data, size_t count);

#endif /* NVTXH_INJECT_PAYLOAD_H */
