/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_CLI_TOP_SCREEN_H
#define NVTXH_CLI_TOP_SCREEN_H
/* `nvtxh top` on the whole of a terminal, with keys. */
#include "top_tables.h"

/* Is that possible? It needs ncurses, and a terminal that ncurses knows. */
bool top_screen_is_possible(void);

/* Reads and shows the recording every `seconds` until the user quits. False with a message on failure. */
bool top_screen(struct top *t, double seconds, struct error *ret_error);

#endif /* NVTXH_CLI_TOP_SCREEN_H */
