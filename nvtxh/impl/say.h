/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_IMPL_SAY_H
#define NVTXH_IMPL_SAY_H

/* Messages on stderr. Not API. */

#include "../config.h"
#include "../core/compiler.h"
#include "../core/symbols.h"

#include "../core/say.h"

NVTXH_I_C_BEGIN

NVTXH_I_LINKONCE struct nvtxh_i_stderr nvtxh_i_stderr_was NVTXH_I_LINKED("stderr_was");

/* Runs before main, because main may close descriptor 2, and open another file as descriptor 2,
 * before the first annotation. */
__attribute__((__constructor__)) NVTXH_I_COLD void nvtxh_i_stderr_begin(void) {
    if (!nvtxh_i_stderr_was.known) {
        nvtxh_i_stderr_look(&nvtxh_i_stderr_was, false);
    }
}

/* Prints TEXT, which is whole lines. PATIENCE_MS: how long each wait for space may take. */
NVTXH_I_COLD void nvtxh_i_say(const char *text, int patience_ms) {
    nvtxh_i_stderr_begin();
    nvtxh_i_stderr_say(&nvtxh_i_stderr_was, text, strlen(text), patience_ms);
}

NVTXH_I_C_END

#endif
