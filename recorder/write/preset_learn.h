/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_WRITE_PRESET_LEARN_H
#define NVTXH_WRITE_PRESET_LEARN_H
#include "preset.h"

/*
 * Called before a push of the calling thread that fits none of its presets is written in another way. When the same
 * push comes a second time, its preset is written to the stream. `number` is that of the domain with the handle
 * `domain`.
 */
void preset_learn(const void *domain, uint32_t number, const nvtxEventAttributes_t *a,
                  enum preset_kind kind);

#endif /* NVTXH_WRITE_PRESET_LEARN_H */
