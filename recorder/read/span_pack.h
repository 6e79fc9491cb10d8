/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_READ_SPAN_PACK_H
#define NVTXH_READ_SPAN_PACK_H
/* The form of spans in a temporary file: each as its differences from the span before it. */
#include "span.h"

#include <stddef.h>

enum { SPAN_PACKED_MOST = 4 + sizeof(struct span) / 8 * 10 }; /* bytes */

/* Writes a span, at most SPAN_PACKED_MOST bytes. Returns their number. */
size_t span_pack(const struct span *span, const struct span *before, uint8_t *ret_bytes);

/* Reads a span into the one that was before it. Returns how many bytes it took. */
size_t span_unpack(const uint8_t *bytes, struct span *span);

#endif /* NVTXH_READ_SPAN_PACK_H */
