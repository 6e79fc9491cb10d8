/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_WRITE_RECORD_PAYLOAD_H
#define NVTXH_WRITE_RECORD_PAYLOAD_H
/* Payloads of the payload extension: their bytes, and the data that their pointers lead to, if the program has marked
 * them for copying. */
#include "ext_abi.h"
#include "stream.h"

/* Writes one record of that kind. If the payload is too large, or there is no room, counts a loss. */
void record_payload(struct stream *s, uint32_t domain, enum rec_extended what,
                    const struct ext_data *data, size_t count);

#endif /* NVTXH_WRITE_RECORD_PAYLOAD_H */
