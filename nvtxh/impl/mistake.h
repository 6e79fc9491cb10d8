/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_IMPL_MISTAKE_H
#define NVTXH_IMPL_MISTAKE_H

/* Reports a mistake: one line on stderr for each place, however often it is made. Not API. */

#include "../config.h"
#include "../core/compiler.h"
#include "../core/symbols.h"
#include "../core/system.h"
#include "say.h"

#if NVTXH_I_CHECK

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define NVTXH_I_CHECK_REPORTS 256

/* A mistake of one kind at one place, with the place of the other annotation, if there is one. */
struct nvtxh_i_mistake {
    unsigned kind; /* check.h has a number for each kind */
    unsigned line, other_line;
    const char *file, *other_file;
};

struct nvtxh_i_mistakes {
    bool full; /* no room for more; this has been reported */
    size_t n;
    struct nvtxh_i_mistake of[NVTXH_I_CHECK_REPORTS];
};

NVTXH_I_C_BEGIN

NVTXH_I_LINKONCE struct nvtxh_i_mistakes nvtxh_i_mistakes;
/* The lock of all state of NVTXH_CHECK. */
NVTXH_I_LINKONCE uint32_t nvtxh_i_check_lock;

NVTXH_I_COLD NVTXH_I_FORMAT(2, 3) void nvtxh_i_check_report(const struct nvtxh_i_mistake *mistake,
                                                            const char *format, ...)
{
    struct nvtxh_i_mistakes *all = &nvtxh_i_mistakes;
    bool known = false, full, say;
    char text[1536];
    uint64_t signals;
    va_list args;
    size_t i, n;
    int length;

    nvtxh_i_spin_lock(&nvtxh_i_check_lock, &signals);
    for (i = 0; i < all->n && !known; i++)
        known = all->of[i].kind == mistake->kind && all->of[i].line == mistake->line &&
                all->of[i].other_line == mistake->other_line &&
                !strcmp(all->of[i].file, mistake->file) &&
                !strcmp(all->of[i].other_file, mistake->other_file);
    full = !known && all->n == NVTXH_I_CHECK_REPORTS;
    if (!known && !full)
        all->of[all->n++] = *mistake;
    say = full && !all->full;
    all->full = all->full || full;
    nvtxh_i_spin_unlock(&nvtxh_i_check_lock, &signals);
    if (say) {
        snprintf(text, sizeof(text),
                 "nvtxh: mistakes at %d places were reported; no more will be\n",
                 NVTXH_I_CHECK_REPORTS);
        nvtxh_i_say(text, 0);
    }
    if (known || full)
        return;
    /* The file's name takes at most half of the line. */
    length = snprintf(text, sizeof(text) / 2, "nvtxh: %s:%u: ", mistake->file, mistake->line);
    n = length < NVTXH_I_CAST(int, sizeof(text) / 2) ? NVTXH_I_CAST(size_t, length)
                                                     : sizeof(text) / 2 - 1;
    va_start(args, format);
    vsnprintf(text + n, sizeof(text) - 1 - n, format, args);
    va_end(args);
    memcpy(text + strlen(text), "\n", 2);
    nvtxh_i_say(text, 0);
}

NVTXH_I_C_END

#endif
#endif
