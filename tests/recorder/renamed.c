/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The last name counts, also if it is the first one again.
 *
 * recorded:
 * Style,Message,Category Name
 * Mark,work,first
 */
#include "program.h"

int main(void) {
    nvtxEventAttributes_t a = with_text("work");

    a.category = 7;
    nvtxNameCategoryA(7, "first");
    nvtxNameCategoryA(7, "second");
    nvtxNameCategoryA(7, "first");
    nvtxMarkEx(&a);
    return 0;
}
