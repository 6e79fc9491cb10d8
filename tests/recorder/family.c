/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A process that forks, in a range, with and without glibc's help, and children that exec this
 * program again. */
#include "program.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>

extern char **environ;

static void child(nvtxDomainHandle_t domain, nvtxStringHandle_t message) {
    nvtxEventAttributes_t a = attributes();

    a.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
    a.message.registered = message; /* the parent's handles are good here too */
    for (int i = 0; i < 10; i++) {
        MUST(nvtxDomainRangePushEx(domain, &a) == 0);
        MUST(nvtxDomainRangePop(domain) == 0);
    }
    MUST(nvtxRangePushA("in the child") == 1); /* the parent's range is still around it */
    MUST(nvtxRangePop() == 1);
    MUST(nvtxRangePop() == 0);
}

static void wait_for(pid_t pid) {
    int status;

    MUST(pid > 0);
    MUST(waitpid(pid, &status, 0) == pid);
    MUST(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

int main(int argc, char **argv) {
    if (argc > 1 && !strcmp(argv[1], "again")) {
        for (int i = 0; i < 4; i++) {
            nvtxRangePushA("after exec");
            nvtxRangePop();
        }
        return 0;
    }
    nvtxDomainHandle_t domain = nvtxDomainCreateA("family");
    nvtxStringHandle_t message = nvtxDomainRegisterStringA(domain, "shared");

    nvtxRangePushA("around the forks");
    pid_t pid = fork();
    if (pid == 0) {
        child(domain, message);
        exit(0);
    }
    wait_for(pid);
    /* a fork without glibc's handlers */
    pid = (pid_t)syscall(SYS_clone, (long)SIGCHLD, 0L, 0L, 0L, 0L);
    if (pid == 0) {
        child(domain, message);
        _exit(0);
    }
    wait_for(pid);
    char *const again[] = {argv[0], (char *)"again", NULL};
    MUST(posix_spawn(&pid, "/proc/self/exe", NULL, NULL, again, environ) == 0);
    wait_for(pid);
    /* As a daemon does it: every descriptor closed, and the numbers taken for something else. */
    pid = fork();
    if (pid == 0) {
        int own = open("/dev/null", O_RDWR);
        for (int fd = 3; fd < 1024; fd++) {
            if (fd != own) {
                dup2(own, fd);
            }
        }
        for (int i = 0; i < 50000; i++) {
            nvtxRangePushA("daemon");
            nvtxRangePop();
        }
        _exit(0);
    }
    wait_for(pid);
    child(domain, message);
    return 0;
}
