/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_SPANS_RECORDING_SOURCE_H
#define NVTXH_SPANS_RECORDING_SOURCE_H
/* A recording as a source of spans. */
#include "../read/recording.h"

extern const struct source_kind recording_kind;

/* Makes an open recording a source, which recording_close closes. */
struct source *recording_source(struct recording *r);

/* The recording that a source of this kind is. */
struct recording *recording_of(const struct source *s);

#endif /* NVTXH_SPANS_RECORDING_SOURCE_H */
