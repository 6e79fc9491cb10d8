/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_WRITE_LOSSES_H
#define NVTXH_WRITE_LOSSES_H
/* Losses are counted, in this process's part of the recording if it has one. What the user should
 * know at once is printed. */
#include "../format/format.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

bool losses_init(void);

/* Sets where losses are counted from now on, by enum rec_loss; NULL: nowhere. The old counters must
 * stay mapped for a while, because another thread may be counting. */
void losses_count_in(uint64_t *counts);

void losses_add(enum rec_loss what, uint64_t count);
#define losses_count(what) losses_add(what, 1)

/* Returns a function that can replace any callback. It counts a loss and returns 0, as a tool that
 * does not support the call would. */
intptr_t losses_function(enum rec_loss loss);

/* How many bytes of a text are kept: at most `most`; 0 for NULL. Counts a text that is cut. */
static inline size_t losses_text_size(const char *text, size_t most) {
    size_t size = text ? strnlen(text, most + 1) : 0;

    if (size > most) {
        size = most;
        losses_count(REC_LOSS_CUT_TEXT);
    }
    return size;
}

/* Messages on the recorded program's stderr. A message that could harm the program is dropped: see
 * core/say.h of the library. So what a user has to know is also in the recording. */
void note(const char *line); /* with its newline */

/* What an errno means. Not strerror, which may call malloc to translate: the caller may be a signal
 * handler. */
const char *note_reason(int error);

#endif /* NVTXH_WRITE_LOSSES_H */
