/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_WRITE_PRESET_LEARN_H
#define NVTXH_WRITE_PRESET_LEARN_H
#include "preset.h"

/*
 * Called for a push that fits no preset of the calling thread, before it is written in full. When the same push comes
 * a second time, its preset is written to the stream. `domain` is the handle of the domain, `number` its number.
 */
void preset_learn(const void *domain, uint32_t number, const nvtxEventAttributes_t *a,
                  enum preset_kind kind);

#endif /* NVTXH_WRITE_PRESET_LEARN_H */
