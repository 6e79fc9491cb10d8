/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "preset.h"

void presets_forget(struct presets *all)
{
    for (uint32_t i = 0; i < all->count; i++) {
        struct preset *p = &all->all[all->places[i]];
        p->key = p->message = 0;
        p->depth = NULL;
    }
    all->count = 0;
}
