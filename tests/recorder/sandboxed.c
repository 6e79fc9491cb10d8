/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A program whose filter turns fallocate into SIGSYS, as sandboxes do, and whose handler says that
 * there is no such call. With an argument the filter itself says that it is not permitted. Exit
 * status 77: this system has no such filters. */
#define _GNU_SOURCE /* the registers of a context, by name */
#include "program.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <ucontext.h>

#if defined(__x86_64__)

static volatile sig_atomic_t refused;

static void refuse(int number, siginfo_t *info, void *context) {
    (void)number;
    (void)info;
    refused++;
    ((ucontext_t *)context)->uc_mcontext.gregs[REG_RAX] = -ENOSYS;
}

int main(int argc, char **argv) {
    struct sigaction action = {.sa_sigaction = refuse, .sa_flags = SA_SIGINFO};
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_fallocate, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, argc > 1 ? SECCOMP_RET_ERRNO | EPERM : SECCOMP_RET_TRAP),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {sizeof(code) / sizeof(code[0]), code};

    (void)argv;
    sigaction(SIGSYS, &action, NULL);
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program)) {
        return 77;
    }
    for (int i = 0; i < 20000; i++) {
        nvtxRangePushA("in the sandbox");
        nvtxRangePop();
    }
    printf("%d\n", refused > 0);
    return 0;
}

#else

int main(void) {
    return 77;
}

#endif
