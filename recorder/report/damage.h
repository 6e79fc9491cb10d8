/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_REPORT_DAMAGE_H
#define NVTXH_REPORT_DAMAGE_H
/* Says what is wrong with the file of a recording. */
#include "../read/recording.h"

#include <stddef.h>

/* One sentence, or NULL if nothing is wrong. If the file is being written, its end may come a moment
 * later. */
const char *damage_text(const struct recording *r, char *buffer, size_t size);

#endif /* NVTXH_REPORT_DAMAGE_H */
