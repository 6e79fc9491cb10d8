/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* In a file of its own, so that no compiler sees the body. */
#include "work.h"

int bench_stored;

int bench_work(int n) {
    return n + 1;
}
