/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Statistics and instrumented functions in a program whose locale has a decimal comma from the
 * beginning; exits 2 if it has none. */
#include "nvtxh.h"
#include "nvtxh/stats.h"

#include <locale.h>
#include <stdlib.h>
#include <string.h>

__attribute__((__constructor__, __no_instrument_function__)) static void in_germany(void) {
    if (!setlocale(LC_ALL, "") || strcmp(localeconv()->decimal_point, ",") != 0)
        _Exit(2);
}

static void leaf(void) {
    __asm__ volatile("");
}

int main(void) {
    int i;

    for (i = 0; i < 1000; i++)
        leaf();
    return 0;
}
