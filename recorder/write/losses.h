/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once
/* Counts losses: what could not be recorded. The counters are in this process's log of the
 * recording or, if it could not begin a log, in the file's header. Also prints messages. */
#include "../format/format.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

bool losses_init(void);

/* Sets the counters that losses are added to from now on, one for each enum rec_loss; NULL: none
 * are counted. The old counters must stay mapped, because another thread may be using them. */
void losses_count_in(uint64_t *counts);

void losses_add(enum rec_loss what, uint64_t count);
#define losses_count(what) losses_add(what, 1)

/* Returns a function that can take the place of any callback that the recorder does not support. At
 * each call the function counts a `loss` and returns 0. */
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

/* Prints a message on the recorded program's stderr, or drops it if printing could harm the
 * program: see core/say.h. So whatever a user has to know is also in the recording. */
void log_line(const char *line); /* with its newline */

/* What an errno means. The caller may be a signal handler. So, with glibc 2.32 or later, this does
 * not call strerror, which may call malloc for a translation. */
const char *error_text(int error);
