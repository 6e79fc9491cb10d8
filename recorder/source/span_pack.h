/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_SOURCE_SPAN_PACK_H
#define NVTXH_SOURCE_SPAN_PACK_H
/* The form of spans in the temporary file of span_order.c: of each span, only what differs from the span before it. */
#include "span.h"

#include <stddef.h>

enum { SPAN_PACKED_MOST = 4 + sizeof(struct span) / 8 * 10 }; /* bytes */

/* Writes a span, at most SPAN_PACKED_MOST bytes. Returns the number of bytes. `before` is the span before it, and for
 * the first one a struct of zeros. */
size_t span_pack(const struct span *span, const struct span *before, uint8_t *ret_bytes);

/* Reads a span. *span must hold the span before it, and is overwritten. Returns how many bytes were read. */
size_t span_unpack(const uint8_t *bytes, struct span *span);

#endif /* NVTXH_SOURCE_SPAN_PACK_H */
