/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_WRITE_PRESET_LEARN_H
#define NVTXH_WRITE_PRESET_LEARN_H
#include "preset.h"

/*
 * A push of the calling thread that none of its presets fits is about to be written by other means. The
 * second time that happens to the same one, its preset is written to the stream. `number` is that of
 * the domain whose handle is `domain`.
 */
void preset_learn(const void *domain, uint32_t number, const nvtxEventAttributes_t *a,
                  enum preset_kind kind);

#endif /* NVTXH_WRITE_PRESET_LEARN_H */
