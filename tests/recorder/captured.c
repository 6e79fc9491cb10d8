/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A capture may be a process range with an @ in its message. It is recorded with its end.
 *
 * record --capture-range user@host@lib
 * recorded:
 * Style,Domain,Message,Open
 * StartEnd,lib,user@host,0
 * PushPop,,within,0
 */
#include "program.h"

static void range(const char *text) {
    nvtxRangePushA(text);
    nvtxRangePop();
}

int main(void) {
    nvtxDomainHandle_t lib = nvtxDomainCreateA("lib");
    nvtxEventAttributes_t a = with_text("user@host");

    range("before");
    nvtxRangeId_t id = nvtxDomainRangeStartEx(lib, &a);
    range("within");
    nvtxDomainRangeEnd(lib, id);
    range("after");
    return 0;
}
