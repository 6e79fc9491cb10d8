/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_WRITE_PAYLOAD_H
#define NVTXH_WRITE_PAYLOAD_H
/* Payloads of the payload extension: their bytes, and the data that their pointers lead to, if the program has marked
 * them for copying. That data must be copied when the event is recorded; everything else is left to the readers. */
#include "ext_abi.h"
#include "stream.h"

#include <stdint.h>

/* Writes a record of kind `what`. Counts a loss if the payload is too large, or there is no room. */
void record_payload(struct stream *s, uint32_t domain, enum rec_extended what, const struct ext_data *data,
                    size_t count);

/* Keeps where a schema has pointers; counts pointers that cannot be followed. */
void schema_layout_add(uint32_t domain, uint64_t schema, const struct ext_schema *s);
void schema_layout_add_enum(uint32_t domain, uint64_t schema, size_t size);

#endif /* NVTXH_WRITE_PAYLOAD_H */
