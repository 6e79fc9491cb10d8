/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* No NVTX at all; ends as its arguments say: silent exit N, silent signal N, silent print. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv) {
    if (argc > 2 && !strcmp(argv[1], "signal")) {
        raise(atoi(argv[2]));
    }
    puts("silent");
    return argc > 2 ? atoi(argv[2]) : 0;
}
