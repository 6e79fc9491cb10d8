/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A range in a program whose locale has a decimal comma. Exits 2 if it has none. */
#include "program.h"

#include <locale.h>
#include <string.h>

int main(void) {
    if (!setlocale(LC_ALL, "") || strcmp(localeconv()->decimal_point, ",") != 0) {
        return 2;
    }
    nvtxRangePushA("range");
    nvtxRangePop();
    return 0;
}
