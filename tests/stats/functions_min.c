/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Functions whose calls take long now and then: with NVTXH_INSTRUMENT_MIN=100ms it is known which
 * calls are shown. */
#include <unistd.h>

enum { LONG_US = 150000 };

/* Each fifth call takes long: never 8 short ones in a row. */
static void now_and_then(int call) {
    if (call % 5 == 4)
        usleep(LONG_US);
}

/* After 8 short calls it is not shown, nor in its 21st, which takes long. After that, 8 more
 * are. */
static void once(int call) {
    if (call == 20)
        usleep(LONG_US);
}

int main(void) {
    int i;

    for (i = 0; i < 15; i++)
        now_and_then(i);
    for (i = 0; i < 41; i++)
        once(i);
    return 0;
}
