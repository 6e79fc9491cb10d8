/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* In place of top_screen.c where ncurses is not installed at build time: `nvtxh top` prints one table after the other. */
#include "top_tables.h"

bool top_screen_is_possible(void)
{
    return false;
}

bool top_screen(struct top *t, double seconds, struct error *ret_error)
{
    (void)t;
    (void)seconds;
    error_set(ret_error, "this nvtxh was built without ncurses");
    return false;
}
