/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Many events, then a user namespace of its own. Prints whether that worked. */
#define _GNU_SOURCE /* unshare */
#include "program.h"

#include <errno.h>
#include <sched.h>
#include <string.h>
#include <sys/syscall.h>

int main(void) {
    for (int i = 0; i < 200000; i++) {
        nvtxRangePushA("before");
        nvtxRangePop();
    }
#ifdef BY_SYSTEM_CALL
    long made = syscall(SYS_unshare, CLONE_NEWUSER);
#else
    long made = unshare(CLONE_NEWUSER);
#endif
    printf("%s\n", made ? strerror(errno) : "unshared");
    nvtxMarkA("after");
    return 0;
}
